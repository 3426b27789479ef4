// The items of a page, which it carries as rows of numbers and places in lists. A comparison has those of both runs.
const S = (at) => (at < 0 ? "" : data.strings[at]);
const FIRST = 11; // behind these: facets, points, their rules, and what else is known
const [WHY, QUESTION, EXPECTED, RESPONSE, MESSAGE, ERROR, ROW] = [4, 5, 6, 7, 8, 9, 10];
const TEXTS = [QUESTION, EXPECTED, RESPONSE, MESSAGE, ERROR];
const POINTS = FIRST + data.facets.length;
const RULES = POINTS + data.metrics.length;
const JUDGED = RULES + data.metrics.length;
const MORE = JUDGED + data.judged.length;
const CHECKS = MORE + data.more.length;
const PAYLOAD = CHECKS + 1;
const LONG = [...TEXTS, ...[...data.judged, ...data.more].map((_, at) => JUDGED + at)]; // may be cut
const facetAt = new Map(data.facets.map((facet, at) => [facet.name, at]));
const facetOf = (name) => data.facets[facetAt.get(name)];
const isComparison = facetAt.has("side");
const items = data.items.map((row, index) => ({
  index, row, query: row[0], seconds: row[1], lost: row[2], passed: row[3], text: null,
}));
// A question with its items by side and round; hits: those that the filters leave.
const questions = data.queries.map((name, query) => ({ query, name, items: [], hits: [] }));
for (const item of items) questions[item.query].items.push(item);
for (const one of questions) {
  one.items.sort((a, b) => sideOf(a) - sideOf(b) || valueOf(a, "round") - valueOf(b, "round") || a.index - b.index);
}
const questionOf = (item) => questions[item.query];
const placeOfQuery = new Map(data.queries.map((name, at) => [name, at]).reverse()); // of equal names the first
const isTimed = items.some((item) => item.seconds !== null);

function textOf(item, at) {
  return S(item.row[at]);
}

function valueOf(item, name) {
  return item.row[FIRST + facetAt.get(name)];
}

// 0 before and 1 after, in a comparison.
function sideOf(item) {
  return isComparison ? valueOf(item, "side") : 1;
}

// Items of before and after; in a report all in one.
function bySide(items) {
  return isComparison ? [0, 1].map((side) => items.filter((item) => sideOf(item) === side)) : [items];
}

function pointsOf(item, metric) {
  return item.row[POINTS + metric];
}

function nameOf(item, name) {
  return facetOf(name).names[valueOf(item, name)] || "";
}

// The values that an item has of a facet, of which it may have several.
function valuesOf(item, name) {
  const value = valueOf(item, name);
  if (value < 0) return [];
  const { sets } = facetOf(name);
  return sets ? sets[value] : [value];
}

function titleOf(one) {
  const asked = one.items.find((item) => item.row[QUESTION] >= 0);
  return asked ? textOf(asked, QUESTION) : one.name;
}

// What the agent said: that of its payload where the column is blank.
function answerOf(item) {
  return textOf(item, RESPONSE) || textOf(item, MESSAGE);
}

function isCut(item) {
  return LONG.some((at) => textOf(item, at).endsWith("…"));
}

function searchedText(item) {
  if (item.text === null) {
    const texts = TEXTS.map((at) => textOf(item, at));
    item.text = searched([questionOf(item).name, nameOf(item, "category"), ...texts].join("\n"));
  }
  return item.text;
}

function checksOf(item) {
  const list = item.row[CHECKS];
  return list < 0 ? [] : data.lists[list].map((at) => data.checks[at].map(S));
}

function placeOf(item) {
  return item.row[ROW] === null ? "" : t("at", { file: nameOf(item, "file"), row: item.row[ROW] });
}

// Half up on the shortest decimal, as in every other file of the report (toFixed would round the binary value).
function fixed(value, digits) {
  if (value === null) return "—";
  if (Math.abs(value) >= 1e15) return value.toExponential(3);
  const text = String(value);
  return text.includes("e") ? value.toFixed(digits) : Number(Math.round(Number(text + "e" + digits)) + "e-" + digits).toFixed(digits);
}

function sum(values) {
  return values.reduce((all, value) => all + value, 0);
}

// Points that the items of a question lost; in a comparison how much more one of them loses now, on average, NaN where a
// side has no points.
function lostBy(one) {
  if (!isComparison) return sum(one.hits.map((item) => item.lost));
  const [before, after] = bySide(one.items.filter(mostOf)).map((side) => sum(side.map((item) => item.lost)) / side.length);
  return after - before;
}

