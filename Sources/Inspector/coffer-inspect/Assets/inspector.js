// What the pages of the inspector do beyond links and forms: search while a person types, values on request, keys and
// the progress of a sync. Nothing here builds markup: answers are parsed as documents, and text is set as text.
"use strict";

const token = document.body.dataset.csrf ?? "";

function say(element, text) {
  if (element) element.textContent = text;
}

// An element with a class and with texts or elements in it.
function make(name, className, ...content) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

function plural(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

// The session ended or the vault was locked: a page that still shows something must not stay. The next page does not
// know that something was copied. This page clears it first, unless the browser refuses even after a click or a key.
async function leave() {
  clearPage("Locked", "Loading the page that unlocks the vault. If it does not appear, click here or press a key.");
  // The browser may ask a person before it answers.
  const soon = (work) => Promise.race([work, new Promise((resolve) => setTimeout(resolve, 1000))]);
  await soon(clipboard.clearNow());
  while (clipboard.held) {
    const event = await new Promise((resolve) => {
      for (const kind of usesOfPage) addEventListener(kind, resolve, { once: true });
    });
    await soon(clipboard.clear());
    if (event.type !== "focus") break;
  }
  unsaved = null;
  if (!isEnding) location.replace(location.pathname + location.search);
}

// Whether "Lock and end" was pressed: its answer is on the way, and no other request gets one.
let isEnding = false;

addEventListener("submit", (event) => {
  if (event.target.matches('form[action="/lock"]')) isEnding = true;
});

// Removes everything that the page shows, and the fields of its forms.
function clearPage(title, sentence) {
  clearAll();
  sessionStorage.clear();
  const main = make("main", "", make("section", "card", make("h1", "", title), make("p", "", sentence)));
  main.id = "main";
  document.body.replaceChildren(make("div", "alone", main));
  document.title = `${title} – Coffer`;
}

// Asks now and then whether the session goes on. It ends without this page: by its idle time, or on another page.
const watchInterval = 2000;

async function watch() {
  try {
    const answer = await ask("/session", { headers: { "X-Coffer-Background": "1" } });
    if (answer) setTimeout(watch, watchInterval);
  } catch {
    clearPage("The inspector has ended", "Run coffer inspect in a terminal to look at the vault again.");
  }
}

// The answer to a request, or null if the page is left because its session is over.
async function ask(address, options) {
  const answer = await fetch(address, { cache: "no-store", redirect: "manual", ...options });
  if (answer.status !== 403 && answer.status !== 423 && answer.type !== "opaqueredirect") return answer;
  leave();
  return null;
}

// Sends fields. The token in the header shows that a page of this program sends them.
function send(address, fields, more = {}) {
  const headers = { "X-Coffer-CSRF": token, Accept: "application/json", ...more };
  return ask(address, { method: "POST", body: new URLSearchParams(fields), headers });
}

function post(form) {
  return send(form.action, new FormData(form));
}

// The page that an answer contains, of which parts are shown.
async function pageOf(answer) {
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

// Search as you type.

function startSearch(form) {
  const field = form.querySelector('input[type="search"]');
  const results = document.getElementById(form.dataset.search);
  if (!field || !results) return;
  let request;

  async function search() {
    request?.abort();
    const current = new AbortController();
    request = current;
    const parameters = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value !== "") parameters.append(name, value);
    const query = parameters.toString();
    const address = form.action.split("?")[0] + (query ? `?${query}` : "");
    results.setAttribute("aria-busy", "true");
    try {
      const answer = await ask(address, { headers: { "X-Coffer-Fragment": results.id }, signal: current.signal });
      const page = answer && await pageOf(answer);
      // A newer search has begun: this answer is stale.
      if (!answer || request !== current) return;
      const fragment = page.getElementById(results.id);
      if (!answer.ok || !fragment) throw new Error("no list");
      // The answer may come when somebody has moved on into the list.
      const focused = results.contains(document.activeElement) ? document.activeElement : null;
      results.replaceChildren(...fragment.childNodes);
      if (focused) (listLinks().find((link) => link.pathname === focused.pathname) ?? field).focus();
      say(document.getElementById("count-live"), document.getElementById("count")?.textContent ?? "");
      history.replaceState(null, "", address);
      shownAddress = location.pathname + location.search;
    } catch (error) {
      if (error.name === "AbortError") return;
      say(document.getElementById("count-live"), "The search failed. Check that coffer-inspect is still running.");
    } finally {
      if (request === current) results.removeAttribute("aria-busy");
    }
  }

  field.addEventListener("input", search);
  for (const choice of form.querySelectorAll("select")) choice.addEventListener("change", search);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
  for (const button of form.querySelectorAll(".submit")) button.hidden = true;
}

// Characters that show nothing, or that reorder what is around them: controls, but not line ends and tabs, format
// characters, and what no font has. They are shown as in the rest of the page, with the same exceptions: joiners between
// letters of scripts that use them and between emoji, and the tags of three flags.
const script = "\u0600-\u07ff\u08a0-\u0dff\u1000-\u109f\u1780-\u18af";
const letter = `(?=[${script}])[\\p{Lo}\\p{Lm}\\p{Mn}\\p{Mc}]`;
const emoji = "(?![\\0-\\xff\\u{1f3fb}-\\u{1f3ff}])\\p{Emoji}";
const seen = [
  `(?<=${letter})[\u200c\u200d](?=(?=[${script}])\\p{Lo})`,
  `(?<=${emoji}[\\u{fe0f}\\u{1f3fb}-\\u{1f3ff}]{0,2})\u200d(?=${emoji})`,
  ...["gbeng", "gbsct", "gbwls"].flatMap((name) => {
    const tags = [...`${name}\x7f`].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)));
    const before = (index) => `\u{1f3f4}${tags.slice(0, index).join("")}`;
    return tags.map((tag, index) => `(?<=${before(index)})${tag}(?=${tags.slice(index + 1).join("")})`);
  }),
];
const unseen = new RegExp(`(?!${seen.join("|")})(?![\\n\\t])([\\p{C}\\p{Zl}\\p{Zp}])`, "u");

