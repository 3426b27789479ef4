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
  refresh();
})();
