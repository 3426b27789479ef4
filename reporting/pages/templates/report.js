// The item table of a report: search, filters, order, and a panel with one question in all its rounds.
(() => {
  const PAGE = 50;
  const S = (index) => (index < 0 ? "" : data.strings[index]);

  const FIRST = 16; // behind these: points, their rules, and what else is known
  const METRICS = data.metrics.length;
  const MORE = FIRST + 2 * METRICS + data.judged.length;
  const items = data.items.map((row, index) => ({
    index,
    query: S(row[0]),
    round: row[1],
    track: row[2],
    status: row[3],
    seconds: row[4],
    lost: row[5],
    mixed: row[6] === 1,
    why: S(row[7]),
    question: S(row[8]),
    expected: S(row[9]),
    response: S(row[10]),
    message: row[11] < 0 ? null : S(row[11]),
    error: S(row[12]),
    category: S(row[13]),
    file: data.files[row[14]],
    row: row[15],
    points: row.slice(FIRST, FIRST + METRICS),
    rules: row.slice(FIRST + METRICS, FIRST + 2 * METRICS).map(S),
    judged: row.slice(FIRST + 2 * METRICS, MORE).map(S),
    more: row.slice(MORE).map(S),
  }));
  const byQuery = new Map();
  for (const item of items) {
    if (!byQuery.has(item.query)) byQuery.set(item.query, []);
    byQuery.get(item.query).push(item);
    item.text = searched(
      [item.query, item.question, item.expected, item.response, item.message || "", item.error, item.category].join("\n"));
  }

  // Half up on the shortest decimal, as in every other file of the report (toFixed would round the binary value).
  function fixed(value, digits) {
    if (value === null) return "—";
    if (Math.abs(value) >= 1e15) return value.toExponential(3);
    const text = String(value);
    return text.includes("e") ? value.toFixed(digits) : Number(Math.round(Number(text + "e" + digits)) + "e-" + digits).toFixed(digits);
  }
  const timed = items.some((item) => item.seconds !== null);
  const columns = [
    { title: t("query"), key: (item) => item.query, show: (item) => item.query },
    { title: t("round"), kind: "n", key: (item) => item.round, show: (item) => data.rounds[item.round] },
    ...(data.tracks.length ? [{ title: t("track"), kind: "n", key: (item) => item.track, show: (item) => data.tracks[item.track] }] : []),
    { title: t("status"), kind: "n", key: (item) => item.status, show: (item) => data.statuses[item.status] },
    ...data.metrics.map((title, at) => ({
      title, kind: "r", key: (item) => item.points[at], show: (item) => fixed(item.points[at], 2),
    })),
    ...(timed ? [{ title: t("seconds"), kind: "r", key: (item) => item.seconds, show: (item) => fixed(item.seconds, 3) }] : []),
    { title: t("lost"), kind: "r", key: (item) => item.lost, show: (item) => fixed(item.lost, 2) },
    { title: t("question"), kind: "q", key: (item) => item.question, show: (item) => cut(item.question, 120) },
  ];
  const order = { column: columns.length - 2, down: true };
  let found = [];
  let page = 0;
  let open = -1;
  let opener = null;

  function cut(text, length) {
    const line = text.replace(/\s*\n\s*/g, " ⏎ ");
    return line.length <= length ? line : line.slice(0, length - 1) + "…";
  }

  function drawTitles() {
    byId("titles").replaceChildren(...columns.map((column, at) => {
      const button = element("button", column.title);
      button.type = "button";
      button.addEventListener("click", () => {
        order.down = order.column === at ? !order.down : at === columns.length - 2;
        order.column = at;
        refresh();
        byId("titles").children[at].firstChild.focus();
      });
      const title = element("th", [button], column.kind === "r" ? "r" : "");
      title.scope = "col";
      title.dataset.title = column.title; // for paper, where a button at the top of every page would stay blank
      if (order.column === at) title.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      return title;
    }));
  }

  function compare(first, second) {
    const key = columns[order.column].key;
    const [a, b] = [key(first), key(second)];
    if (a === b) return first.index - second.index;
    if (a === null || b === null) return a === null ? 1 : -1; // what has no value stands last in both directions
    const sign = typeof a === "string" ? a.localeCompare(b, "ko", { numeric: true }) : a - b;
    return (order.down ? -sign : sign) || first.index - second.index;
  }

  function choose() {
    const words = searched(byId("f-text").value).split(/\s+/).filter(Boolean);
    const wanted = ["round", "track", "status"].map((name) => [name, byId("f-" + name).value]);
    const metric = Number(byId("f-metric").value);
    const below = byId("f-below").value === "" ? null : Number(byId("f-below").value);
    const mixed = byId("f-mixed").checked;
    return items.filter((item) =>
      words.every((word) => item.text.includes(word)) &&
      wanted.every(([name, value]) => value === "" || item[name] === Number(value)) &&
      (below === null || (item.points[metric] !== null && item.points[metric] < below)) &&
      (!mixed || item.mixed));
  }

  function refresh() {
    found = choose().sort(compare);
    page = 0;
    drawTitles();
    drawPage();
  }

  function drawPage() {
    const pages = Math.max(Math.ceil(found.length / PAGE), 1);
    byId("rows").replaceChildren(...found.slice(page * PAGE, (page + 1) * PAGE).map(drawRow));
    byId("found").textContent = t("found", { found: COUNT.format(found.length), total: COUNT.format(items.length) });
    byId("page").textContent = t("page", {
      page: page + 1, pages,
      first: COUNT.format(Math.min(page * PAGE + 1, found.length)),
      last: COUNT.format(Math.min((page + 1) * PAGE, found.length)),
    });
    byId("back").disabled = page === 0;
    byId("next").disabled = page >= pages - 1;
  }

  function drawRow(item) {
    const cells = columns.map((column, at) => {
      const cell = element("td", at ? column.show(item) : null, column.kind);
      if (at === 0) {
        const button = element("button", item.query || "—");
        button.type = "button";
        button.setAttribute("aria-haspopup", "dialog");
        button.addEventListener("click", () => {
          opener = button;
          show(found.indexOf(item));
        });
        cell.append(button);
      }
      return cell;
    });
    return element("tr", cells, data.passes[item.status] ? "" : "bad");
  }

  function show(at) {
    open = at;
    const item = found[at];
    byId("panel-title").textContent = t("panel", { query: item.query, round: data.rounds[item.round] });
    byId("panel-body").replaceChildren(...drawPanel(item));
    byId("previous-item").disabled = at === 0;
    byId("next-item").disabled = at === found.length - 1;
    const panel = byId("panel");
    if (!panel.open) panel.showModal();
    panel.querySelector(".now").scrollIntoView({ block: "nearest", inline: "nearest" }); // where rounds stand off the edge
    panel.scrollTop = 0;
  }

  function drawPanel(item) {
    const list = element("dl");
    const add = (name, text) => {
      if (text) list.append(element("dt", name), element("dd", text, "text"));
    };
    add(t("question"), item.question);
    add(t("expected"), item.expected);
    add(t("category"), item.category);
    const beside = byQuery.get(item.query);
    return [list, element("h3", t("beside", { n: COUNT.format(beside.length) })), drawSides(item, beside),
      element("p", data.note, "muted")];
  }

  function drawSides(current, beside) {
    const table = element("table", null, "sides");
    const head = element("tr", [element("td", ""), ...beside.map((item) => {
      const title = element("th", data.rounds[item.round], item === current ? "now" : "");
      title.scope = "col";
      title.append(element("small", item === current ? t("this") : data.tracks[item.track] || ""));
      return title;
    })]);
    const line = (name, cells) => {
      const title = element("th", name);
      title.scope = "row";
      return element("tr", [title, ...cells]);
    };
    const plain = (name, text) =>
      beside.some(text) ? [line(name, beside.map((item) => element("td", text(item) || "—", "text")))] : [];
    const rows = [
      line(t("status"), beside.map((item) => element("td", [data.statuses[item.status], element("small", item.why)]))),
      ...data.metrics.map((title, at) => line(title, beside.map((item) =>
        element("td", [fixed(item.points[at], 2), element("small", item.rules[at])])))),
      ...data.judged.flatMap((name, at) => plain(name, (item) => item.judged[at])),
      ...(timed ? [line(t("seconds"), beside.map((item) => element("td", fixed(item.seconds, 3))))] : []),
      ...plain(t("response"), (item) => item.response),
      ...(beside.some((item) => item.message !== null)
        ? plain(t("message"), (item) => (item.message === null ? t("same") : item.message)) : []),
      ...plain(t("error"), (item) => item.error),
      ...data.more.flatMap((name, at) => plain(name, (item) => item.more[at])),
      line(t("place"), beside.map((item) => element("td", t("at", { file: item.file, row: item.row }), "text"))),
    ];
    table.append(element("thead", [head]), element("tbody", rows));
    const scroll = element("div", [table], "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", t("beside", { n: COUNT.format(beside.length) }));
    return scroll;
  }

  fill(byId("f-round"), data.rounds);
  fill(byId("f-track"), data.tracks);
  fill(byId("f-status"), data.statuses);
  fill(byId("f-metric"), data.metrics);
  if (!data.tracks.length) byId("f-track").parentElement.hidden = true;
  function measure() {
    const scale = data.scales[Number(byId("f-metric").value)] || 0;
    byId("f-below").max = String(scale);
    byId("f-below").step = String(scale / 10); // 0.5 of 5 points, 0.1 of a level's 0 to 1
  }

  byId("f-metric").addEventListener("change", measure);
  measure();
  const form = byId("filters");
  form.addEventListener("input", refresh);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { measure(); refresh(); }));
  byId("back").addEventListener("click", () => { page -= 1; drawPage(); });
  byId("next").addEventListener("click", () => { page += 1; drawPage(); });
  byId("previous-item").addEventListener("click", () => show(open - 1));
  byId("next-item").addEventListener("click", () => show(open + 1));
  byId("close").addEventListener("click", () => byId("panel").close());
  byId("panel").addEventListener("close", () => opener && opener.isConnected && opener.focus());
  refresh();
  // A comparison links to a query: `#query=Q-1` opens it.
  const wanted = new URLSearchParams(location.hash.slice(1)).get("query");
  const linked = wanted === null ? -1 : found.findIndex((item) => item.query === wanted);
  if (linked >= 0) show(linked);
})();