function symbolOf(character) {
  const code = character.codePointAt(0);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
}

// Shows a text as it is stored: each of these characters as a symbol. Returns their number.
function showText(element, text) {
  const parts = text.split(unseen);
  element.replaceChildren(...parts.map((part, index) => (index % 2 === 1 ? make("mark", "", symbolOf(part)) : part)));
  return (parts.length - 1) / 2;
}

// What is said at the edge of the window.

const toast = make("p", "toast");
toast.setAttribute("role", "status");
document.body.append(toast);

function announce(text) {
  say(toast, text);
  clearTimeout(announce.timer);
  announce.timer = setTimeout(() => say(toast, ""), 4000);
}

// The clipboard, which is cleared some seconds after a secret was copied. A page may only write to it while it has the
// focus, and in some browsers only after a click or a key: clearing is tried at each of these until it has worked.

const usesOfPage = ["focus", "pointerup", "keydown"];

const clipboard = {
  // What was copied and is not cleared yet: the text, whether its time is over, and what reports to the person.
  held: null,

  async copy(text, seconds, report) {
    const earlier = this.held;
    // Nothing clears the new text in place of the earlier one.
    this.held = null;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      this.held = earlier;
      return report("The browser does not allow this page to copy. Show the value and copy it by hand.");
    }
    if (!seconds) return report("Copied.");
    const held = { text, report, isDue: false };
    this.held = held;
    setTimeout(() => {
      held.isDue = true;
      this.clear();
    }, seconds * 1000);
    report(`Copied. The clipboard is cleared after ${seconds} seconds, or at the next use of this page, whatever it holds then.`);
  },

  // Clears what is due, unless the clipboard is known to hold something else. A page may only read it after a
  // permission, which is not asked for here.
  async clear() {
    const held = this.held;
    if (!held?.isDue) return;
    try {
      const permission = await navigator.permissions.query({ name: "clipboard-read" }).catch(() => null);
      const isOther = permission?.state === "granted" && (await navigator.clipboard.readText()) !== held.text;
      if (this.held === held && !isOther) await navigator.clipboard.writeText("");
      // It was cleared by another attempt, or something was copied since.
      if (this.held !== held) return;
      this.held = null;
      const words = isOther ? "holds something else by now and was left alone" : "was cleared";
      held.report(`The clipboard ${words}.`);
    } catch {
      if (this.held !== held) return;
      held.report("The browser does not let this page clear the clipboard yet. Click here or press a key.");
    }
  },

  // Clears it before its time.
  async clearNow() {
    const held = this.held;
    if (!held) return;
    held.isDue = true;
    try {
      await navigator.clipboard.writeText("");
      if (this.held === held) this.held = null;
    } catch {
      // Tried again when the page is used.
    }
  },
};

