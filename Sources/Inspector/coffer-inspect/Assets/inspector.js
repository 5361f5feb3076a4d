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

// The session ended or the vault was locked: a page that still shows something must not stay.
function leave() {
  clearPage("Locked", "Loading the page that unlocks the vault.");
  location.replace(location.pathname + location.search);
}

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
function send(address, fields) {
  const headers = { "X-Coffer-CSRF": token, Accept: "application/json" };
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
  let timer;
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
      results.replaceChildren(...fragment.childNodes);
      say(document.getElementById("count-live"), document.getElementById("count")?.textContent ?? "");
      history.replaceState(null, "", address);
    } catch (error) {
      if (error.name === "AbortError") return;
      say(document.getElementById("count-live"), "The search failed. Check that coffer-inspect is still running.");
    } finally {
      if (request === current) results.removeAttribute("aria-busy");
    }
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, 80);
  });
  for (const choice of form.querySelectorAll("select")) choice.addEventListener("change", search);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
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

// A value: fetched when a person asks, shown or copied, and gone after some seconds.

const shownValues = new Set();
const newValues = new Set();

function clearAll() {
  for (const field of newValues) field.value = "";
  for (const value of shownValues) {
    if (value.copied !== null) navigator.clipboard.writeText("").catch(() => {});
    value.copied = null;
    value.cover("");
  }
}

class ShownValue {
  constructor(card) {
    this.card = card;
    this.output = card.querySelector("output");
    this.status = card.querySelector("[role=status]");
    this.bar = card.querySelector("progress");
    this.seconds = Number(card.dataset.seconds);
    this.button = (purpose) => card.querySelector(`[data-${purpose}]`);
    this.button("show").addEventListener("click", () => this.show());
    this.button("copy").addEventListener("click", () => this.copy());
    this.button("hide").addEventListener("click", () => this.cover("The value is hidden."));
    this.copied = null;
    this.card.addEventListener("submit", (event) => {
      event.preventDefault();
      this.show();
    });
    this.button("show").hidden = false;
    this.button("copy").hidden = false;
    shownValues.add(this);
  }

  async fetch() {
    const answer = await post(this.card);
    if (!answer) return null;
    const body = await answer.json().catch(() => ({}));
    for (const field of this.card.querySelectorAll("input[type=password]")) field.value = "";
    if (!answer.ok) {
      say(this.status, body.message ?? "The value cannot be read. Reload the page.");
      return null;
    }
    return body;
  }

  async show() {
    const value = await this.fetch();
    if (!value) return;
    const symbols = showText(this.output, value.text ?? value.base64);
    this.output.classList.remove("covered");
    this.button("show").hidden = true;
    this.button("hide").hidden = false;
    const form = value.text === undefined ? "The value is not text and is shown as Base64" : "The value is shown";
    const note = symbols === 0
      ? "" : ` Symbols stand for ${plural(symbols, "character")} that cannot be seen; “Copy value” copies what is stored.`;
    this.count(
      `${form}.${note} It is hidden again after ${this.seconds} seconds.`,
      // The time of a copy that was made before begins again: its end clears the clipboard too.
      () => (this.copied === null ? this.cover("The value is hidden again.") : this.clearClipboard()));
    this.button("hide").focus();
  }

  async copy() {
    const value = await this.fetch();
    if (!value) return;
    const text = value.text ?? value.base64;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      say(this.status, "The browser does not allow this page to copy. Show the value and copy it by hand.");
      return;
    }
    this.copied = text;
    this.count(
      `Copied. The clipboard is cleared after ${this.seconds} seconds, if the browser allows it and this page is open.`,
      () => this.clearClipboard());
  }

  // Clears the clipboard unless it is known to hold something else. A page may only read it after a permission, which
  // is not asked for here, and may only write to it while it has the focus.
  async clearClipboard() {
    const copied = this.copied;
    this.copied = null;
    this.cover("");
    if (copied === null) return;
    try {
      const permission = await navigator.permissions.query({ name: "clipboard-read" }).catch(() => null);
      if (permission?.state === "granted" && (await navigator.clipboard.readText()) !== copied) {
        say(this.status, "The clipboard holds something else by now and was left alone.");
        return;
      }
      await navigator.clipboard.writeText("");
      say(this.status, "The clipboard was cleared.");
    } catch {
      say(this.status, "The browser did not let this page clear the clipboard. Copy something else over the value.");
    }
  }

  count(message, finish) {
    clearInterval(this.timer);
    say(this.status, message);
    const end = Date.now() + this.seconds * 1000;
    this.bar.hidden = false;
    this.bar.max = this.seconds;
    this.bar.value = this.seconds;
    this.timer = setInterval(() => {
      const left = (end - Date.now()) / 1000;
      this.bar.value = Math.max(left, 0);
      if (left > 0) return;
      clearInterval(this.timer);
      this.bar.hidden = true;
      finish();
    }, 250);
  }

  cover(message) {
    if (this.copied === null) {
      clearInterval(this.timer);
      this.bar.hidden = true;
    }
    const hadFocus = document.activeElement === this.button("hide");
    this.output.textContent = "••••••••••••";
    this.output.classList.add("covered");
    this.button("show").hidden = false;
    this.button("hide").hidden = true;
    if (hadFocus) this.button("show").focus();
    say(this.status, message);
  }
}

