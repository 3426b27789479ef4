// A ranking: the workbench with the items of several runs, which the facet "run" tells apart.
function sideOf(item) {
  return valueOf(item, "run");
}

function whereOf(item) {
  return nameOf(item, "run") + " · " + nameOf(item, "round");
}

// By how much the runs differ in a question: the points that an item loses, of the run that loses most and of that which loses least.
function lostBy(one) {
  const lost = new Map();
  for (const item of one.hits) lost.set(sideOf(item), [...(lost.get(sideOf(item)) || []), item.lost]);
  const means = [...lost.values()].map((of) => sum(of) / of.length);
  return means.length ? Math.max(...means) - Math.min(...means) : 0;
}

orders.get("lost")[0] = data.facets[facetAt.get("preset")].names[0];