for (const kind of usesOfPage) addEventListener(kind, () => clipboard.clear());
// What a person copies from the page later is not cleared.
for (const kind of ["copy", "cut"]) {
  addEventListener(kind, () => {
    const field = document.activeElement;
    const isSelected = String(getSelection()) !== "" || field?.selectionStart !== field?.selectionEnd;
    if (clipboard.held?.isDue && isSelected) clipboard.held = null;
  });
}
// The page that ends the program has no script, and this page is there until it comes.
document.addEventListener("submit", (event) => {
  if (!event.target.matches('[action="/lock"]')) return;
  unsaved = null;
  clipboard.clearNow();
});

// A value or a one-time code: fetched when a person asks, shown or copied, and gone after some seconds.

const shownValues = new Set();
const newValues = new Set();

function clearAll() {
  unsaved = null;
  for (const field of newValues) field.value = "";
  for (const value of shownValues) value.cover("");
  clipboard.clearNow();
}

class ShownValue {
  // A code is replaced by the next one for so long after somebody has asked for it, in milliseconds.
  static codeTime = 90_000;

  constructor(card) {
    this.card = card;
    this.output = card.querySelector("output");
    this.covered = this.output.textContent;
    this.status = card.querySelector("[role=status]");
    this.ring = card.querySelector(".ring");
    this.word = card.dataset.reveal;
    this.seconds = Number(card.dataset.seconds);
    this.button = (purpose) => card.querySelector(`[data-${purpose}]`);
    this.report = (text) => say(this.status, text);
    this.button("show").addEventListener("click", () => this.show());
    this.button("copy").addEventListener("click", () => this.copy());
    this.button("hide").addEventListener("click", () => this.cover(`The ${this.word} is hidden.`));
    this.button("qr")?.addEventListener("click", () => this.drawSeed());
    for (const purpose of ["show", "copy", "qr"]) if (this.button(purpose)) this.button(purpose).hidden = false;
    card.addEventListener("submit", (event) => {
      event.preventDefault();
      this.show();
    });
    shownValues.add(this);
  }

  get isShown() {
    return !this.output.classList.contains("covered");
  }

  async fetch(more = {}, headers = {}) {
    const fields = new FormData(this.card);
    for (const [name, value] of Object.entries(more)) fields.append(name, value);
    const answer = await send(this.card.action, fields, headers);
    if (!answer) return null;
    const body = await answer.json().catch(() => ({}));
    for (const field of this.card.querySelectorAll("input[type=password]")) field.value = "";
    if (answer.ok) return body;
    this.report(body.message ?? `The ${this.word} cannot be read. Reload the page.`);
    return null;
  }

  async show() {
    const value = await this.fetch();
    if (!value) return;
    this.asked = Date.now();
    this.uncover(value);
    this.button("hide").focus();
  }

  uncover(value) {
    this.output.classList.remove("covered");
    this.button("show").hidden = true;
    this.button("hide").hidden = false;
    if (this.word === "code") {
      const half = Math.ceil(value.text.length / 2);
      this.output.textContent = `${value.text.slice(0, half)} ${value.text.slice(half)}`;
      return this.count(Number(value.seconds), Number(value.period), () => this.nextCode());
    }
    const symbols = showText(this.output, value.text ?? value.base64);
    const form = value.text === undefined ? "The value is not text and is shown as Base64" : "The value is shown";
    const note = symbols === 0
      ? "" : ` Symbols stand for ${plural(symbols, "character")} that cannot be seen; “Copy value” copies what is stored.`;
    this.report(`${form}.${note} It is hidden again after ${this.seconds} seconds.`);
    this.count(this.seconds, this.seconds, () => this.cover("The value is hidden again."));
  }

  // The background header: nobody has asked for this code, and it does not put the idle lock off.
  async nextCode() {
    const isWanted = Date.now() - this.asked < ShownValue.codeTime;
    const value = isWanted ? await this.fetch({}, { "X-Coffer-Background": "1" }) : null;
    if (value && this.isShown) this.uncover(value);
    else this.cover("");
  }

  async copy() {
    const value = await this.fetch();
    if (value) await clipboard.copy(value.text ?? value.base64, this.seconds, this.report);
  }

