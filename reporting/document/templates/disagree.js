// A person disagrees with grades. The page keeps that until it is saved as a file, which has the columns of a sheet of
// `scorewatch review`; nothing is sent, and no address has any of it.
const disagreements = new Map(); // by item and metric
let isSaved = true;

function sideData(item) {
  return data.review.sides[sideOf(item) % data.review.sides.length];
}

// The form of an answer, folded; nothing where no metric is graded. changed: called once it says something else.
function drawDisagree(item, changed) {
  const { metrics, causes } = sideData(item);
  if (!metrics.length) return [];
  const titles = data.review.titles;
  const grade = element("select", [new Option(), ...metrics.map(([, title, grades], at) => {
    const group = element("optgroup", grades.map(([name], step) => new Option(name, at + " " + step)));
    group.label = title;
    return group;
  })]);
  const comment = element("textarea");
  const cause = element(causes.length ? "select" : "input", causes.length ? ["", ...causes].map((name) => new Option(name)) : "");
  const [reviewer, name] = [byId("reviewer"), element("input")];
  grade.required = name.required = true;
  [name.maxLength, cause.maxLength, comment.maxLength] = [200, 4000, 4000];
  const submit = element("button", t("note-it"));
  const form = element("form", [...[[titles.grade, grade], [titles.comment, comment], [titles.cause, cause],
    ...(reviewer.value.trim() ? [] : [[titles.reviewer, name]])].map((one) => element("label", one)), submit]);
  const details = element("details", [element("summary", t("disagree")), form], "disagree");
  const known = [...disagreements.values()].filter((one) => one.item === item);
  if (known.length) {
    [grade.value, comment.value, cause.value] = [known[0].at + " " + known[0].step, known[0].comment, known[0].cause];
    details.firstChild.append(": " + known.map(saidOf).join(", "));
  }
  details.addEventListener("toggle", () => { // the name may have been given at another answer
    if (reviewer.value.trim() && name.isConnected) {
      name.required = false;
      name.parentElement.remove();
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (name.isConnected) reviewer.value = name.value;
    const [at, step] = grade.value.split(" ").map(Number);
    disagreements.set(item.index + " " + at, { item, at, step, comment: comment.value.trim(), cause: cause.value.trim() });
    isSaved = false;
    changed(item);
  });
  return [details];
}

function saidOf({ item, at, step }) {
  const [, title, grades] = sideData(item).metrics[at];
  return title + " " + grades[step][0];
}

// What an item is, as the key of a sheet says it.
function keyOf({ item, at }) {
  const { hashes, keys } = data.review;
  const round = valueOf(item, "round");
  const before = questionOf(item).items.filter((one) => one.index < item.index && sideOf(one) === sideOf(item) && valueOf(one, "round") === round);
  const own = keys[item.index] || [questionOf(item).name, facetOf("round").keys[round]].map(encodeURIComponent).join("|");
  const hash = hashes.slice(16 * item.index, 16 * (item.index + 1)).trim();
  return [sideData(item).key, own, before.length + 1, sideData(item).metrics[at][0], data.review.sample, hash].join("|");
}

function reviewFile(reviewer) {
  const names = Object.keys(data.review.titles);
  const rows = [...disagreements.values()].map((one) => {
    const { item, at, step, comment, cause } = one;
    const [metric, , grades] = sideData(item).metrics[at];
    const points = pointsOf(item, data.metrics.findIndex(([name]) => name === metric)) ?? "";
    const recorded = grades.find((grade) => grade[1] === points);
    const said = data.judged.map((title, place) => (data.review.said.includes(title) ? S(item.row[JUDGED + place]) : ""));
    const cells = {
      query: questionOf(item).name, round: nameOf(item, "round"), track: nameOf(item, "track"), question: titleOf(questionOf(item)),
      expected: textOf(item, EXPECTED), answer: answerOf(item), error: textOf(item, ERROR),
      recorded: recorded ? recorded[0] : String(points), "recorded-comment": said.find(Boolean),
      sample: data.review["sample-name"], reviewer, grade: grades[step][0], comment, cause, key: keyOf(one),
    };
    return names.map((name) => cells[name] || "");
  });
  const quoted = (text) => '"' + harmless(text).replaceAll('"', '""') + '"';
  return [Object.values(data.review.titles), ...rows].map((row) => row.map(quoted).join(",") + "\r\n").join("");
}

// The disagreements of the page, above its list. open: called with the item that is chosen.
function drawDisagreements(open, changed) {
  byId("review").hidden = !disagreements.size;
  say("disagreed", t("disagreed", { n: COUNT.format(disagreements.size) }));
  say("saved", "");
  byId("disagreements").replaceChildren(...[...disagreements].map(([key, one]) => {
    const { item, comment, cause } = one;
    const said = cut([titleOf(questionOf(item)), whereOf(item), saidOf(one), cause, comment].filter(Boolean).join(" · "), 200);
    const back = () => {
      disagreements.delete(key);
      isSaved = !disagreements.size;
      changed(item);
    };
    return element("li", [drawButton(said, () => open(item)), drawButton(t("take-back"), back)]);
  }));
}

function saveDisagreements(event) {
  event.preventDefault();
  const reviewer = byId("reviewer").value.trim();
  const link = element("a");
  link.download = "review_" + (reviewer.replace(/[^\p{L}\p{N}_-]+/gu, "_").slice(0, 60)) + ".csv";
  link.href = URL.createObjectURL(new Blob(["\ufeff" + reviewFile(reviewer)], { type: "text/csv" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  isSaved = true;
  say("saved", t("saved", { file: link.download }));
}

addEventListener("beforeunload", (event) => {
  if (!isSaved) event.preventDefault();
});
