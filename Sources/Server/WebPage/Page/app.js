// The frame around the views: which one is shown, the zone, keys, and whether the server is there.

import { Link } from "./link.js";
import {
  View, chooseLanguage, choice, cover, endErrors, endToast, focusHeading, h, icon, iconButton, setButton, setText, sheet,
  showCurrentPicture, showError, t, titleOf, toast,
} from "./ui.js";
import { seek, togglePlay } from "./now.js";

/** Views by the name in the address; all but the first are loaded when they are first shown. */
const views = {
  now: { element: "segue-now", icon: "note" },
  queue: { element: "segue-queue", icon: "queue", load: () => import("./queue.js") },
  library: { element: "segue-library", icon: "disc", load: () => import("./library.js") },
  rooms: { element: "segue-rooms", icon: "room", load: () => import("./rooms.js") },
  house: { element: "segue-house", icon: "house", load: () => import("./house.js") },
  settings: { element: "segue-settings", icon: "gear", load: () => import("./settings.js") },
  pick: { element: "segue-pick", load: () => import("./pick.js") },
};

/** The views that are named at the bottom of a phone; the settings are at its top, and requests show when there are some. */
const mainViews = Object.keys(views).filter((name) => name !== "settings" && name !== "pick");
/** The views that have a key, in the order of these. */
const keyViews = [...mainViews, "settings"];

/** Seconds by which the arrow keys seek, and percent by which the volume changes. */
const seekStep = 10, volumeStep = 5;

/** The zone that this device has chosen last, and its choices of the settings; none is the browser's. */
const zoneKey = "segue.zone", settingKeys = { language: "segue.language", theme: "segue.theme" };

const link = new Link(document.baseURI, read(zoneKey));
View.link = link;

/** A value kept for this device; browsers may keep nothing. */
function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice lasts as long as the page.
  }
}

// Views

const main = document.querySelector("main");
const made = new Map();
let shownName;