  async drawSeed() {
    const body = await this.fetch({ form: "qr" });
    if (body) showDrawing(body.rows.split("\n"));
  }

  count(seconds, whole, finish) {
    clearInterval(this.timer);
    const end = Date.now() + seconds * 1000;
    const draw = () => {
      const left = (end - Date.now()) / 1000;
      this.ring.style.setProperty("--left", `${Math.max(left / whole, 0) * 100}%`);
      if (left > 0) return;
      clearInterval(this.timer);
      finish();
    };
    this.ring.hidden = false;
    this.timer = setInterval(draw, 250);
    draw();
  }

  cover(message) {
    clearInterval(this.timer);
    const hadFocus = document.activeElement === this.button("hide");
    this.ring.hidden = true;
    this.output.textContent = this.covered;
    this.output.classList.add("covered");
    this.button("show").hidden = false;
    this.button("hide").hidden = true;
    if (hadFocus) this.button("show").focus();
    this.report(message);
  }
}

// Shows a QR code, dark on light in both colour schemes, until the dialog is closed.
function showDrawing(rows) {
  const size = rows.length + 8;
  const drawing = document.createElementNS(document.querySelector("svg").namespaceURI, "svg");
  drawing.setAttribute("viewBox", `-4 -4 ${size} ${size}`);
  const path = document.createElementNS(drawing.namespaceURI, "path");
  const dark = rows.flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x} ${y}h1v1h-1z` : "")));
  path.setAttribute("d", dark.join(""));
  drawing.append(path);
  const title = make("h2", "", "Seed of the one-time codes");
  const close = make("button", "", "Close");
  const dialog = make("dialog", "qr", title, drawing, make("p", "hint", "Whoever scans it can compute all codes."), close);
  title.id = "qr-title";
  dialog.setAttribute("aria-labelledby", title.id);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

// A form that is sent without leaving the page, so that what was typed is kept if it cannot be saved.

// The form in which something was entered that is not saved: the browser asks before the page is left.
let unsaved = null;

addEventListener("beforeunload", (event) => {
  if (!unsaved) return;
  event.preventDefault();
  // For browsers of before 2024.
  event.returnValue = true;
});

function keepTyped(form) {
  // As a capturing listener: the event of a dropped file does not bubble. A field without a name is not sent.
  for (const kind of ["input", "change"]) {
    form.addEventListener(kind, (event) => {
      if (event.target.name) unsaved = form;
    }, true);
  }
  form.addEventListener("click", (event) => {
    if (event.target.closest(".actions a") && !event.ctrlKey && !event.metaKey && !event.shiftKey) unsaved = null;
  });
  // A picture that has no seed must not stay in the way of one that is typed then.
  form.elements.seed?.addEventListener("input", () => (form.elements.picture.value = ""));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button[type=submit]");
    button.disabled = true;
    try {
      const answer = await fetch(form.action, {
        method: "POST", cache: "no-store", headers: { "X-Coffer-CSRF": token },
        body: new FormData(form),
      });
      if (answer.redirected) {
        unsaved = null;
        return location.assign(answer.url);
      }
      const page = await pageOf(answer);
      // The vault was locked meanwhile.
      if (!form.isConnected) return;
      if (page.querySelector('form[action="/unlock"]')) return leave();
      if (page.querySelector("form[data-keep]")) showAgain(form, page);
      else explain(form, page.querySelector("h1")?.textContent, page.querySelectorAll("main p:not(.brand, .hint)"));
    } catch {
      if (form.isConnected) explain(form, "Nothing was saved. Check that coffer-inspect is still running.", []);
    } finally {
      button.disabled = false;
    }
  });
}

// Shows the form as the server answered it, with what was entered that no answer contains.
function showAgain(form, page) {
  const sent = new FormData(form);
  const main = page.querySelector("main");
  document.querySelector("main").replaceWith(main);
  start(main);
  unsaved = main.querySelector("form[data-keep]");
  const next = unsaved.elements;
  let isWhole = true;
  for (const name of ["value", "seed", "picture"]) {
    const field = form.elements[name];
    // A stored value that was only loaded is not sent: in the new form, it would replace a newer one.
    if (!field?.value || sent.get(name) === "") continue;
    if (!next[name]) isWhole = false;
    else if (field.type === "file") next[name].files = field.files;
    else next[name].value = field.value;
  }
  if (isWhole) say(main.querySelector("[data-lost]"), "What you have typed is still here.");
  focusNotice();
}

// Shows why a form was not saved, above what was typed.
function explain(form, title, paragraphs) {
  const notice = document.getElementById("notice");
  const words = Array.from(paragraphs, (paragraph) => make("p", "", paragraph.textContent));
  const body = make("div", "", make("strong", "", title ?? "Nothing was saved."), ...words);
  notice.replaceChildren(make("div", "message danger", body));
  focusNotice();
}

function focusNotice() {
  const notice = document.getElementById("notice");
  notice.tabIndex = -1;
  notice.focus();
  notice.scrollIntoView({ block: "nearest" });
}

// A file that is dropped or pasted onto its field.

function startDrop(place) {
  const chooser = place.querySelector("input[type=file]");
  const take = (event, files) => {
    place.classList.remove("over");
    if (!files?.length) return;
    event.preventDefault();
    chooser.files = files;
    chooser.dispatchEvent(new Event("change"));
  };
  place.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => take(event, event.dataTransfer.files));
  place.closest("form").addEventListener("paste", (event) => take(event, event.clipboardData.files));
  newValues.add(chooser);
}

// Keys.

// The link or button that a key chooses: the first one that is shown.
function chosenBy(key) {
  const all = [...document.querySelectorAll(`main [data-key="${CSS.escape(key)}"]`)];
  return all.find((element) => element.offsetParent !== null);
}

function listLinks() {
  return [...document.querySelectorAll("[data-list] a.open")].filter((link) => link.offsetParent !== null);
}

function move(step) {
  const links = listLinks();
  if (links.length === 0) return false;
  const current = links.indexOf(document.activeElement);
  const next = current === -1 ? (step > 0 ? 0 : links.length - 1) : current + step;
  if (next < 0 || next >= links.length) return true;
  links[next].focus();
  links[next].scrollIntoView({ block: "nearest" });
  return true;
}

function isEditing(element) {
  return element instanceof HTMLElement && element.matches("input, textarea, select, [contenteditable]");
}

// An item beside its list: shown without leaving the page, which keeps the list as it is.

const isWide = matchMedia("(min-width: 75rem)");
let shownAddress = location.pathname + location.search;
let lastBeside = 0;

async function showBeside(address, isNew, takesFocus) {
  const request = ++lastBeside;
  const answer = await ask(address, {}).catch(() => null);
  const page = answer?.ok ? await pageOf(answer) : null;
  // Another item was chosen since.
  if (request !== lastBeside) return;
  if (!page?.getElementById("detail") || !document.getElementById("detail")) return location.assign(address);
  if (isNew) history.pushState(null, "", address);
  shownAddress = location.pathname + location.search;
  for (const value of shownValues) value.cover("");
  shownValues.clear();
  document.title = page.title;
  document.querySelector(".crumbs")?.remove();
  document.getElementById("main").prepend(...page.querySelectorAll(".crumbs"));
  document.querySelector(".split").className = page.querySelector(".split").className;
  for (const id of ["list-head", "detail", "notice"]) document.getElementById(id).replaceWith(page.getElementById(id));
  for (const link of document.querySelectorAll(".items a.open")) {
    const isChosen = link.pathname === location.pathname;
    link.closest("tr").classList.toggle("chosen", isChosen);
    if (isChosen) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const detail = document.getElementById("detail");
  start(detail);
  if (takesFocus) detail.focus({ preventScroll: true });
}

addEventListener("popstate", () => {
  lastBeside += 1;
  // Not for a link within the page.
  if (shownAddress === location.pathname + location.search) return;
  if (document.getElementById("detail") && isWide.matches) showBeside(location.href, false, false);
  else location.reload();
});

// What a key does with an item of a list that is not shown: the script looks at the item's page.
async function actOn(link, key) {
  const answer = await ask(link.href, {});
  if (!answer?.ok) return;
  const element = (await pageOf(answer)).querySelector(`#detail [data-key="${CSS.escape(key)}"], main [data-key="${CSS.escape(key)}"]`);
  const form = element?.closest("form");
  if (!element) return announce(key === "o" ? "The item has no one-time codes." : "The item does not have this.");
  if (!form) return location.assign(element.getAttribute("href"));
  if (form.querySelector("input[type=password]")) return location.assign(link.href);
  const found = await send(form.getAttribute("action"), new FormData(form));
  const body = found?.ok ? await found.json() : null;
  if (body) await clipboard.copy(body.text ?? body.base64, Number(form.dataset.seconds), announce);
}

