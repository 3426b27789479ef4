// The pane: a question, and two of its answers side by side with their grades.
const MOST_BRANCHES = 200;

// choose: called with the two items where another one is chosen. disagreed: with the item whose disagreements changed.
function drawPane(item, other, choose, disagreed) {
  const list = element("dl");
  const add = (name, text) => {
    if (text) list.append(element("dt", name), element("dd", text, "text"));
  };
  const title = titleOf(questionOf(item));
  if (cut(title, SHORT_TITLE) !== title) add(t("question"), title);
  add(t("expected"), textOf(item, EXPECTED) || (other ? textOf(other, EXPECTED) : ""));
  add(t("query"), [questionOf(item).name, nameOf(item, "track"), nameOf(item, "category")].filter(Boolean).join(" · "));
  if (facetAt.has("finding")) {
    add(t("findings"), valuesOf(item, "finding").map((value) => facetOf("finding").names[value]).join(" · "));
  }
  const isLater = other && !isComparison && other.index > item.index; // rounds stand in their order
  const [old, now] = other ? markedWords(...(isLater ? [item, other] : [other, item]).map(answerOf)) : [null, null];
  const beside = () => drawSide(other, isLater ? now : old, othersOf(item), "left", (one) => choose(item, one), disagreed);
  const chosen = drawSide(item, isLater ? old : now, shownOf(questionOf(item)), "right", (one) => choose(one, isComparison || one === other ? against(one) : other), disagreed);
  chosen.classList.add("chosen");
  if (other) chosen.querySelector("h4").append(element("span", t("chosen"), "tag"));
  const drawn = other ? (isLater ? [chosen, beside()] : [beside(), chosen]) : [chosen];
  const hasCut = isCut(item) || (other && isCut(other));
  const isSame = other && !hasCut && answerOf(item) && answerOf(item) === answerOf(other);
  return [list, element("p", t(isSame ? "marks-same" : other ? "marks-both" : "marks"), "muted small"), element("div", drawn, "sides"),
    ...(hasCut ? [element("p", data.note, "muted")] : [])];
}

// An answer: what it is, what it says, and the grades of it.
function drawSide(item, marked, choices, name, choose, disagreed) {
  const title = element("h4", [drawDot(item), " " + whereOf(item), element("small", nameOf(item, "status"))]);
  title.id = "side-" + name;
  const [response, error] = [textOf(item, RESPONSE), textOf(item, ERROR)];
  const message = textOf(item, MESSAGE);
  const side = element("section", [title,
    ...(questionOf(item).items.length > 1 + isComparison ? [drawChoice(item, choices, name, choose)] : []),
    ...(error ? [element("p", error, "text bad")] : []),
    ...(response ? [element("div", marked || response, "text answer")] : []),
    ...(message ? [element("p", t("message"), "muted"), element("div", (!response && marked) || message, "text answer")] : []),
    ...(response || message || error ? [] : [element("div", t("no-answer"), "muted")]),
    drawGrades(item), ...drawDisagree(item, disagreed), drawRest(item)]);
  side.setAttribute("aria-labelledby", title.id);
  return side;
}

function whereOf(item) {
  return isComparison ? nameOf(item, "side") + " · " + nameOf(item, "round") : nameOf(item, "round");
}

// Which of the answers stands on this side.
function drawChoice(item, choices, name, choose) {
  const select = element("select");
  select.id = "choose-" + name;
  select.disabled = choices.length < 2; // there to keep both sides level
  for (const one of choices) select.append(new Option(whereOf(one) + " " + DOTS[one.passed], one.index, false, one === item));
  select.addEventListener("change", () => {
    choose(items[select.value]);
    byId(select.id).focus(); // the same in the pane that is drawn now
  });
  return element("label", [t("other-round") + " ", select], "marks");
}

// A grade a line: what of, the points, and the rule or reason.
function drawGrades(item) {
  const lines = [
    [t("status"), nameOf(item, "status"), textOf(item, WHY)],
    ...data.metrics.map(([, title], at) => [title, fixed(pointsOf(item, at), 2), S(item.row[RULES + at])]),
    ...data.judged.map((title, at) => [title, S(item.row[JUDGED + at]), ""]),
    ...(isTimed ? [[t("seconds"), fixed(item.seconds, 3), ""]] : []),
  ].filter(([, value]) => value && value !== "—");
  return element("dl", lines.flatMap(([title, value, rule]) => [
    element("dt", title), element("dd", [element("span", value), ...(rule ? [element("small", rule)] : [])]),
  ]), "grades");
}