// `57 / 60`: of what the items could have; in a comparison the change of an item, `−10 / 15`; `–` where there are no points.
function shownLoss(one) {
  const loss = lostBy(one);
  const most = isComparison ? Math.max(...one.items.map(mostOf)) : sum(one.hits.map(mostOf));
  if (isNaN(loss) || !most) return "–";
  const text = short(Math.abs(loss));
  return (isComparison && text !== "0" ? (loss > 0 ? "−" : "+") : "") + text + " / " + short(most);
}

function short(points) {
  return fixed(points, 2).replace(/\.?0+$/, "");
}

// Points that an item could have: of the metrics that it has points of, copies of others left out.
function mostOf(item) {
  return sum(data.scales.filter((_, at) => !data.copies.includes(at) && pointsOf(item, at) !== null));
}

// What the questions are ordered by, largest or smallest first. A question counts by the worst of its items.
const orders = new Map([
  ["lost", [t(isComparison ? "change" : "lost"), (one) => lostBy(one) || 0]],
  ...(isTimed ? [["seconds", [t("seconds"), (one) => Math.max(...one.hits.map((item) => item.seconds ?? -1))]]] : []),
  ...data.metrics.map(([name, title], at) => [name, [title, (one) => Math.min(...one.hits.map((item) => pointsOf(item, at) ?? Infinity))]]),
  ["question", [t("question"), inWords(titleOf)]],
  ["query", [t("query"), inWords((one) => one.name)]],
]);

// Words are ordered by their places among all, because comparing words takes long.
function inWords(word) {
  let places = null;
  return (one) => {
    if (!places) {
      const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });
      places = new Map([...new Set(questions.map(word))].sort(collator.compare).map((text, at) => [text, at]));
    }
    return places.get(word(one));
  };
}

function inOrder(found, sort) {
  const [name, sign] = [sort.replace(/^-/, ""), sort.startsWith("-") ? -1 : 1];
  const [, key] = orders.get(name);
  const keys = new Map(found.map((one) => [one, key(one)]));
  return found.sort((first, second) => {
    const [a, b] = [keys.get(first), keys.get(second)];
    return a === b ? first.query - second.query : sign * (a < b ? -1 : 1);
  });
}

// The items that stand on the right, and those that they may be held against, on the left.
function shownOf(one) {
  return bySide(one.items).pop();
}

function othersOf(item) {
  return questionOf(item).items.filter((other) => (isComparison ? !sideOf(other) : other !== item));
}

// How much an answer differs from the one before in a comparison, in passing above all.
function moved(item) {
  const other = isComparison && against(item);
  return other ? Math.abs(item.lost - other.lost) + (item.passed !== other.passed) * 1e6 : 0;
}

// The one that is read first of those that the filters leave: that changed most, or lost most, the first of equal ones.
function worstOf(one) {
  const hits = shownOf(one).filter((item) => one.hits.includes(item));
  return (hits.length ? hits : shownOf(one)).reduce((worst, item) => ((moved(item) - moved(worst) || item.lost - worst.lost) <= 0 ? worst : item));
}

// The other answer that says most about it: of its round, else one that ends otherwise, else the one before.
function against(item) {
  const others = othersOf(item);
  const round = valueOf(item, "round");
  const near = others.filter((other) => other.index < item.index);
  return (isComparison && others.find((other) => valueOf(other, "round") === round)) ||
    others.find((other) => other.passed !== item.passed) || near[near.length - 1] || others[0] || null;
}

// The item that an address names: by query, in the row that it names if there still is one, or by row alone.
function itemOf(named) {
  const [query, row, file, round] = ["query", "at", "in", "of"].map((name) => named.get(name));
  const keyOf = (item, name) => facetOf(name).keys[valueOf(item, name)];
  const isThere = (item) => String(item.row[ROW]) === row && (file === null || keyOf(item, "file") === file);
  if (query === null) return items.find(isThere);
  const one = questions[placeOfQuery.get(query)];
  if (!one) return undefined;
  const shown = shownOf(one);
  return shown.find(isThere) || shown.find((item) => keyOf(item, "round") === round) || (round === null ? worstOf(one) : shown[0]);
}

function addressOfItem(item) {
  const files = facetOf("file").keys;
  return {
    query: questionOf(item).name,
    of: facetOf("round").keys[valueOf(item, "round")] || "",
    at: item.row[ROW] === null ? "" : String(item.row[ROW]),
    in: files.length > 1 ? files[valueOf(item, "file")] : "",
  };
}