// The list that the page shows.
function listAddress() {
  return document.querySelector("#list-head h2 a")?.href ?? location.pathname + location.search;
}

function escape(event) {
  const field = document.activeElement;
  if (isEditing(field)) {
    if (field.type === "search" && field.value !== "") return false;
    field.blur();
    return true;
  }
  const shown = [...shownValues].filter((value) => value.isShown);
  for (const value of shown) value.cover(`The ${value.word} is hidden.`);
  if (shown.length > 0) return true;
  if (document.querySelector(":popover-open")) return false;
  const back = document.querySelector("[data-back]");
  if (!back) return false;
  const opened = openedEntry();
  if (opened && opened.entry === location.pathname) {
    sessionStorage.setItem("returned", opened.entry);
    location.assign(opened.list);
  } else {
    location.assign(back.dataset.back);
  }
  return true;
}

// The entry that was opened last and the list that it was opened from, so that Esc leads back to the same search. This
// tab forgets them when it is closed, or when the vault is locked.
function openedEntry() {
  try {
    return JSON.parse(sessionStorage.getItem("opened"));
  } catch {
    return null;
  }
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("[data-list] a.open") : null;
  if (!link) return;
  sessionStorage.setItem("opened", JSON.stringify({ list: listAddress(), entry: new URL(link.href).pathname }));
  if (!link.closest(".items") || !isWide.matches || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  // A click by a key has no number.
  showBeside(link.href, true, event.detail === 0);
});

