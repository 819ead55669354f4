// Picking what a client asks for: pictures and videos in a grid, songs in a list. The client sees only what is chosen.

import { entry, wordButton } from "./cards.js";
import { LostError } from "./link.js";
import { all, mostWords, quoted } from "./shelves.js";
import {
  View, cover, duration, endToast, h, icon, iconButton, joined, language, pictureOf, replaceKeepingFocus, setText, showError,
  t, titleOf, toast,
} from "./ui.js";

const kindsOfPictures = [
  "livePhotos", "motionPhotos", "panoramas", "bursts", "depthEffectPhotos", "animatedImages", "screenshots",
];
const kindsOfVideos = ["slomoVideos", "timelapseVideos", "screenRecordings"];
/** Kinds of which one alone can be shown, by what is asked for. */
const kinds = {
  pictures: kindsOfPictures, videos: kindsOfVideos, media: ["images", "videos", ...kindsOfPictures, ...kindsOfVideos],
};
/** The words for what is asked for, if it is one and if there may be more. */
const sentences = {
  pictures: ["asksPicture", "asksPictures"], videos: ["asksVideo", "asksVideos"], media: ["asksMedium", "asksMedia"],
  songs: ["asksSong", "asksSongs"], library: ["asksLibrarySong", "asksLibrarySongs"],
};
/** How many items are asked for at once. */
const pageSize = 100;
/** How many are chosen by one message, which the server takes whatever their names are. */
const mostAtOnce = 50;
/** Milliseconds after which the loan of a request is renewed: the server ends one that nobody uses for two minutes. */
const renewal = 60_000;
/** Milliseconds for which a press is a long one. */
const longPress = 500;
/** Widths of pictures in the grid, in pixels, and the one at first. */
const widths = [76, 110, 160, 240], usualWidth = 1;
/** The largest side that a picture is asked for with: sharp on screens with small pixels, too. */
const sideOf = (width) => (width > 130 ? 512 : 256);

/** The requests that this page has answered, which the server may tell as open for a moment. */
const answered = new Set();

/** The first of the open requests for which nobody chooses. */
export function firstWaiting(requests) {
  return requests?.find(({ request, state }) => state === "waiting" && !answered.has(request));
}

/** What a client asks for, as a sentence. */
export function askText({ from, kind, limit, purpose }) {
  const [one, several] = sentences[purpose === "extend" ? "library" : kind] ?? sentences.pictures;
  return t(limit === 1 ? one : several, { name: from ?? "?", n: limit.toLocaleString(language) });
}

/** A filter for songs that have all of these words in their tags. */
function wordsFilter(words) {
  return all(...words.split(/\s+/).filter(Boolean).slice(0, 20).map((word) => `any contains_ci ${quoted(word)}`));
}

class PickView extends View {
  topics = ["picker", "permissions"];
  /** The request's name in the address, and the request once it is lent to this page. */
  #id = "";
  #request = null;
  /** The folder of pictures and videos, or the filter of songs, that is shown; empty for all. */
  #place = "";
  /** The kind of pictures and videos that is shown; empty for all. */
  #kind = "";
  /** The items that are shown, and their URIs. */
  #tiles = [];
  #hasMore = false;
  #isLoading = false;
  /** Counts what is shown anew: an answer to an earlier question is dropped. */
  #version = 0;
  /** The URIs that are chosen, in their order. */
  #chosen = [];
  /** The item that was chosen or taken back last: where a range begins. */
  #anchor = null;
  #focused = 0;
  #width = usualWidth;
  #lease = 0;
  #press = { timer: 0, wasLong: false };
  /** Whether an answer is on its way: the server tells that the request is over before it responds. */
  #isEnding = false;

