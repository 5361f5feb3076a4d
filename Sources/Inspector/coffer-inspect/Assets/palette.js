// The search over everything: what the menu and the page lead to, and items.

const paletteLimit = 8;

// What the page offers: the links of the menu, and the actions of the page.
function paletteEntries() {
  const entries = [];
  for (const link of document.querySelectorAll("#menu .menu-body li a")) {
    const section = link.closest("ul").previousElementSibling?.textContent ?? "";
    entries.push({ name: link.querySelector(".name").textContent, hint: section, go: () => location.assign(link.href) });
  }
  for (const element of document.querySelectorAll("main [data-key]")) {
    const name = element.getAttribute("aria-label") ?? element.textContent.trim();
    if (element.offsetParent) entries.push({ name, hint: "Action", go: () => element.click() });
  }
  const actions = [["New password", "/items/new"], ["New key", "/items/new?class=keys"], ["Import certificates", "/import"]];
  for (const [name, address] of actions) {
    entries.push({ name, hint: "Action", go: () => location.assign(address) });
  }
  return entries;
}

// The items that a search of all groups finds, as the list shows them.
async function foundItems(text, signal) {
  const address = `/items?${new URLSearchParams({ q: text })}`;
  const answer = await ask(address, { headers: { "X-Coffer-Fragment": "items" }, signal });
  if (!answer?.ok) return [];
  const rows = [...(await pageOf(answer)).querySelectorAll(".items tbody tr")].slice(0, paletteLimit);
  return rows.map((row) => {
    const link = row.querySelector("a.open");
    return {
      name: link.textContent, hint: row.querySelector(".caption").textContent, tile: row.querySelector(".tile"),
      go: () => location.assign(link.getAttribute("href")),
    };
  });
}

function openPalette() {
  if (document.querySelector("dialog.palette")) return;
  const field = make("input");
  const list = make("ul");
  const dialog = make("dialog", "palette", field, list);
  const known = paletteEntries();
  let shown = [];
  let chosen = 0;
  let request;
  Object.assign(field, { type: "search", placeholder: "Go to an item, a group, a page or an action", autocomplete: "off" });
  field.spellcheck = false;
  list.id = "palette-list";
  const attributes = {
    role: "combobox", "aria-label": "Go to", "aria-expanded": "true", "aria-controls": list.id,
    "aria-autocomplete": "list",
  };
  for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Results");
  dialog.setAttribute("aria-label", "Search");

  function choose(index) {
    chosen = Math.max(0, Math.min(index, shown.length - 1));
    for (const [position, option] of [...list.children].entries()) {
      option.setAttribute("aria-selected", String(position === chosen));
      if (position === chosen) option.scrollIntoView({ block: "nearest" });
    }
    field.setAttribute("aria-activedescendant", shown.length > 0 ? `palette-${chosen}` : "");
  }

  function show(entries) {
    shown = entries;
    list.replaceChildren(...entries.map((entry, index) => {
      const option = make("li", "line", ...(entry.tile ? [entry.tile] : []), make("bdi", "", entry.name), make("span", "caption", entry.hint));
      option.id = `palette-${index}`;
      option.setAttribute("role", "option");
      option.addEventListener("click", () => go(entry));
      return option;
    }));
    choose(0);
  }

  function go(entry) {
    dialog.close();
    entry?.go();
  }

  async function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const places = known.filter((entry) => words.every((word) => entry.name.toLowerCase().includes(word)));
    request?.abort();
    const current = new AbortController();
    request = current;
    if (words.length === 0) return show(places.slice(0, 2 * paletteLimit));
    const items = await foundItems(field.value, current.signal).catch(() => []);
    if (request === current) show([...items, ...places.slice(0, paletteLimit)]);
  }

  field.addEventListener("input", search);
  dialog.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) choose(chosen + step);
    else if (event.key === "Enter" && !event.isComposing) go(shown[chosen]);
    else return;
    event.preventDefault();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  search();
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element) || !event.target.closest("[data-palette]")) return;
  event.preventDefault();
  openPalette();
});