// With the shift key, a box selects all rows from the last one that was selected.
let lastBox = null;

document.addEventListener("click", (event) => {
  const box = event.target instanceof Element ? event.target.closest(".pick input") : null;
  for (const filter of document.querySelectorAll("details.filter[open]")) {
    if (!filter.contains(event.target)) filter.open = false;
  }
  if (!box) return;
  const boxes = [...document.querySelectorAll(".pick input")];
  const ends = [boxes.indexOf(lastBox), boxes.indexOf(box)].sort((one, other) => one - other);
  if (event.shiftKey && ends[0] >= 0) {
    for (const other of boxes.slice(ends[0], ends[1] + 1)) other.checked = box.checked;
  }
  lastBox = box;
  const count = boxes.filter((other) => other.checked).length;
  document.querySelector(".list-bar .selected").dataset.count = `${count} selected`;
});

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-copy-text]") : null;
  if (button) clipboard.copy(button.value, 0, announce);
});

// The keys that lead to a page after "g".
const places = { o: "/", i: "/items", c: "/certificates", k: "/keys", a: "/apps", m: "/machines", s: "/sync" };
let goTime = 0;

// Does what a key stands for, outside of fields. Returns whether it stands for anything.
function press(key) {
  const field = document.getElementById("search");
  const row = document.activeElement?.closest(".items tr");
  const link = row?.querySelector("a.open");
  const isGoing = Date.now() - goTime < 1500;
  goTime = key === "g" ? Date.now() : 0;
  if (isGoing && places[key]) location.assign(places[key]);
  else if (key === "/" && field?.offsetParent) field.select();
  else if (key === "/") openPalette();
  else if (key === "j" || key === "k") return move(key === "j" ? 1 : -1);
  else if (key === "?") document.getElementById("keys")?.showModal();
  else if (key === "x" && row) row.querySelector(".pick input").click();
  else if (key === "Delete" && document.querySelector(".selection :checked")) {
    document.querySelector('.selected [value="delete"]').click();
  } else if (["e", "c", "o", "Delete"].includes(key) && link && !link.hasAttribute("aria-current")) actOn(link, key);
  else if (["n", "e", "c", "o", "v", "Delete"].includes(key)) {
    const element = chosenBy(key);
    element?.click();
    return element !== undefined;
  } else return key === "g";
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
  if (event.key === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) {
    event.preventDefault();
    return openPalette();
  }
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  let isHandled = false;
  if (event.key === "Escape") {
    isHandled = escape(event);
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const isFree = !isEditing(document.activeElement) || document.activeElement.type === "search";
    const isInList = document.activeElement?.matches("[data-list] a.open, #search");
    if (isFree && isInList) isHandled = move(event.key === "ArrowDown" ? 1 : -1);
  } else if (!isEditing(document.activeElement) || document.activeElement.type === "checkbox") {
    isHandled = press(event.key);
  }
  if (isHandled) event.preventDefault();
});

