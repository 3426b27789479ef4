// The state of a page in the fragment of its address: filters, order and the open item, by names that stay when the set
// is scored again. What a fragment says is as hostile as any file: it is compared with what is known, and shown as text.
const LONGEST = 4000;
const LONGEST_TEXT = 200; // of a search
const SHOWN = 80; // characters of what an address names

function readAddress(hash) {
  if (!hash.includes("=") || hash.length > LONGEST) return null; // a place in the page
  return new URLSearchParams(hash.slice(1));
}

// The names and values that a page does not read: those it does not know, and further values of a name, whose first counts.
function unreadOf(named, known) {
  const seen = new Set();
  return [...named].filter(([name]) => {
    const isRepeated = seen.has(name);
    seen.add(name);
    return isRepeated || !known.includes(name);
  });
}

function notApplied(pairs) {
  return pairs.length ? t("not-applied", { names: pairs.map((pair) => cut(pair.join("="), SHOWN)).join(", ") }) : "";
}

function isTooLong(hash) {
  return hash.includes("=") && hash.length > LONGEST;
}

function encoded(value) {
  return encodeURIComponent(value).replaceAll("%2F", "/");
}

function addressOf(state) {
  const named = Object.entries(state).filter(([, value]) => value !== "");
  return named.length ? "#" + [["report", data.mark], ...named].map(([name, value]) => encoded(name) + "=" + encoded(value)).join("&") : "";
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
    history.replaceState(history.state, "", fragment || location.pathname + location.search);
  } catch { /* the page works without it */ }
}

// A link into a disk opens on this computer alone.
function saidOfLink() {
  return t(location.protocol === "file:" ? "copied-file-link" : "copied-link");
}

function linkTo(state) {
  return location.href.split("#")[0] + addressOf(state);
}
