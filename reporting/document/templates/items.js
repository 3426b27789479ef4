// The items of a report, which the page carries as rows of numbers and places in lists.
const S = (at) => (at < 0 ? "" : data.strings[at]);
const FIRST = 11; // behind these: facets, points, their rules, and what else is known
const [QUESTION, EXPECTED, RESPONSE, MESSAGE, ERROR, ROW] = [5, 6, 7, 8, 9, 10];
const POINTS = FIRST + data.facets.length;
const RULES = POINTS + data.metrics.length;
const JUDGED = RULES + data.metrics.length;
const MORE = JUDGED + data.judged.length;
const CHECKS = MORE + data.more.length;
const PAYLOAD = CHECKS + 1;
const facetAt = new Map(data.facets.map((facet, at) => [facet.name, at]));
const items = data.items.map((row, index) => ({
  index, row, query: row[0], seconds: row[1], lost: row[2], differs: row[3] === 1, text: null,
}));
const byQuery = new Map();
for (const item of items) {
  if (!byQuery.has(item.query)) byQuery.set(item.query, []);
  byQuery.get(item.query).push(item);
}
const placeOfQuery = new Map(data.queries.map((name, at) => [name, at]).reverse()); // of equal names the first

const queryOf = (item) => data.queries[item.query];
const textOf = (item, at) => S(item.row[at]);
const valueOf = (item, name) => item.row[FIRST + facetAt.get(name)];
const pointsOf = (item, metric) => item.row[POINTS + metric];
const isTimed = items.some((item) => item.seconds !== null);
const hasTracks = data.facets[facetAt.get("track")].keys.length > 0;

function nameOf(item, name) {
  return data.facets[facetAt.get(name)].names[valueOf(item, name)] || "";
}

// The values that an item has of a facet, of which it may have several.
function valuesOf(item, at) {
  const value = item.row[FIRST + at];
  if (value < 0) return [];
  return data.facets[at].sets ? data.facets[at].sets[value] : [value];
}

function searchedText(item) {
  if (item.text === null) {
    const texts = [QUESTION, EXPECTED, RESPONSE, MESSAGE, ERROR].map((at) => textOf(item, at));
    item.text = searched([queryOf(item), nameOf(item, "category"), ...texts].join("\n"));
  }
  return item.text;
}

function checksOf(item) {
  const list = item.row[CHECKS];
  return list < 0 ? [] : data.lists[list].map((at) => data.checks[at].map(S));
}

// The payload of an item as text; "" where the page does not have it.
function payloadOf(item) {
  return data.payloads[item.row[PAYLOAD]] || "";
}

// Half up on the shortest decimal, as in every other file of the report (toFixed would round the binary value).
function fixed(value, digits) {
  if (value === null) return "—";
  if (Math.abs(value) >= 1e15) return value.toExponential(3);
  const text = String(value);
  return text.includes("e") ? value.toFixed(digits) : Number(Math.round(Number(text + "e" + digits)) + "e-" + digits).toFixed(digits);
}

// Columns of the table. name: in an address; key: what it sorts by; text: sorted as words; slim: shown on a phone.
const columns = [
  { name: "query", title: t("query"), text: true, key: queryOf, show: queryOf, slim: true },
  { name: "round", title: t("round"), kind: "n", key: (item) => valueOf(item, "round"), show: (item) => nameOf(item, "round") },
  ...(hasTracks ? [{
    name: "track", title: t("track"), kind: "n", key: (item) => valueOf(item, "track"), show: (item) => nameOf(item, "track"),
  }] : []),
  { name: "status", title: t("status"), kind: "n", key: (item) => valueOf(item, "status"), show: (item) => nameOf(item, "status"), slim: true },
  ...data.metrics.map(([name, title], at) => ({
    name, title, kind: "r", key: (item) => pointsOf(item, at), show: (item) => fixed(pointsOf(item, at), 2), slim: at === 0,
  })),
  ...(isTimed ? [{ name: "seconds", title: t("seconds"), kind: "r", key: (item) => item.seconds, show: (item) => fixed(item.seconds, 3) }] : []),
  { name: "lost", title: t("lost"), kind: "r", key: (item) => item.lost, show: (item) => fixed(item.lost, 2), slim: true },
  { name: "question", title: t("question"), kind: "q", text: true, key: (item) => textOf(item, QUESTION), show: (item) => cut(textOf(item, QUESTION), 120) },
];

function cut(text, length) {
  const line = onOneLine(text);
  return line.length <= length ? line : line.slice(0, length - 1) + "…";
}

// A number to sort by for each item: words by their place among all, because comparing words takes long.
function keysOf(column) {
  if (!column.keys) {
    let key = column.key;
    if (column.text) {
      const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });
      const words = [...new Set(items.map(column.key))].sort(collator.compare);
      const places = new Map(words.map((word, at) => [word, at]));
      key = (item) => places.get(column.key(item));
    }
    column.keys = items.map(key);
  }
  return column.keys;
}

// All items in an order; what has no value is last either way.
function inOrder(column, isDown) {
  const keys = keysOf(column);
  return [...items].sort((first, second) => {
    const [a, b] = [keys[first.index], keys[second.index]];
    if (a === b) return first.index - second.index;
    if (a === null || b === null) return a === null ? 1 : -1;
    return isDown ? b - a : a - b;
  });
}

// The item that an address names: by query, in the row that it names if there still is one, or by row alone.
function itemOf(named) {
  const [query, row, file] = ["query", "at", "in"].map((name) => named.get(name));
  const files = data.facets[facetAt.get("file")];
  const isThere = (item) => String(item.row[ROW]) === row && (file === null || files.keys[valueOf(item, "file")] === file);
  if (query === null) return items.find(isThere);
  const beside = byQuery.get(placeOfQuery.get(query)) || [];
  const round = named.get("of");
  const rounds = data.facets[facetAt.get("round")].keys;
  return beside.find(isThere) || beside.find((item) => rounds[valueOf(item, "round")] === round) || beside[0];
}

function addressOfItem(item) {
  const files = data.facets[facetAt.get("file")].keys;
  const round = data.facets[facetAt.get("round")].keys[valueOf(item, "round")] || "";
  const file = files.length > 1 ? files[valueOf(item, "file")] : "";
  return { query: queryOf(item), of: round, at: String(item.row[ROW]), in: file };
}