// The progress of a sync.

function followSync(card) {
  const lines = card.querySelector("[data-text]");
  const status = card.querySelector("[role=status]");
  const bar = card.querySelector("progress");
  const phases = card.querySelector(".phases");
  const repetition = card.querySelector("#repetition");
  const [start, cancel] = card.querySelectorAll("form");
  let wasRunning = !cancel.hidden;

  function show(progress) {
    lines.textContent = progress.lines.join("\n");
    lines.parentElement.hidden = progress.lines.length === 0;
    if (status.textContent !== progress.message) say(status, progress.message);
    bar.hidden = !progress.isRunning;
    if (progress.total > 0) {
      bar.max = progress.total;
      bar.value = progress.done;
    } else {
      bar.removeAttribute("value");
    }
    phases.hidden = progress.phases.length === 0;
    for (const phase of progress.phases) {
      const entry = phases.querySelector(`[data-phase="${CSS.escape(phase.name)}"]`);
      if (!entry) continue;
      entry.className = phase.state;
      say(entry.querySelector("[data-words]"), phase.words);
      say(entry.querySelector("[data-state]"), phase.stateWords);
    }
    say(repetition, progress.repetition);
    repetition.hidden = progress.repetition === "";
    start.querySelector("button").disabled = progress.isRunning;
    const hadFocus = cancel.contains(document.activeElement);
    cancel.hidden = !progress.isRunning;
    cancel.querySelector("button").disabled = progress.isCancelled;
    if (hadFocus && cancel.hidden) start.querySelector("button").focus();
  }

  async function look() {
    try {
      // The background header: to look at the progress is not a use that puts the idle lock off.
      const answer = await ask(card.dataset.progress, { headers: { "X-Coffer-Background": "1" } });
      if (!answer) return;
      const progress = await answer.json();
      show(progress);
      if (progress.isRunning) {
        wasRunning = true;
        setTimeout(look, 250);
      } else if (wasRunning) {
        wasRunning = false;
        await showState();
      }
    } catch {
      say(status, "The progress cannot be read. Check that coffer-inspect is still running.");
    }
  }

  // What the rest of the page says is that of before the sync.
  async function showState() {
    const answer = await ask(location.pathname, {});
    if (!answer?.ok) return;
    const page = await pageOf(answer);
    for (const id of ["result", "sync-state"]) {
      const part = page.getElementById(id);
      if (part) document.getElementById(id)?.replaceWith(part);
    }
  }

  start.addEventListener("submit", async (event) => {
    event.preventDefault();
    start.querySelector("button").disabled = true;
    say(status, "Starting the sync.");
    document.getElementById("result")?.replaceChildren();
    if (!(await post(start))) return;
    wasRunning = true;
    look();
  });
  cancel.addEventListener("submit", async (event) => {
    event.preventDefault();
    cancel.querySelector("button").disabled = true;
    const answer = await post(cancel);
    if (answer?.ok) show(await answer.json());
  });
  if (wasRunning) look();
}

// Start.

if (token !== "") setTimeout(watch, watchInterval);

const returned = sessionStorage.getItem("returned");
sessionStorage.removeItem("returned");
if (returned) listLinks().find((link) => link.pathname === returned)?.focus();
start(document);

function start(part) {
  for (const element of part.querySelectorAll("[data-script], [data-copy-text]")) element.hidden = false;
  for (const form of part.querySelectorAll("form[data-search]")) startSearch(form);
  for (const card of part.querySelectorAll("[data-reveal]")) new ShownValue(card);
  for (const card of part.querySelectorAll("[data-progress]")) followSync(card);
  for (const field of part.querySelectorAll("[data-new-value]")) startNewValue(field);
  for (const form of part.querySelectorAll("form[data-keep]")) keepTyped(form);
  for (const place of part.querySelectorAll("[data-drop]")) startDrop(place);
  for (const form of part.querySelectorAll("form[data-transfer]")) startImport(form);
}

document.getElementById("show-keys")?.addEventListener("click", () => document.getElementById("keys")?.showModal());
document.querySelector("#keys form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  document.getElementById("keys").close();
});

// A browser keeps pages that are left, to show them again at "Back": none may keep a value, or outlive the lock.
addEventListener("pagehide", clearAll);
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
