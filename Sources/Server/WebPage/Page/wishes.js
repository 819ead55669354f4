// The songs that a guest asks for who sees a part of the library: the owner picks them, and the guest sees them from then on.

import { card, entry, field, formSheet, wordButton } from "./cards.js";
import { add, songItem } from "./shelves.js";
import { h, iconButton, joined, language, replaceKeepingFocus, sheet, showError, t, toast } from "./ui.js";

/** The longest words to the owner, in bytes, and how many requests may be open. */
const mostBytes = 200, mostOpen = 4;
/** How many songs one request can have, and how many the form has at first. */
const mostSongs = 1000, usualSongs = 5;

const stateTexts = {
  waiting: "wishWaiting", choosing: "wishChoosing", done: "wishDone", cancelled: "wishCancelled", expired: "wishExpired",
};

const isOpen = (state) => state === "waiting" || state === "choosing";

/** The client's requests for its library, which outlive the connection, so that a phone can be put away meanwhile. */
const wishes = (link) => (link.values.requests ?? []).filter(({ lasting }) => lasting);

/** Shows the client's requests, and lets it make another one. */
export function showWishes(place, link) {
  replaceKeepingFocus(place,
    card(t("moreSongs"), [wordButton(t("askForMore"), "ask", () => openForm(link))],
      h("p", { class: "muted" }, t("partHint")), ...wishes(link).map((request) => row(link, request))));
}

function row(link, { request, state, prompt, limit }) {
  const songs = t(limit === 1 ? "wishOne" : "wishSeveral", { n: limit.toLocaleString(language) });
  const title = prompt || songs;
  const button = (word, action, onclick) => {
    const element = wordButton(t(word), `${request} ${action}`, onclick);
    element.setAttribute("aria-label", `${t(word)}: ${title}`);
    return element;
  };
  const withdraw = () => link.call("picker.withdraw", { request }).catch(showError);
  const buttons = [button(isOpen(state) ? "takeBack" : "dismiss", "end", withdraw)];
  if (state === "done") buttons.unshift(button("show", "show", () => showSongs(link, request)));
  return entry(title, joined(t(stateTexts[state]), prompt ? songs : null), buttons);
}

function openForm(link) {
  if (wishes(link).filter(({ state }) => isOpen(state)).length >= mostOpen) return toast(t("wishMost", { n: mostOpen }));
  const prompt = h("input", {
    type: "text", autocomplete: "off", autofocus: true, dir: "auto", "data-key": "prompt",
    oninput: () => {
      const isTooLong = new TextEncoder().encode(prompt.value.trim()).length > mostBytes;
      prompt.setCustomValidity(isTooLong ? t("tooLong") : "");
    },
  });
  const limit = h("input", {
    type: "number", min: 1, max: mostSongs, required: true, inputmode: "numeric", value: usualSongs, "data-key": "limit",
  });
  formSheet(t("askForMore"), [field(t("wishWords"), prompt), field(t("wishLimit"), limit)], t("ask"), async () => {
    const params = { kind: "songs", purpose: "extend", lasting: true, limit: limit.valueAsNumber, prompt: prompt.value.trim() };
    await link.call("picker.open", params);
  });
}

async function showSongs(link, request) {
  try {
    const songs = await link.call("picker.items", { request });
    sheet(t("newSongs"), ...songs.map((song) => {
      const item = songItem(song);
      const label = `${t("add")}: ${item.title}`;
      const addSong = () => add(link, item).then(() => toast(t("added", { title: item.title })), showError);
      return entry(item.title, item.detail, link.may("add") ? [iconButton("add", label, addSong)] : []);
    }));
  } catch (error) {
    showError(error);
  }
}

/** The states of requests, as they were told last. */
let known = new Map();

/**
 * Says that a request is over, whatever the guest looks at.
 * @param {boolean} isNews Whether requests were told before: those that were over by then are none.
 */
export function tellEnd(link, isNews) {
  const requests = wishes(link);
  const wasOpen = (request) => (known.has(request) ? isOpen(known.get(request)) : isNews);
  const ended = requests.filter(({ request, state }) => wasOpen(request) && !isOpen(state));
  known = new Map(requests.map(({ request, state }) => [request, state]));
  if (!ended.length) return;
  const text = ended.map(({ prompt, state }) => [prompt, t(stateTexts[state])].filter(Boolean).join(": ")).join(" · ");
  const done = ended.find(({ state }) => state === "done");
  if (done) toast(text, t("show"), () => showSongs(link, done.request));
  else toast(text);
}
