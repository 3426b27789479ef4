// The lists of a comparison: search and filters. Without a script every query is shown.
(() => {
  const articles = [...document.querySelectorAll("article.pair")].map((node) => ({
    node,
    list: node.parentElement.dataset.list,
    track: node.dataset.track,
    category: node.dataset.category,
    text: searched(node.textContent),
  }));

  function refresh() {
    const words = searched(byId("f-text").value).split(/\s+/).filter(Boolean);
    const wanted = ["list", "track", "category"].map((name) => [name, byId("f-" + name).value]);
    let found = 0;
    for (const article of articles) {
      const fits = words.every((word) => article.text.includes(word)) &&
        wanted.every(([name, value]) => value === "" || article[name] === value);
      article.node.hidden = !fits;
      found += Number(fits);
    }
    for (const list of document.querySelectorAll("section.list")) {
      const all = list.querySelectorAll("article.pair");
      list.hidden = all.length > 0 && ![...all].some((node) => !node.hidden);
      if (!all.length) list.hidden = wanted[0][1] !== "" && wanted[0][1] !== list.dataset.list;
    }
    byId("found").textContent = t("found", { found: COUNT.format(found), total: COUNT.format(articles.length) });
    writeAddress(state);
  }

  const NAMES = ["text", "list", "track", "category"];

  function state() {
    const named = NAMES.map((name) => [name, byId("f-" + name).value]);
    return { ...Object.fromEntries(named), open: byId("f-open").checked ? "1" : "" };
  }

  // What the address says; a value that the page does not have leaves a choice at all.
  function follow(hash) {
    const named = readAddress(hash);
    if (isTooLong(hash)) notice(notApplied([[hash.slice(1)]]));
    if (named === null) return;
    const isOther = named.has("report") && named.get("report") !== data.mark;
    notice(isOther ? t("other-report") : "");
    if (isOther) return;
    const unread = unreadOf(named, ["report", "open", ...NAMES]);
    for (const name of NAMES) {
      const field = byId("f-" + name);
      const value = named.get(name) || "";
      field.value = value.slice(0, LONGEST_TEXT);
      if (field.selectedIndex === -1) field.value = "";
      if (field.value !== value) unread.push([name, value]);
    }
    byId("f-open").checked = named.get("open") === "1";
    if (named.has("open") && named.get("open") !== "1") unread.push(["open", named.get("open")]);
    notice(notApplied(unread));
    openAll();
    refresh();
  }

  function notice(text) {
    byId("notice").textContent = text;
    byId("notice").hidden = text === "";
  }

  function openAll() {
    for (const { node } of articles) node.querySelector("details").open = byId("f-open").checked;
  }

  const form = byId("filters");
  form.hidden = false;
  form.addEventListener("input", refresh);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { openAll(); refresh(); }));
  byId("f-open").addEventListener("change", openAll);
  addEventListener("hashchange", (event) => follow(hashOf(event.newURL)));
  refresh();
  follow(location.hash);
})();