// Failed checks, where the item is, and on demand what else is known of it.
function drawRest(item) {
  const checks = checksOf(item);
  const more = element("dl", data.more.flatMap((name, at) => {
    const text = S(item.row[MORE + at]);
    return text ? [element("dt", name), element("dd", text, "text")] : [];
  }));
  const details = element("details", [element("summary", t("more")), more,
    ...(data.payloads.length || item.row[PAYLOAD] >= 0 ? [drawPayload(data.payloads[item.row[PAYLOAD]])] : [])]);
  return element("div", [
    ...(checks.length ? [element("h5", t("checks")), drawChecks(checks)] : []),
    ...(placeOf(item) ? [element("p", placeOf(item), "muted")] : []),
    ...(data.pages[sideOf(item)] ? [element("p", [drawWay(item)])] : []),
    ...(more.childElementCount || details.childElementCount > 2 ? [details] : []),
  ]);
}

// The same answer in the report of its run.
function drawWay(item) {
  const { query, of } = addressOfItem(item);
  const way = element("a", t("in-report"));
  way.href = data.pages[sideOf(item)] + "#query=" + encoded(query) + "&of=" + encoded(of);
  return way;
}

// Failed checks, each with what it expected and what the answer has in its place.
function drawChecks(checks) {
  return element("ul", checks.map(([path, condition, expected, found, fault]) => {
    const facts = element("dl", [element("dt", t("wanted")), element("dd", expected || "—"),
      element("dt", t("got")), element("dd", found || t("nothing"))]);
    return element("li", [element("b", [path, condition].filter(Boolean).join(" ")), ...(fault ? [element("small", fault)] : []), facts]);
  }), "checked");
}

// A payload as a tree, folded; its branches are drawn once they are opened.
function drawPayload(text) {
  if (!text) return element("p", t("no-payload"), "muted");
  let value = text;
  try {
    value = JSON.parse(text);
    if (typeof value === "string") value = JSON.parse(value); // encoded twice
  } catch { /* shown as it is */ }
  return drawBranch("Raw JSON", value);
}

function drawBranch(name, value) {
  const label = element("b", cut(visible(name), 80));
  if (value === null || typeof value !== "object") return element("div", [label, ": " + visible(String(value))], "leaf");
  const entries = Object.entries(value);
  const [left, right] = Array.isArray(value) ? "[]" : "{}";
  const branch = element("details", [element("summary", [label, " " + left + COUNT.format(entries.length) + right])], "branch");
  branch.addEventListener("toggle", () => {
    branch.append(...entries.slice(0, MOST_BRANCHES).map((entry) => drawBranch(...entry)));
    if (entries.length > MOST_BRANCHES) branch.append(element("div", "…", "leaf"));
  }, { once: true });
  return branch;
}

// Escapes of JSON may stand for what steers a text.
function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, "");
}

// Both texts with what differs marked; nothing where they are equal or have nothing in common.
function markedWords(before, after) {
  const sides = differingWords(before, after);
  const isMarked = sides.every((side) => side.some(([text, isChanged]) => !isChanged && /[\p{L}\p{N}]/u.test(text)));
  const tags = ["del", "ins"];
  return sides.map((side, at) =>
    (isMarked ? side.map(([text, isChanged]) => (isChanged ? element(tags[at], text) : text)) : null));
}

// One line for a ticket: question, round, why it scored what it did, where it is, and the link.
function noteOf(item, link) {
  const reasons = [nameOf(item, "status") + ": " + (textOf(item, WHY) || "—"), textOf(item, ERROR)];
  data.metrics.forEach(([, title], at) => {
    const points = pointsOf(item, at);
    const rule = S(item.row[RULES + at]);
    if (points !== null && points < data.scales[at]) reasons.push(title + " " + fixed(points, 2) + (rule ? " (" + rule + ")" : ""));
  });
  const said = [questionOf(item).name, whereOf(item), reasons.filter(Boolean).join("; "), placeOf(item), link];
  return said.filter(Boolean).map(onOneLine).join(" | ");
}
