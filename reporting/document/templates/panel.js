// The panel with one question in all its rounds, side by side.
const MOST_BRANCHES = 200;

function drawPanel(item, other, choose) {
  const list = element("dl");
  const add = (name, text) => {
    if (text) list.append(element("dt", name), element("dd", text, "text"));
  };
  add(t("question"), textOf(item, QUESTION));
  add(t("expected"), textOf(item, EXPECTED));
  add(t("category"), nameOf(item, "category"));
  const finding = facetAt.get("finding");
  add(t("findings"), valuesOf(item, finding).map((at) => data.facets[finding].names[at]).join(" · "));
  const beside = byQuery.get(item.query);
  return [list, element("h3", t("beside", { n: COUNT.format(beside.length) })),
    ...(beside.length > 1 ? [drawChoice(item, other, beside, choose)] : []), drawSides(item, other, beside),
    element("p", data.note, "muted")];
}

// Which round the answer of the item is compared with.
function drawChoice(item, other, beside, choose) {
  const select = element("select");
  select.id = "other";
  select.append(element("option", t("no-marks")));
  for (const one of beside) {
    if (one === item) continue;
    const option = element("option", nameOf(one, "round"));
    option.value = String(one.index);
    option.selected = one === other;
    select.append(option);
  }
  select.addEventListener("change", () => choose(items[select.value] || null));
  return element("label", [t("marks") + " ", select], "marks");
}

function drawSides(current, other, beside) {
  const head = element("tr", [element("td", ""), ...beside.map((item) => {
    const title = element("th", nameOf(item, "round"), item === current ? "now" : "");
    title.scope = "col";
    title.append(element("small", item === current ? t("this") : nameOf(item, "track")));
    return title;
  })]);
  const line = (name, cells) => {
    const title = element("th", name);
    title.scope = "row";
    return element("tr", [title, ...cells]);
  };
  const plain = (name, text) =>
    beside.some(text) ? [line(name, beside.map((item) => element("td", text(item) || "—", "text")))] : [];
  const marked = other ? differingWords(textOf(other, RESPONSE), textOf(current, RESPONSE)) : [];
  const answer = (item) => {
    if (!other || (item !== current && item !== other)) return textOf(item, RESPONSE) || "—";
    const [pieces, mark] = item === current ? [marked[1], "ins"] : [marked[0], "del"];
    return pieces.length ? pieces.map(([text, isChanged]) => (isChanged ? element(mark, text) : text)) : "—";
  };
  const rows = [
    line(t("status"), beside.map((item) => element("td", [nameOf(item, "status"), element("small", S(item.row[4]))]))),
    ...data.metrics.map(([, title], at) => line(title, beside.map((item) =>
      element("td", [fixed(pointsOf(item, at), 2), element("small", S(item.row[RULES + at]))])))),
    ...data.judged.flatMap((name, at) => plain(name, (item) => S(item.row[JUDGED + at]))),
    ...(isTimed ? [line(t("seconds"), beside.map((item) => element("td", fixed(item.seconds, 3))))] : []),
    ...(beside.some((item) => checksOf(item).length)
      ? [line(t("checks"), beside.map((item) => element("td", drawChecks(checksOf(item)))))] : []),
    ...(beside.some((item) => textOf(item, RESPONSE))
      ? [line(t("response"), beside.map((item) => element("td", answer(item), "text")))] : []),
    ...(beside.some((item) => item.row[MESSAGE] >= 0)
      ? plain(t("message"), (item) => (item.row[MESSAGE] < 0 ? t("same") : textOf(item, MESSAGE))) : []),
    ...plain(t("error"), (item) => textOf(item, ERROR)),
    ...data.more.flatMap((name, at) => plain(name, (item) => S(item.row[MORE + at]))),
    ...(data.payloads.length
      ? [line("Raw JSON", beside.map((item) => element("td", [drawPayload(payloadOf(item))])))] : []),
    line(t("place"), beside.map((item) => element("td", placeOf(item), "text"))),
  ];
  const table = element("table", [element("thead", [head]), element("tbody", rows)], "sides");
  const scroll = element("div", [table], "scroll");
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", t("beside", { n: COUNT.format(beside.length) }));
  return scroll;
}

function placeOf(item) {
  return t("at", { file: nameOf(item, "file"), row: item.row[ROW] });
}

// Failed checks, each with what it expected and what the answer has in its place.
function drawChecks(checks) {
  if (!checks.length) return "—";
  return [element("ul", checks.map(([path, condition, expected, found, fault]) => {
    const facts = element("dl", [element("dt", t("wanted")), element("dd", expected || "—"),
      element("dt", t("got")), element("dd", found || t("nothing"))]);
    return element("li", [element("b", [path, condition].filter(Boolean).join(" ")), ...(fault ? [element("small", fault)] : []), facts]);
  }), "checked")];
}

// A payload as a tree, folded; its branches are drawn once they are opened.
function drawPayload(text) {
  if (!text) return t("no-payload");
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

// One line for a ticket: query, round, why it scored what it did, where it is, and the link.
function noteOf(item, link) {
  const reasons = [nameOf(item, "status") + ": " + (S(item.row[4]) || "—"), textOf(item, ERROR)];
  data.metrics.forEach(([, title], at) => {
    const points = pointsOf(item, at);
    if (points !== null && points < data.scales[at]) reasons.push(title + " " + fixed(points, 2) + " (" + S(item.row[RULES + at]) + ")");
  });
  const said = [queryOf(item), nameOf(item, "round"), reasons.filter(Boolean).join("; "), placeOf(item), link];
  return said.map(onOneLine).join(" | ");
}