  build() {
    const { link } = this;
    this.heading = h("h1", { dir: "auto" });
    this.promise = h("p", { class: "muted" });
    this.prompt = h("p", { class: "prompt", dir: "auto" });
    this.smaller = iconButton("less", t("smaller"), () => this.#zoom(-1));
    this.larger = iconButton("add", t("larger"), () => this.#zoom(1));
    this.field = h("input", {
      type: "search", class: "search", maxlength: mostWords, placeholder: t("search"), "aria-label": t("search"), dir: "auto",
      onchange: () => this.#search(),
      onkeydown: (event) => event.key === "Enter" && this.#search(),
    });
    this.kinds = h("div", { class: "outputs kinds", role: "group", "aria-label": t("kinds") });
    this.folders = h("div", { class: "outputs", role: "group", "aria-label": t("folders") });
    this.grid = h("div", { class: "picks", role: "listbox", "aria-label": t("choose") });
    this.end = h("div", { class: "end", role: "presentation" });
    this.count = h("p", { role: "status" });
    this.nothing = h("div", { class: "empty" }, icon("disc"), h("p", {}, t("nothingFound")));
    this.give = h("button", { type: "button", class: "wide", onclick: () => this.#finish() }, t("done"));
    this.refuse = wordButton(t("giveNothing"), "refuse", () => this.#cancel());
    this.requests = h("div", { class: "entries" });
    this.choosing = h("div", { class: "choosing" },
      this.prompt, this.field, this.kinds, this.folders, this.grid, this.nothing,
      h("footer", {}, this.count, this.refuse, this.give));
    this.append(h("header", { class: "bar" }, h("div", {}, this.heading, this.promise), this.smaller, this.larger),
      this.choosing, this.requests);
    this.observer = new IntersectionObserver(() => this.#load(), { root: this.grid, rootMargin: "800px" });
    this.grid.addEventListener("click", (event) => this.#clicked(event));
    this.grid.addEventListener("keydown", (event) => this.#key(event));
    this.grid.addEventListener("focusin", ({ target }) => {
      const place = this.#tiles.indexOf(target);
      if (place >= 0) this.#setFocused(place);
    });
    this.grid.addEventListener("pointerdown", (event) => this.#beginPress(event));
    for (const name of ["pointerup", "pointercancel", "scroll"]) {
      this.grid.addEventListener(name, () => clearTimeout(this.#press.timer), { passive: true });
    }
    this.grid.addEventListener("contextmenu", (event) => event.target.closest(".pick") && event.preventDefault());
    link.addEventListener("status", () => {
      // Another server has its own requests of these names.
      answered.clear();
      // The server begins anew with another connection; what was chosen here is chosen again.
      if (link.status === "open" && this.isConnected) this.#open(this.#id, this.#chosen);
      else this.#request = null;
    });
  }

  /** @param {string} id The request's name; empty for a list of all. */
  go(id) {
    if (id === this.#id && this.#request) return;
    this.#release();
    this.#open(id);
  }

  hiddenAway() {
    this.#release();
  }

  update() {
    const open = (this.link.values.picker ?? []).filter(({ request }) => !answered.has(request));
    const mine = open.find(({ request }) => request === this.#id);
    if (this.#request && this.link.status === "open" && !mine && !this.#isEnding) {
      toast(t("asksNoMore", { name: this.#request.from ?? "?" }));
      this.#leave();
    } else if (!this.#id) {
      this.#showRequests(open);
    }
  }

  // Requests

  #showRequests(open) {
    replaceKeepingFocus(this.requests, ...open.map((request) =>
      entry(askText(request), joined(request.prompt, request.filter), [
        wordButton(t("choose"), request.request, () => (location.hash = `#/pick/${request.request}`)),
      ])));
    const text = t(this.link.may("owner") ? "nobodyAsks" : "ownerAnswers");
    if (!open.length) this.requests.append(h("p", { class: "muted" }, text));
  }

  /** @param {string[]} kept What was chosen at a connection that was lost. */
  async #open(id, kept = []) {
    this.#id = id;
    this.#request = null;
    // Nothing that was chosen for another request is chosen for this one.
    this.#chosen = kept;
    this.#version += 1;
    this.#tiles = [];
    this.grid.replaceChildren();
    this.#show();
    if (!id) return this.update();
    const version = this.#version;
    try {
      const [request, selection] = await this.link.batch([
        ["picking.take", { request: id }], ["picking.selection", { request: id }],
      ]);
      if (request instanceof Error) throw request;
      if (version !== this.#version) return void this.#give(id);
      this.#request = request;
      this.#chosen = selection instanceof Error ? [] : selection.map(({ file }) => file);
      if (!this.#chosen.length && kept.length && await this.#send("picking.select", kept)) this.#chosen = kept;
    } catch (error) {
      if (version !== this.#version) return;
      if (!(error instanceof LostError)) {
        showError(error);
        this.#leave();
      }
      return;
    }
    clearInterval(this.#lease);
    this.#lease = setInterval(() => this.link.call("picking.take", { request: id }).catch(() => {}), renewal);
    this.field.value = "";
    this.#kind = "";
    this.#show();
    this.#list("");
  }

  /** Gives a request back, for others to answer. */
  #give(id) {
    this.link.call("picking.release", { request: id }).catch(() => {});
  }

  #release() {
    clearInterval(this.#lease);
    clearTimeout(this.#press.timer);
    this.#version += 1;
    if (this.#request) this.#give(this.#id);
    this.#request = null;
  }

  /** Ends this choice: the next request is shown, if there is one. */
  #leave() {
    clearInterval(this.#lease);
    const next = firstWaiting(this.link.values.picker?.filter(({ request }) => request !== this.#id));
    this.#request = null;
    this.#id = "";
    location.replace(next ? "#/pick" : "#/now");
  }

  get #isOfSongs() {
    return this.#request?.kind === "songs";
  }

  #show() {
    const request = this.#request;
    this.choosing.hidden = !request;
    this.requests.hidden = this.#id !== "";
    this.smaller.hidden = this.larger.hidden = !request || this.#isOfSongs;
    setText(this.heading, request ? askText(request) : this.#id ? "…" : t("requests"));
    const promises = request ? [t(request.purpose === "extend" ? "libraryGets" : "onlyChosen")] : [];
    if (request?.representation === "current") promises.push(t("asStored"));
    setText(this.promise, promises.join(" "));
    setText(this.prompt, request?.prompt ? `“${request.prompt}”` : "");
    this.prompt.hidden = !request?.prompt;
    this.field.hidden = !this.#isOfSongs;
    this.folders.hidden = this.#isOfSongs;
    this.#showKinds();
    this.grid.classList.toggle("songs", this.#isOfSongs);
    this.grid.setAttribute("aria-multiselectable", String(request?.limit !== 1));
    this.give.hidden = request?.limit === 1;
    this.#showChosen();
  }

  #showKinds() {
    const known = kinds[this.#request?.kind] ?? [];
    this.kinds.hidden = known.length === 0;
    replaceKeepingFocus(this.kinds, ...["", ...known].map((kind) => {
      const button = wordButton(t(kind || "allKinds"), kind || "allKinds", () => {
        this.#kind = kind;
        this.#showKinds();
        this.#list(this.#place);
      });
      button.setAttribute("aria-pressed", String(kind === this.#kind));
      return button;
    }));
  }

  // Items

  /** Shows the items of a folder, or those that a filter has. */
  #list(place) {
    this.#version += 1;
    this.#place = place;
    this.#tiles = [];
    this.#anchor = null;
    this.#focused = 0;
    this.#hasMore = true;
    this.#isLoading = false;
    this.grid.replaceChildren(this.end);
    this.nothing.hidden = true;
    if (!this.#isOfSongs) this.#showFolders(place, this.#version);
    this.#load();
  }

  #search() {
    const words = this.field.value.trim().slice(0, mostWords);
    const place = words ? wordsFilter(words) : "";
    if (this.#request && place !== this.#place) this.#list(place);
  }

  async #showFolders(place, version) {
    let names = [];
    try {
      const entries = await this.link.call("lsinfo", { uri: place });
      names = entries.map(({ directory }) => directory).filter(Boolean);
    } catch {
      // The pictures are there without them.
    }
    if (version !== this.#version) return;
    const above = place.split("/").slice(0, -1).join("/");
    replaceKeepingFocus(this.folders,
      ...(place ? [wordButton(t("back"), "above", () => this.#list(above)), h("b", { dir: "auto" }, place)] : []),
      ...names.map((uri) => wordButton(uri.split("/").at(-1), uri, () => this.#list(uri))));
  }

  async #load() {
    if (!this.#request || !this.#hasMore || this.#isLoading) return;
    const version = this.#version;
    this.#isLoading = true;
    let items;
    try {
      items = await this.link.call("picking.items", {
        request: this.#id, uri: this.#isOfSongs ? this.#place || undefined : this.#place ? `${this.#place}/` : undefined,
        filter: this.#kind || undefined, offset: this.#tiles.length, limit: pageSize,
      });
    } catch (error) {
      if (version !== this.#version) return;
      this.#isLoading = false;
      this.#hasMore = false;
      if (!(error instanceof LostError)) showError(error);
      return;
    }
    if (version !== this.#version) return;
    this.#isLoading = false;
    this.#hasMore = items.length === pageSize;
    const tiles = items.map((item) => this.#makeTile(item));
    this.#tiles.push(...tiles);
    this.end.before(...tiles);
    this.nothing.hidden = this.#tiles.length > 0;
    this.#setFocused(this.#focused);
    this.#showChosen();
    // It is told of the end again only where that comes into view anew.
    this.observer.disconnect();
    if (this.#hasMore) this.observer.observe(this.end);
  }

  #makeTile(item) {
    const isSong = this.#isOfSongs;
    const name = isSong ? titleOf(item) : item.file;
    const isVideo = item.kind === "video";
    const length = duration(item.duration);
    const tile = h("button", {
      type: "button", class: "pick", role: "option", "aria-selected": "false", tabindex: "-1",
      "aria-label": joined(name, ...(isSong ? [item.artist, item.album] : isVideo ? [t("video"), length] : [])),
      title: isSong ? null : name,
    });
    tile.uri = item.file;
    tile.append(cover(pictureOf(isSong ? "song" : "file", item.file, isSong ? 96 : sideOf(widths[this.#width]))), h("span", { class: "badge" }));
    if (isVideo) tile.append(h("span", { class: "length" }, icon("play"), length));
    if (isSong) {
      tile.append(
        h("span", { class: "lines" }, h("span", { class: "title", dir: "auto" }, name),
          h("span", { class: "muted", dir: "auto" }, joined(item.artist, item.album))),
        h("span", { class: "muted time" }, length));
    }
    return tile;
  }

  #zoom(step) {
    this.#width = Math.min(Math.max(0, this.#width + step), widths.length - 1);
    this.style.setProperty("--pick", `${widths[this.#width]}px`);
    this.smaller.disabled = this.#width === 0;
    this.larger.disabled = this.#width === widths.length - 1;
    for (const tile of this.#tiles) tile.firstChild.show(pictureOf("file", tile.uri, sideOf(widths[this.#width])));
    this.#tiles[this.#focused]?.scrollIntoView({ block: "nearest" });
  }

  // Choosing

  #showChosen() {
    const request = this.#request;
    const places = new Map(this.#chosen.map((uri, index) => [uri, index + 1]));
    for (const tile of this.#tiles) {
      const text = String(places.get(tile.uri) ?? "");
      const badge = tile.children[1];
      if (badge.textContent === text) continue;
      badge.textContent = text;
      tile.setAttribute("aria-selected", String(text !== ""));
    }
    setText(this.count, request && request.limit !== 1 ? t("chosenOf", {
      n: places.size.toLocaleString(language), most: request.limit.toLocaleString(language),
    }) : "");
    // All that was chosen before may be taken back, and may be too much.
    this.give.disabled = !request || places.size > request.limit || (places.size === 0 && !request.preselected);
  }

  /** A long press chooses a range, as a click with Shift does. */
  #beginPress(event) {
    const tile = event.target.closest(".pick");
    clearTimeout(this.#press.timer);
    this.#press = { wasLong: false, timer: 0 };
    if (!tile || event.button > 0) return;
    this.#press.timer = setTimeout(() => {
      this.#press.wasLong = true;
      if (this.#request) this.#choose(tile, true);
    }, longPress);
  }

  #clicked(event) {
    const tile = event.target.closest(".pick");
    clearTimeout(this.#press.timer);
    const { wasLong } = this.#press;
    this.#press.wasLong = false;
    // A browser may tell the end of a long press as a click.
    if (tile && this.#request && !wasLong) this.#choose(tile, event.shiftKey);
  }

  /** Chooses an item, takes it back, or chooses all from the one before to it. */
  async #choose(tile, isRange) {
    const { limit } = this.#request;
    endToast();
    if (limit === 1) {
      this.#chosen = [tile.uri];
      this.#showChosen();
      return this.#send("picking.select", [tile.uri]).then((isDone) => isDone && this.#finish());
    }
    const [from, to] = [this.#tiles.indexOf(this.#anchor), this.#tiles.indexOf(tile)];
    this.#anchor = tile;
    if ((!isRange || from < 0) && this.#chosen.includes(tile.uri)) {
      this.#chosen = this.#chosen.filter((uri) => uri !== tile.uri);
      this.#showChosen();
      return this.#send("picking.deselect", [tile.uri]);
    }
    const range = isRange && from >= 0 ? this.#tiles.slice(Math.min(from, to), Math.max(from, to) + 1) : [tile];
    const uris = range.map(({ uri }) => uri).filter((uri) => !this.#chosen.includes(uri));
    if (this.#chosen.length + uris.length > limit) return toast(t("tooMany", { n: limit.toLocaleString(language) }));
    this.#chosen = [...this.#chosen, ...uris];
    this.#showChosen();
    return this.#send("picking.select", uris);
  }

  /** Tells the server what is chosen, or not any more; what it refuses is shown as it has it. */
  async #send(method, uris) {
    const id = this.#id;
    try {
      for (let start = 0; start < uris.length; start += mostAtOnce) {
        await this.link.call(method, { request: id, uris: uris.slice(start, start + mostAtOnce) });
      }
      return true;
    } catch (error) {
      showError(error);
      const selection = await this.link.call("picking.selection", { request: id }).catch(() => []);
      if (id !== this.#id) return false;
      this.#chosen = selection.map(({ file }) => file);
      this.#showChosen();
      return false;
    }
  }

  async #finish() {
    const [request, count] = [this.#request, this.#chosen.length];
    if (!(await this.#end("picking.finish"))) return;
    toast(t(request.purpose === "extend" ? "nowSees" : "given", { name: request.from ?? "?", n: count }));
  }

  #cancel() {
    return this.#end("picking.cancel");
  }

  /** Answers the request, which is over then, and is not given back. */
  async #end(method) {
    if (this.#isEnding) return false;
    this.#isEnding = true;
    this.give.disabled = this.refuse.disabled = true;
    try {
      await this.link.call(method, { request: this.#id });
      answered.add(this.#id);
      this.#leave();
      return true;
    } catch (error) {
      showError(error);
      return false;
    } finally {
      this.#isEnding = false;
      this.refuse.disabled = false;
      this.#showChosen();
    }
  }

  // Keys

  /** One item alone is reached by Tab; the arrows lead to the others. */
  #setFocused(place) {
    const [before, now] = [this.#tiles[this.#focused], this.#tiles[place]];
    if (before) before.tabIndex = -1;
    if (now) now.tabIndex = 0;
    this.#focused = place;
  }

  get #columns() {
    return getComputedStyle(this.grid).gridTemplateColumns.split(" ").length;
  }

  #key(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.#columns, ArrowDown: this.#columns };
    const last = this.#tiles.length - 1;
    const place = event.key === "Home" ? 0 : event.key === "End" ? last : this.#focused + (steps[event.key] ?? NaN);
    if (!(place >= 0 && place <= last)) return;
    event.preventDefault();
    this.#tiles[place].focus();
    this.#tiles[place].scrollIntoView({ block: "nearest" });
  }
}

customElements.define("segue-pick", PickView);
