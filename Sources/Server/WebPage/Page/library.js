// The library: shelves to look through, and a field to search in.

import { VirtualList } from "./list.js";
import { add, mostWords, open, play, search, shelves, summaryOf } from "./shelves.js";
import { LostError } from "./link.js";
import { View, choice, cover, h, icon, iconButton, setText, sheet, showError, t, toast } from "./ui.js";

/** Shelves that are kept, with their places, for the way back. */
const mostKept = 6;
/** Milliseconds without a letter, after which a search is completed. */
const typingPause = 150;

const icons = {
  song: "note", album: "disc", artist: "person", genre: "tag", playlist: "queue", folder: "folder", address: "radio",
};

class LibraryView extends View {
  topics = ["permissions", "playlists", "library", "requests"];
  #path = "";
  #shelf = null;
  #kept = new Map();
  #revision;
  #canWish = false;
  /** Whether what is kept may be another library's by now. */
  #isStale = false;
  /** The words to search for, and those whose songs are shown. */
  #search = { words: "", found: "", isRunning: false, pause: 0 };

  build() {
    const { link } = this;
    this.field = h("input", {
      type: "search", class: "search", maxlength: mostWords, placeholder: t("searchHint"), "aria-label": t("search"),
      dir: "auto",
      oninput: () => this.#type(),
    });
    this.back = iconButton("back", t("back"), () => history.back());
    this.heading = h("h1", { dir: "auto" });
    this.summary = h("p", { class: "muted" });
    this.playAll = iconButton("play", t("play"), () => this.#play(this.#shelf.item));
    this.addAll = iconButton("add", t("add"), () => this.#add(this.#shelf.item));
    this.wishes = h("div", { class: "wishes", hidden: true });
    this.shelves = h("div", { class: "shelves" }, ...Object.entries(shelves).map(([name, symbol]) =>
      h("a", { class: "choice", href: `#/library/${name}` }, icon(symbol), t(name))), this.wishes);
    this.list = new VirtualList({
      rowHeight: 64,
      key: (place) => place,
      make: () => this.#makeRow(),
      update: (row, place) => this.#updateRow(row, this.#shelf?.at(place)),
      seen: (start, end) => this.#fetch(start, end),
      press: (place) => this.#press(this.#shelf?.at(place)),
    }, t("library"));
    this.nothing = h("div", { class: "empty" }, icon("disc"), h("p", {}, t("nothingFound")));
    this.append(
      h("header", { class: "bar" }, this.back, h("div", {}, this.heading, this.summary), this.playAll, this.addAll),
      this.field, this.shelves, this.list, this.nothing);
    this.addEventListener("contextmenu", (event) => {
      const item = event.target.closest?.(".row")?.item;
      if (!item) return;
      event.preventDefault();
      this.#more(item);
    });
    // A server that comes back may have another library.
    link.addEventListener("status", () => link.status === "open" && this.#forget());
  }

  update(topic) {
    const { link } = this;
    if (!topic || topic === "requests" || topic === "library") this.#showWishes();
    if (topic === "requests") return;
    this.classList.toggle("fixed", !link.may("add"));
    const { revision } = link.values.library ?? {};
    // A connection that is made anew has the shelf asked for when it is there.
    const hasOtherSongs = topic === "library" && link.status === "open" && revision !== this.#revision;
    const isNews = hasOtherSongs || (topic === "playlists" && this.#path.startsWith("playlist"));
    this.#revision = revision;
    if (isNews) this.#forget();
    else this.#show();
  }

  /** Lets a guest who sees a part of the library ask for more of it. */
  async #showWishes() {
    const { link } = this;
    const module = link.values.library?.limited ? await import("./wishes.js").catch(() => null) : null;
    module?.showWishes(this.wishes, link);
    this.#canWish = module !== null;
    this.#show();
  }

  /** Asks anew for what is shown. */
  #forget() {
    this.#kept.clear();
    if (!this.isConnected) return (this.#isStale = true);
    this.go(this.#path, this.list.scrollTop);
  }

  shown() {
    if (this.#isStale) this.#forget();
    this.#isStale = false;
  }

  /**
   * Opens a shelf, or the room with all of them where the path is empty.
   * @param {number} top Where the list is scrolled to.
   */
  async go(path, top = 0) {
    if (this.#shelf && path !== this.#path) {
      this.#kept.delete(this.#path);
      this.#kept.set(this.#path, { shelf: this.#shelf, top: this.list.scrollTop, words: this.#search.found });
      if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value);
    }
    const isSame = path === this.#path;
    this.#path = path;
    const kept = this.#kept.get(path);
    // The field may have other words by now than those that were searched for.
    const isWanted = path !== "" || kept?.words === this.#words;
    if (kept && isWanted) return this.#take(kept.shelf, kept.top);
    // A shelf that is asked for anew stays until it has come.
    if (!isSame || !path) this.#take(null);
    if (!path) return this.#type();
    try {
      const shelf = await open(this.link, path);
      if (path === this.#path) this.#take(shelf, top);
    } catch (error) {
      // It is opened when the server is back.
      if (error instanceof LostError || path !== this.#path) return;
      this.#take(null);
      setText(this.heading, t("nothingFound"));
      showError(error);
    }
  }

  /** Puts the cursor into the field. */
  search() {
    this.field.focus();
    this.field.select();
  }

  #take(shelf, top = 0) {
    this.#shelf = shelf;
    this.#show();
    this.list.count = shelf?.count ?? 0;
    this.list.scrollTop = top;
  }

  #show() {
    const { link } = this;
    const isRoom = this.#path === "";
    const isSearch = isRoom && this.#search.words !== "";
    const item = this.#shelf?.item;
    this.back.hidden = isRoom;
    this.field.hidden = !isRoom;
    this.shelves.hidden = !isRoom || isSearch;
    this.wishes.hidden = !this.#canWish;
    this.list.hidden = !this.#shelf?.count;
    this.nothing.hidden = !this.#shelf || this.#shelf.count > 0;
    this.playAll.hidden = !item || !link.may("add") || !link.may("player");
    this.addAll.hidden = !item || !link.may("add");
    setText(this.heading, isRoom ? t("library") : this.#shelf?.title ?? "…");
    setText(this.summary, this.#shelf && !isRoom ? summaryOf(this.#shelf) : "");
  }

  // Searching

  /** The words in the field. */
  get #words() {
    return this.field.value.trim().slice(0, mostWords);
  }

  /** Searches for what is in the field; while one search runs, only the latest words are kept. */
  async #type() {
    this.#search.words = this.#words;
    clearTimeout(this.#search.pause);
    if (this.#search.isRunning) return;
    this.#search.isRunning = true;
    let words = null;
    while (words !== this.#search.words && this.#path === "") {
      words = this.#search.words;
      try {
        const shelf = words ? await search(this.link, words) : null;
        if (words !== this.#search.words || this.#path !== "") continue;
        this.#search.found = words;
        this.#take(shelf);
      } catch (error) {
        if (!(error instanceof LostError)) showError(error);
      }
    }
    this.#search.isRunning = false;
    // The next letter does not wait for what is only looked at when nobody types.
    const shelf = this.#shelf;
    if (shelf?.complete) this.#search.pause = setTimeout(() => this.#complete(shelf), typingPause);
  }

  /** Shows how many songs a search has found in all, and artists and albums before them. */
  async #complete(shelf) {
    const { complete } = shelf;
    shelf.complete = null;
    try {
      await complete();
    } catch (error) {
      if (!(error instanceof LostError)) showError(error);
    }
    if (shelf === this.#shelf) this.#take(shelf, this.list.scrollTop);
  }

  // Rows

  #makeRow() {
    const row = h("div", { class: "item" },
      cover(),
      h("button", { type: "button", class: "song", onclick: () => this.#press(row.item) },
        h("span", { class: "title", dir: "auto" }), h("span", { class: "muted", dir: "auto" })),
      h("span", { class: "muted time" }),
      iconButton("add", t("add"), () => this.#add(row.item)),
      iconButton("more", "", () => this.#more(row.item)));
    return row;
  }

  #updateRow(row, item) {
    row.item = item;
    const [picture, button, time, addButton, more] = row.children;
    setText(button.children[0], item?.title ?? "…");
    setText(button.children[1], item?.detail ?? "");
    setText(time, item?.time ?? "");
    const name = item?.title ?? "";
    if (more.title !== name) {
      more.title = name;
      more.setAttribute("aria-label", t("more", { title: name }));
      addButton.setAttribute("aria-label", `${t("add")}: ${name}`);
      row.setAttribute("aria-label", [name, item?.detail].filter(Boolean).join(", "));
    }
    if (item && row.dataset.kind !== item.kind) {
      row.dataset.kind = item.kind;
      picture.firstChild.replaceWith(icon(icons[item.kind]));
    }
    picture.show(item?.picture ?? null);
  }

  #fetch(start, end) {
    const shelf = this.#shelf;
    shelf?.fetch(start, end).then((hasNews) => hasNews && shelf === this.#shelf && this.list.refresh(), () => {});
  }

  // Actions

  #press(item) {
    if (item?.path) location.hash = `#/library/${item.path}`;
    else if (item) this.#play(item);
  }

  #play(item) {
    const { link } = this;
    if (!link.may("add")) return;
    if (!link.may("player")) return this.#add(item);
    play(link, item).catch(showError);
  }

  #add(item, isNext = false) {
    add(this.link, item, isNext).then(() => toast(t("added", { title: item.title })), showError);
  }

  #more(item) {
    const { link } = this;
    if (!item || !link.may("add")) return;
    const { song } = item;
    const artist = song?.tags?.albumartist?.[0] ?? song?.tags?.artist?.[0];
    const visit = (path) => (location.hash = `#/library/${path}`);
    sheet(item.title, item.detail ? h("p", { class: "muted", dir: "auto" }, item.detail) : null, h("div", { class: "choices" },
      link.may("player") ? choice("play", t("play"), () => this.#play(item)) : null,
      choice("next", t("playNext"), () => this.#add(item, true)),
      choice("add", t("add"), () => this.#add(item)),
      song?.album && artist ? choice("disc", t("toAlbum"), () =>
        visit(`album/${encodeURIComponent(song.album)}/${encodeURIComponent(artist)}`)) : null,
      artist ? choice("person", t("toArtist"), () => visit(`artist/${encodeURIComponent(artist)}`)) : null));
  }
}

customElements.define("segue-library", LibraryView);
