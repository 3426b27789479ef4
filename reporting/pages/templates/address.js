// The state of the page in the fragment of its address: filters, order and the open item, by names that stay when the
// set is scored again. What a fragment says is as hostile as any file: it is compared with what is known, and shown as text.
const LONGEST = 4000;
const SHOWN = 80;
const USUAL_ORDER = "-lost";

function readAddress(hash) {
  if (!hash.includes("=") || hash.length > LONGEST) return null; // a place in the page
  return new URLSearchParams(hash.slice(1));
}

function encoded(value) {
  return encodeURIComponent(value).replaceAll("%2F", "/");
}

function addressOf(state) {
  const named = Object.entries(state).filter(([, value]) => value !== "");
  return named.length ? "#" + [["report", data.mark], ...named].map(([name, value]) => name + "=" + encoded(value)).join("&") : "";
}

// Browsers refuse to change an address too often.
let writing = 0;
function writeAddress(state) {
  clearTimeout(writing);
  writing = setTimeout(() => setAddress(addressOf(state())), 150);
}

function setAddress(fragment) {
  clearTimeout(writing);
  if (location.hash === fragment || (!fragment && !location.hash.includes("="))) return;
  try {
    history.replaceState(null, "", fragment || location.pathname + location.search);
  } catch { /* the page works without it */ }
}

function linkTo(state) {
  return location.href.split("#")[0] + addressOf(state);
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