// A form that is sent without leaving the page, so that what was typed is kept if it cannot be saved.

function keepTyped(form) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button[type=submit]");
    button.disabled = true;
    try {
      const answer = await fetch(form.action, {
        method: "POST", cache: "no-store", headers: { "X-Coffer-CSRF": token },
        body: new URLSearchParams(new FormData(form)),
      });
      if (answer.redirected) return location.assign(answer.url);
      const page = await pageOf(answer);
      if (page.querySelector('form[action="/unlock"]')) return leave();
      if (page.querySelector("form[data-keep]")) showAgain(form, page);
      else explain(form, page.querySelector("h1")?.textContent, page.querySelectorAll("main p:not(.brand, .hint)"));
    } catch {
      explain(form, "Nothing was saved. Check that coffer-inspect is still running.", []);
    } finally {
      button.disabled = false;
    }
  });
}

// Shows the form as the server answered it, with the value that was typed, which no answer contains.
function showAgain(form, page) {
  const value = form.elements.value?.value ?? "";
  const main = page.querySelector("main");
  for (const part of value === "" ? [] : main.querySelectorAll("[data-lost]")) part.remove();
  document.querySelector("main").replaceWith(main);
  start(main);
  const field = main.querySelector("form[data-keep]").elements.value;
  if (field) field.value = value;
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

// A file with certificates becomes text in PEM.

function startCertificateFile(file) {
  const status = document.getElementById("file-status");
  const text = document.getElementById("pem");
  file.addEventListener("change", async () => {
    const chosen = file.files[0];
    if (!chosen) return;
    if (chosen.size > 1 << 20) return say(status, "This file is too large for certificates.");
    const bytes = new Uint8Array(await chosen.arrayBuffer());
    // DER begins with a sequence; PEM is text.
    const isDER = bytes[0] === 0x30;
    text.value = isDER ? pem(bytes) : new TextDecoder().decode(bytes);
    say(status, `The contents of ${chosen.name} are in the field below.`);
  });
}

function pem(bytes) {
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const lines = base64.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
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

function searchField() {
  const fields = [document.getElementById("search"), document.getElementById("search-all")];
  return fields.find((field) => field && field.offsetParent !== null);
}

function escape(event) {
  const field = document.activeElement;
  if (isEditing(field)) {
    if (field.type === "search" && field.value !== "") return false;
    field.blur();
    return true;
  }
  if ([...shownValues].some((value) => !value.output.classList.contains("covered"))) {
    for (const value of shownValues) value.cover("The value is hidden.");
    return true;
  }
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
  const list = location.pathname + location.search;
  sessionStorage.setItem("opened", JSON.stringify({ list, entry: new URL(link.href).pathname }));
});

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (document.querySelector("dialog[open]")) return;
  let isHandled = false;
  if (event.key === "Escape") {
    isHandled = escape(event);
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const isFree = !isEditing(document.activeElement) || document.activeElement.type === "search";
    const isInList = document.activeElement?.matches("[data-list] a.open, #search");
    if (isFree && isInList) isHandled = move(event.key === "ArrowDown" ? 1 : -1);
  } else if (!isEditing(document.activeElement)) {
    if (event.key === "/") {
      const field = searchField();
      field?.focus();
      field?.select();
      isHandled = field !== undefined;
    } else if (event.key === "j" || event.key === "k") {
      isHandled = move(event.key === "j" ? 1 : -1);
    } else if (event.key === "?") {
      document.getElementById("keys")?.showModal();
      isHandled = true;
    } else if ("necv".includes(event.key)) {
      const element = chosenBy(event.key);
      element?.click();
      isHandled = element !== undefined;
    }
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
  for (const element of part.querySelectorAll("[data-script]")) element.hidden = false;
  for (const form of part.querySelectorAll("form[data-search]")) startSearch(form);
  for (const card of part.querySelectorAll("[data-reveal]")) new ShownValue(card);
  for (const card of part.querySelectorAll("[data-progress]")) followSync(card);
  for (const field of part.querySelectorAll("[data-new-value]")) startNewValue(field);
  for (const form of part.querySelectorAll("form[data-keep]")) keepTyped(form);
  for (const file of part.querySelectorAll("[data-certificate]")) startCertificateFile(file);
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
