// The front page: copies what it says as text and as it looks, prints, and leads to the pages around it.
const buttons = byId("buttons");

function looks() {
  const made = document.createElement("div");
  for (const part of document.querySelectorAll(".damaged, .head, main")) {
    const copied = part.cloneNode(true);
    made.append(...(part.matches(".damaged") ? [copied] : copied.children));
  }
  for (const gone of made.querySelectorAll(".noprint, .charts, .charts + .small, details, svg, script, [hidden]")) gone.remove();
  for (const link of made.querySelectorAll("a")) {
    if (!/^https?:/.test(link.getAttribute("href"))) link.replaceWith(...link.childNodes);
  }
  return made.innerHTML;
}

// Links lead to pages beside this one: away from the folder of the set, as in a mail, they would be dead.
function isAtHome() {
  try {
    return decodeURIComponent(location.pathname).normalize("NFC").endsWith(`/${data.place.normalize("NFC")}`);
  } catch {
    return false;
  }
}

if (isAtHome()) {
  for (const link of document.querySelectorAll("a[data-href]")) link.setAttribute("href", link.dataset.href);
  for (const ways of document.querySelectorAll("#ways")) ways.hidden = false;
}

if (buttons) {
  buttons.hidden = false;
  byId("copy").addEventListener("click", () => copy(data.text, "copied", t("copied"), looks()));
  byId("print").addEventListener("click", () => window.print());
}