async function showView() {
  const [path, query] = location.hash.replace(/^#\//, "").split("?");
  const [name, ...rest] = path.split("/");
  if (name === "join") showInvitation(rest.join("/"));
  const chosen = Object.hasOwn(views, name) ? name : "now";
  document.documentElement.classList.toggle("kiosk", new URLSearchParams(query).has("kiosk"));
  keepAwake();
  if (chosen !== shownName) {
    shownName = chosen;
    try {
      await views[chosen].load?.();
    } catch {
      // The server has another version of the page by now, or is away; then the next press finds it.
      shownName = null;
      return link.status === "open" ? location.reload() : undefined;
    }
    if (chosen !== shownName) return;
    if (!made.has(chosen)) made.set(chosen, document.createElement(views[chosen].element));
    const hadFocus = main.contains(document.activeElement);
    main.replaceChildren(made.get(chosen));
    if (hadFocus) focusHeading();
    main.dataset.view = chosen;
    showAsked();
    for (const tab of document.querySelectorAll("nav a, #settings")) {
      if (tab.hash === `#/${chosen}`) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
  }
  made.get(chosen)?.go?.(rest.join("/"));
}

/** Shows an invitation above the view; its secret stays in the address until it is used or put away. */
async function showInvitation(secret) {
  if (document.querySelector("dialog[open]")) return;
  const { openInvitation } = await import("./join.js");
  openInvitation(link, secret, () => history.replaceState(null, "", "#/now"));
}

/** Opens the library with the cursor in its field. */
async function searchLibrary() {
  location.hash = "#/library";
  await showView();
  made.get("library")?.search();
}

/** Keeps the screen of a kiosk on, where the browser allows that. */
async function keepAwake() {
  const isKiosk = document.documentElement.classList.contains("kiosk");
  if (!isKiosk || !navigator.wakeLock || document.hidden) return;
  await navigator.wakeLock.request("screen").catch(() => {});
}

// Choices of this device

function applySettings() {
  const { dataset } = document.documentElement;
  dataset.chosenLanguage = read(settingKeys.language) ?? "";
  dataset.chosenTheme = read(settingKeys.theme) ?? "";
}

async function changeSetting({ detail: { name, value } }) {
  keep(settingKeys[name], value);
  applySettings();
  if (name !== "language") return;
  await chooseLanguage(preferredLanguages());
  // All views are made anew, in the other words.
  made.clear();
  shownName = undefined;
  buildFrame();
  showRoom();
  showSong();
  await showView();
  document.querySelector("segue-settings select")?.focus();
}

function preferredLanguages() {
  return [document.documentElement.dataset.chosenLanguage, ...navigator.languages].filter(Boolean);
}

// The frame

function buildFrame() {
  const nav = document.querySelector("nav");
  nav.setAttribute("aria-label", "Segue");
  nav.replaceChildren(...mainViews.map((name) =>
    h("a", { href: `#/${name}` }, icon(views[name].icon), h("span", {}, t(name)))));
  document.querySelector("#help").replaceWith(iconButton("keyboard", t("keys"), showHelp, { id: "help" }));
  const attributes = { id: "settings", href: "#/settings", "aria-label": t("settings"), title: t("settings") };
  document.querySelector("#settings").replaceWith(h("a", attributes, icon("gear")));
  document.querySelector("#room").onclick = chooseRoom;
  document.querySelector("#mini").replaceChildren(
    h("a", { href: "#/now", "aria-label": t("now") }, cover(),
      h("span", {}, h("b", { dir: "auto" }), h("span", { class: "muted", dir: "auto" }))),
    iconButton("play", t("play"), () => togglePlay(link)),
    iconButton("next", t("next"), () => link.call("next").catch(showError)));
}

function showRoom() {
  const zones = link.values.zones ?? [];
  const room = document.querySelector("#room");
  const isOne = zones.length < 2;
  setText(room.querySelector("span"), isOne ? "Segue" : link.zone);
  room.disabled = isOne;
  room.setAttribute("aria-label", isOne ? "Segue" : `${t("room")}: ${link.zone}`);
}

/** Shows a zone in all views, from now on and on this device only. */
function enterRoom(zone) {
  // A message offers to take back a change of the zone before.
  endToast();
  link.enter(zone).then(() => {
    endToast();
    keep(zoneKey, zone);
    showRoom();
  }, showError);
}

function chooseRoom() {
  sheet(t("rooms"), h("div", { class: "choices" },
    ...link.values.zones.map(({ zone }) => choice("room", zone, () => enterRoom(zone), zone === link.zone))));
}

let announced;

function showSong() {
  const { player } = link.values;
  const song = player?.song;
  const title = song ? titleOf(song) : "";
  const text = [title, song?.artist].filter(Boolean).join(" – ");
  document.title = text ? `${text} · Segue` : "Segue";
  const mini = document.querySelector("#mini");
  mini.hidden = !song;
  const [target, play, next] = mini.children;
  const [picture, lines] = target.children;
  showCurrentPicture(picture, link, 96);
  setText(lines.children[0], title);
  setText(lines.children[1], song?.artist ?? "");
  const isPlaying = player?.state === "playing";
  setButton(play, isPlaying ? "pause" : "play", t(isPlaying ? "pause" : "play"));
  play.hidden = next.hidden = !link.may("player");
  if (announced !== undefined && announced !== text && isPlaying) setText(document.querySelector("#announcer"), text);
  if (!text) setText(document.querySelector("#announcer"), "");
  announced = text;
}

// The server

function showStatus() {
  const banner = document.querySelector("#banner");
  document.documentElement.dataset.status = link.status;
  banner.hidden = link.status === "open";
  if (link.status === "open") {
    // Before that, nothing is known that could be shown.
    document.documentElement.dataset.known = "";
    endErrors();
    return showForbidden();
  }
  const seconds = Math.max(1, Math.ceil((link.retriesAt - Date.now()) / 1000));
  setText(banner, link.status === "lost" ? t("lost", { n: seconds }) : t("connecting"));
}

/** Says so where the client has no rights: all views would be empty. */
function showForbidden() {
  const isForbidden = link.status === "open" && !link.may("read");
  document.documentElement.classList.toggle("forbidden", isForbidden);
  const place = document.querySelector("#forbidden");
  if (place.hidden !== isForbidden) return;
  const hadFocus = place.contains(document.activeElement);
  place.hidden = !isForbidden;
  place.replaceChildren();
  if (isForbidden) askForSecret(place);
  else if (hadFocus) focusHeading();
}

async function askForSecret(place) {
  place.append(h("h1", {}, t("forbidden")), h("p", { class: "muted" }, t("forbiddenHint")));
  const [{ accessForm }, { signInForm }] = await Promise.all([import("./join.js"), import("./settings.js")]);
  if (place.hidden || place.querySelector("form")) return;
  place.append(accessForm(link), signInForm(link));
  if (document.activeElement === document.body) place.querySelector("input").focus();
}

/** Tells the owner that a client asks for something, wherever the owner looks. */
async function showAsked() {
  const place = document.querySelector("#asked");
  const pick = link.values.picker?.length ? await import("./pick.js").catch(() => null) : null;
  const first = main.dataset.view === "pick" ? null : pick?.firstWaiting(link.values.picker);
  place.hidden = !first;
  if (!first) return place.replaceChildren();
  const address = `#/pick/${first.request}`;
  if (place.querySelector("a")?.hash === address) return;
  place.replaceChildren(h("span", { dir: "auto" }, pick.askText(first)), h("a", { href: address }, t("choose")));
}

/** The client whose requests the server has told, by the number of clients that the page has been. */
let knownClient = null;

/** Tells a guest that its requests are answered, wherever it looks. */
async function showAnswered() {
  const [{ requests }, isNews] = [link.values, knownClient === link.changes];
  knownClient = requests ? link.changes : null;
  if (requests?.length) (await import("./wishes.js").catch(() => null))?.tellEnd(link, isNews);
}

// Keys

function pressed(event) {
  const canRepeat = ["ArrowLeft", "ArrowRight", "+", "-"].includes(event.key);
  if (event.defaultPrevented || (event.repeat && !canRepeat) || event.altKey || event.ctrlKey || event.metaKey) return;
  const { target } = event;
  if (document.querySelector("dialog[open]") || target.closest("input:not([type=range]), textarea, [contenteditable]")) return;
  const isControl = target.closest("button, a, input");
  const { player, mixer } = link.values;
  const setVolume = (change) => {
    const volume = Math.min(Math.max(0, (mixer?.volume ?? 0) + change), 100);
    if (mixer) link.act("setvol", { volume }, "mixer", { volume }).catch(showError);
  };
  const seekBy = (seconds) => player?.song && seek(link, link.elapsed + seconds).catch(showError);
  const actions = {
    " ": () => togglePlay(link), k: () => togglePlay(link),
    ArrowLeft: () => seekBy(-seekStep), ArrowRight: () => seekBy(seekStep),
    "+": () => setVolume(volumeStep), "-": () => setVolume(-volumeStep),
    n: () => link.call("next").catch(showError), p: () => link.call("previous").catch(showError),
    "/": searchLibrary, "?": showHelp,
  };
  keyViews.forEach((name, index) => (actions[index + 1] = () => (location.hash = `#/${name}`)));
  const action = actions[event.key];
  // A button's own keys are its own, and so are a slider's.
  if (!action || (isControl && [" ", "ArrowLeft", "ArrowRight"].includes(event.key))) return;
  const isHarmless = /^[?/0-9]$/.test(event.key);
  if (!isHarmless && !link.may("player")) return;
  event.preventDefault();
  action();
}

function showHelp() {
  const keys = [
    [t("space"), t("keySpace")], ["← →", t("keyArrows")], ["+ −", t("keyPlus")], ["N P", t("keyNext")],
    ["/", t("keySearch")],
    [keyViews.map((_, index) => index + 1).join(" "), t("keyViews")],
  ];
  sheet(t("keys"), h("dl", { class: "keys" }, ...keys.flatMap(([key, text]) =>
    [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)])));
}

// Where the browser takes the address for safe, the page can be installed, and is there while the server is away.

/** Milliseconds after the page is there, so that nothing waits for it. */
const installDelay = 3000;

function offerInstallation() {
  if (!isSecureContext) return;
  document.head.append(h("link", { rel: "manifest", href: new URL("app.webmanifest", import.meta.url).href }));
  const address = new URL("worker.js", import.meta.url).href;
  // The one script that is named by a text: the browser has it come through a policy, which has no other.
  const policy = globalThis.trustedTypes?.createPolicy("segue-worker", { createScriptURL: () => address });
  navigator.serviceWorker?.register(policy?.createScriptURL("") ?? address, { scope: new URL("./", document.baseURI).pathname })
    .catch(() => {});
}

// The beginning

async function start() {
  link.open();
  applySettings();
  await chooseLanguage(preferredLanguages());
  buildFrame();
  link.on(["zones"], showRoom);
  link.on(["player", "artwork", "permissions"], showSong);
  link.on(["permissions"], showForbidden);
  link.on(["picker"], showAsked);
  link.on(["requests"], showAnswered);
  link.addEventListener("status", () => {
    showStatus();
    if (link.status === "open") showRoom();
  });
  link.addEventListener("signedout", () => toast(t("signedOut")));
  addEventListener("hashchange", showView);
  main.addEventListener("setting", changeSetting);
  main.addEventListener("choose", (event) => enterRoom(event.detail));
  addEventListener("keydown", pressed);
  document.addEventListener("visibilitychange", keepAwake);
  showStatus();
  showSong();
  showRoom();
  await showView();
  setTimeout(offerInstallation, installDelay);
}

start();
