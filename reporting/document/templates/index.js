// The list of all sets: search, filters, orders and pages over the rows that the page carries as data.
// Draws a row as reporting/index/html.py does.
const start = () => {
  const PAGE = 100;
  const PAPER = 2000; // rows that are printed
  const SINCE = Date.UTC(2000, 0, 1);
  const WORST_FIRST = ["w", "h", "d", "x", "b", "c", "n", "s"];
  const KINDS = { b: "up", h: "down", w: "down" };
  const LANGUAGE = document.documentElement.lang;

  class Row {
    constructor(cells) {
      const [name, profile, findings, errors] = cells;
      const [shown, path] = Array.isArray(name) ? name : [name, encode(name) + "/"];
      const more = cells.slice(11);
      Object.assign(this, { name: shown, path, profile, findings, errors });
      this.isReport = typeof cells[4] === "number";
      if (this.isReport) {
        [, , , , this.minutes, this.n, this.answered, this.figures = "", this.baseline = "", this.passed = "",
          this.assessed = ""] = cells;
        if (this.assessed === "") this.assessed = this.n;
      } else {
        [, , , , this.told, this.start = ""] = cells;
      }
      [this.gate, this.judge, this.source, this.other, this.arrived, this.said] = [0, 1, 2, 3, 4, 5].map((at) => more[at] ?? "");
      this.isGone = this.source === 1 || this.source === 2;
    }

    get text() { // what is searched
      return this.searched ??= searched([this.name, this.notes, this.problem, data.profiles[this.profile]].join("\n"));
    }

    get problem() {
      if (this.isReport) return "";
      return (this.start === 1 ? this.name + ".csv" : this.start) + data.told[this.told];
    }

    get notes() {
      return [
        this.source && data.sources[this.source - 1].replace("{other}", () => this.other),
        this.gate && `${t("gate")} ${data.gates[this.gate - 1]}`,
        this.judge && data.judges[this.judge - 1],
        this.said,
      ].filter(Boolean).join(", ");
    }

    get executed() {
      if (!this.minutes) return t("arrived", { at: this.arrived });
      return new Date(SINCE + this.minutes * 60000).toISOString().slice(0, 16).replace("T", " ");
    }

    get share() { // of items that pass, else of those answered: part and whole
      return this.passed === "" ? [this.answered, this.n] : [this.passed, this.assessed];
    }

    get against() {
      if (this.baseline === 0) return t("no-baseline");
      return typeof this.baseline === "number" ? order[this.profile][this.at - this.baseline].name : this.baseline;
    }

    get metrics() {
      return this.read ??= this.figures.split(";")[0].split("|").map(readMetric);
    }

    rate(at, value) { // the share of items that pass, 0, or that are answered, 1, as a metric
      return { value, mark: (this.figures.split(";")[2]?.[at] ?? "").trim(), interval: "" };
    }

    get isDamaged() { // every figure that it has
      return [this.rate(1), ...this.metrics.filter(({ value }) => value)].every(({ mark }) => mark === "d");
    }

    get unlike() { // what else differs from the baseline
      const [, places] = this.figures.split(";");
      return places ? places.split(",").map((place) => data.differences[place]).join(", ") : "";
    }

    get lookAt() {
      if (!this.findings) return "";
      const n = COUNT.format(this.findings);
      return this.errors ? t("with-errors", { n, errors: COUNT.format(this.errors) }) : n;
    }

    get lead() { // value and title of what leads, and the share of items
      const at = this.metrics.findIndex((metric, place) => place < data.leading && metric.value !== "");
      const share = this.passed === "" ? [percent(this.answered, this.n), t("answered")]
        : [percent(this.passed, this.assessed), t("passed")];
      return at < 0 ? [share] : [[this.metrics[at].value, data.metrics[at]], share];
    }
  }

  const rows = data.rows.map((cells) => new Row(cells));
  data.rows = null;
  const order = data.profiles.map(() => []); // the reports of each profile in the order of their data
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at];
    if (row.isReport) row.at = order[row.profile].push(row) - 1;
  }
  let found = [];
  let page = 0;
  let sorted = -1; // column, -1 for the order of the page
  let falling = false;

  function has(column) {
    return data.columns.includes(column);
  }

  function optional(column, make) {
    return has(column) ? [make()] : [];
  }

  function encode(name) {
    return name.split("/").map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)).join("/");
  }

  // `451 8 7w`: hundredths, how far the interval goes down and up, verdict; texts after a `=`.
  function readMetric(text) {
    const mark = /[bcdhnswx]$/.test(text) ? text.slice(-1) : "";
    const ends = (mark ? text.slice(0, -1) : text).split(" ").filter(Boolean);
    if (!ends.length) return { value: "", mark, interval: "" };
    if (ends[0].startsWith("=")) {
      const value = ends[0].slice(1);
      return { value, mark, interval: ends.length > 1 ? between(...ends.slice(1)) : "", size: parseFloat(value.replaceAll(",", "")) };
    }
    const [value, below, above] = ends.map(Number);
    const interval = ends.length > 1 ? between(points(value - below), points(value + above)) : "";
    return { value: points(value), mark, interval, size: value / 100 };
  }

  // As reporting/wording/intervals.py does.
  function between(...ends) {
    const [low, high] = ends.map((end) => end.replace(/^-/, "−"));
    return low.startsWith("−") || high.startsWith("−") ? `${low} – ${high}` : `${low}–${high}`;
  }

  function points(hundredths) {
    return (hundredths / 100).toFixed(2);
  }

  function tenths(value) {
    return (Math.floor(value * 10 + 0.5) / 10).toFixed(1);
  }

  // One decimal, half up, in whole numbers.
  function percent(part, whole) {
    return whole ? `${(Math.floor((2000 * part + whole) / (2 * whole)) / 10).toFixed(1)}%` : "—";
  }

  function refresh() {
    const words = searched(byId("f-text").value).split(/\s+/).filter(Boolean);
    const profile = byId("f-profile").value;
    const state = byId("f-state").value;
    const gate = byId("f-gate").value;
    const refused = byId("f-problem").checked;
    found = rows.filter((row) =>
      row.isGone === (state === "2") &&
      (profile === "" || row.profile === Number(profile)) &&
      (state === "" || state === "2" || (Number(state) > 2 ? row.judge === Number(state) - 2 : row.isReport === (state === "0"))) &&
      (gate === "" || row.gate === Number(gate) + 1) &&
      (!refused || !row.isReport || row.findings > 0) &&
      words.every((word) => row.text.includes(word)));
    if (sorted >= 0) sortFound();
    page = 0;
    drawPage();
  }

  // Numbers by size, names as in the language; what has no value is last either way.
  function sortFound() {
    const key = keys[sorted];
    const collator = new Intl.Collator(LANGUAGE, { numeric: true });
    const keyed = found.map((row) => [key(row) ?? "", row]);
    keyed.sort(([a], [b]) => {
      if (a === "" || b === "") return Number(a === "") - Number(b === "");
      const way = typeof a === "number" ? a - b : collator.compare(a, b);
      return falling ? -way : way;
    });
    found = keyed.map(([, row]) => row);
  }

  function sortBy(at) {
    if (sorted === at) falling = !falling;
    else [sorted, falling] = [at, falls.has(at)];
    [...byId("titles").children].forEach((cell, place) => {
      if (at >= 0) cell.ariaSort = place === at ? (falling ? "descending" : "ascending") : "none";
      else cell.removeAttribute("aria-sort");
    });
    byId("f-sort").value = at < 0 ? "" : String(at);
    refresh();
  }

  function drawPage() {
    const pages = Math.max(Math.ceil(found.length / PAGE), 1);
    const total = rows.filter((row) => row.isGone === (byId("f-state").value === "2")).length;
    byId("rows").replaceChildren(...found.slice(page * PAGE, (page + 1) * PAGE).map(drawRow));
    byId("found").textContent = t("found", { found: COUNT.format(found.length), total: COUNT.format(total) });
    byId("page").textContent = t("page", { page: page + 1, pages });
    byId("back").disabled = page === 0;
    byId("next").disabled = page >= pages - 1;
    byId("pager").hidden = pages === 1;
  }

  function drawRow(row) {
    const state = [data.states[row.isReport ? 0 : 1], row.notes && element("small", row.notes)].filter(Boolean);
    const lookAt = optional("look-at", () => element("td", row.lookAt, "r"));
    if (!row.isReport) {
      const told = () => element("div", [drawName(row), " · ", ...state.map((one) => (one.cloneNode ? one.cloneNode(true) : one)),
        element("span", row.problem, "why")], "told");
      const [wide, narrow] = [element("td", [told()], "wide"), element("td", [told()], "narrow")];
      [wide.colSpan, narrow.colSpan] = [data.metrics.length + 4 + ["state", "passed", "against"].filter(has).length, 2];
      return element("tr", [wide, narrow, ...lookAt], "bad");
    }
    return element("tr", [
      element("td", [drawName(row), element("small", [row.notes, row.executed].filter(Boolean).join(", "), "narrow")]),
      element("td", drawLead(row), "narrow"),
      ...optional("state", () => element("td", state, "n wide")),
      element("td", row.executed, "n wide"),
      element("td", COUNT.format(row.n), "r wide"),
      ...optional("passed", () => drawMetric(row, row.rate(0, row.passed === "" ? "—" : percent(row.passed, row.assessed)))),
      drawMetric(row, row.rate(1, percent(row.answered, row.n))),
      ...row.metrics.map((metric) => drawMetric(row, metric)),
      ...optional("against", () => element("td", drawAgainst(row), "against wide")),
      ...lookAt,
    ]);
  }

  function drawAgainst(row) {
    if (!row.baseline) return row.baseline === 0 ? [drawLink(row, row.against)] : "—";
    return [...parts(row.against), " ", drawLink(row, t("comparison"))];
  }

  function drawName(row) {
    const link = element("a", parts(row.name), "name");
    link.href = row.path + "summary.html";
    return link;
  }

  // A long name breaks after its `_`, `-`, `.` and `/`, not within a word.
  function parts(name) {
    return name.split(/(?<=[-_./])(?!$)/).flatMap((part, at) => (at ? [element("wbr"), part] : [part]));
  }

  function drawLead(row) {
    const figures = [row.rate(0), row.rate(1), ...row.metrics];
    const titles = [t("passed"), t("answered"), ...data.metrics];
    const mark = WORST_FIRST.find((one) => figures.some((figure) => figure.mark === one));
    const of = mark && !"ds".includes(mark) ? `: ${titles[figures.findIndex((figure) => figure.mark === mark)]}` : "";
    return [
      ...row.lead.flatMap(([value, title]) => [row.isDamaged ? element("s", value, "muted") : element("b", value), element("small", title)]),
      ...(mark ? [element("small", data.marks[mark].join(" ") + of, KINDS[mark])] : []),
    ];
  }

  function drawMetric(row, { value, mark, interval }) {
    const shown = value || "—";
    const cell = element("td", mark && row.isDamaged ? [element("s", shown, "muted")] : shown, "r wide");
    if (interval) cell.title = t("interval", { interval });
    if (mark) {
      const link = drawLink(row, [data.marks[mark][0]]);
      link.title = [data.marks[mark][1], mark !== "d" && row.unlike].filter(Boolean).join(": ");
      cell.append(element("small", [link], KINDS[mark]));
    }
    return cell;
  }

  function drawLink(row, content) {
    const link = element("a", content);
    link.href = `${row.path}compare.html`;
    return link;
  }

  const quotient = ([part, whole]) => (whole ? part / whole : "");
  const of = (read) => (row) => (row.isReport ? read(row) : "");
  const executed = of((row) => row.minutes || "");
  const lookAt = (row) => row.errors * 1e6 + row.findings;
  const keys = [
    (row) => row.name, of((row) => parseFloat(row.lead[0][0]) || 0),
    ...optional("state", () => (row) => data.states[row.isReport ? 0 : 1] + row.notes), executed,
    of((row) => row.n), ...optional("passed", () => of((row) => (row.passed === "" ? "" : quotient(row.share)))),
    of((row) => quotient([row.answered, row.n])), ...data.metrics.map((_, at) => of((row) => row.metrics[at]?.size)),
    ...optional("against", () => of((row) => (row.baseline === "" ? "" : row.against))), ...optional("look-at", () => lookAt),
  ];
  const falls = new Set([executed, lookAt].map((key) => keys.indexOf(key))); // the latest, what needs a look: first
  const cells = [...byId("titles").children];
  const names = cells.map((cell) => cell.textContent);
  cells.forEach((cell, at) => {
    const button = element("button", names[at]);
    button.type = "button";
    button.addEventListener("click", () => sortBy(at));
    cell.replaceChildren(button);
  });
  fill(byId("f-sort"), names);
  fill(byId("f-profile"), data.profiles);
  fill(byId("f-state"), [...data.states, ...data.judges]);
  fill(byId("f-gate"), data.gates);
  byId("f-gate").parentElement.hidden = rows.every((row) => row.gate === "");
  byId("f-sort").addEventListener("input", (event) => {
    event.stopPropagation();
    sortBy(event.target.value === "" ? -1 : Number(event.target.value));
  });
  const form = byId("filters");
  form.hidden = false;
  form.addEventListener("input", refresh);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => sortBy(-1)));
  byId("back").addEventListener("click", () => { page -= 1; drawPage(); });
  byId("next").addEventListener("click", () => { page += 1; drawPage(); });
  // On paper there are no pages to turn: all rows that are left, or which of them and where the others are.
  window.addEventListener("beforeprint", () => {
    byId("rows").replaceChildren(...found.slice(0, PAPER).map(drawRow));
    byId("page").textContent = found.length > PAPER
      ? t("on-paper", { shown: COUNT.format(PAPER), found: COUNT.format(found.length) }) : "";
    byId("pager").hidden = false;
  });
  window.addEventListener("afterprint", drawPage);
  refresh();
};
// The rows in the markup are shown before many more are read.
if (data.rows.length > 2000) requestAnimationFrame(() => setTimeout(start));
else start();
