// The songs that are to play.

import { VirtualList } from "./list.js";
import {
  View, choice, cover, duration, h, icon, iconButton, joined, language, pictureOf, setText, sheet, showError,
  songCount, t, titleOf, toast,
} from "./ui.js";
import { mostBytes } from "./link.js";

/** Songs that are asked for at once. */
const songsAtOnce = 100;

class QueueView extends View {
  topics = ["queue", "player", "permissions"];

  build() {
    const { link } = this;
    this.heading = h("h1", {}, t("queue"));
    this.summary = h("p", { class: "muted" });
    this.save = iconButton("save", t("save"), () => this.#save());
    this.clear = iconButton("trash", t("clear"), () => this.#clear());
    this.list = new VirtualList({
      rowHeight: 64,
      key: (place) => link.queue.ids[place],
      placeOf: (id) => link.queue.ids.indexOf(id),
      make: () => this.#makeRow(),
      update: (row, place) => this.#updateRow(row, place),
      seen: (start, end) => this.#fetch(start, end),
      press: (place) => this.#playID(link.queue.ids[place]),
      remove: (place) => this.#remove(link.queue.ids[place]),
      move: (id, to) => this.#move(id, to),
    }, t("queue"));
    this.empty = h("div", { class: "empty" },
      icon("queue"), h("p", {}, t("emptyQueue")), h("p", { class: "muted" }, t("emptyHint")));
    this.append(
      h("header", { class: "bar" }, h("div", {}, this.heading, this.summary), this.save, this.clear),
      this.list, this.empty);
  }

  shown() {
    const { position } = this.link.values.player ?? {};
    if (position && !this.wasShown) this.list.reveal(position - 1);
    this.wasShown = true;
  }

  update() {
    const { link } = this;
    const count = link.queue.ids.length;
    this.empty.hidden = count > 0;
    this.list.hidden = count === 0;
    this.clear.hidden = count === 0 || !link.may("player");
    this.save.hidden = count === 0 || !link.may("control");
    setText(this.summary, count > 0 ? songCount(count) : "");
    this.classList.toggle("fixed", !link.may("player"));
    this.list.count = count;
  }

  // Rows

  #makeRow() {
    const row = h("div", {},
      h("span", { class: "grip", title: t("drag") }, icon("grip")),
      cover(),
      h("button", { type: "button", class: "song", onclick: () => this.#playID(row.entry) },
        h("span", { class: "title", dir: "auto" }), h("span", { class: "muted", dir: "auto" })),
      h("span", { class: "muted time" }),
      iconButton("more", "", () => this.#more(row.entry)));
    row.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      this.#more(row.entry);
    });
    return row;
  }

  #updateRow(row, place) {
    const { link } = this;
    const id = link.queue.ids[place];
    const song = link.queue.songs.get(id);
    row.entry = id;
    const [, picture, button, time, more] = row.children;
    const isCurrent = id === link.values.player?.id;
    row.classList.toggle("current", isCurrent);
    row.setAttribute("aria-current", String(isCurrent));
    const title = song ? titleOf(song) : "…";
    const [adder] = song?.tags?.addedby ?? [];
    const by = adder ? t("addedBy", { name: adder }) : null;
    setText(button.children[0], title);
    setText(button.children[1], joined(song?.artist, song?.album, by));
    setText(time, duration(song?.duration));
    row.setAttribute("aria-label", [title, song?.artist].filter(Boolean).join(", "));
    if (more.title !== title) {
      more.title = title;
      more.setAttribute("aria-label", t("more", { title }));
    }
    picture.show(song ? pictureOf("song", song.file, 96) : null);
  }

  #fetch(start, end) {
    // A little ahead, so that scrolling finds songs rather than places for them.
    const from = Math.max(0, start - 20);
    this.link.fetchSongs(from, Math.min(end + 20, from + songsAtOnce)).then(
      (hasNews) => hasNews && this.list.refresh(),
      () => {},
    );
  }

  // Changes

  #playID(id) {
    if (!this.link.may("player")) return;
    this.link.call("playid", { id }).catch(showError);
  }

  #move(id, to) {
    const { link } = this;
    link.queue.move(id, to, link.call("moveid", { id, to: to + 1 })).catch((error) => {
      this.list.refresh();
      showError(error);
    });
    this.list.refresh();
  }

  #remove(id) {
    const { link } = this;
    if (!link.may("player")) return;
    const place = link.queue.ids.indexOf(id);
    const song = link.queue.songs.get(id);
    const { zone } = link;
    link.call("deleteid", { id }).then(() => {
      if (!song?.file || zone !== link.zone || !link.may("add")) return;
      toast(t("removed", { title: titleOf(song) }), t("undo"), () =>
        link.call("add", { uri: song.file, position: place + 1 }).catch(showError));
    }, showError);
  }

  #more(id) {
    const { link } = this;
    const place = link.queue.ids.indexOf(id);
    const song = link.queue.songs.get(id);
    if (place < 0 || !link.may("player")) return;
    const isCurrent = id === link.values.player?.id;
    const send = (method, params) => link.call(method, params).catch(showError);
    const facts = joined(song?.artist, song?.album, duration(song?.duration));
    sheet(titleOf(song), h("p", { class: "muted", dir: "auto" }, facts), h("div", { class: "choices" },
      choice("play", t("play"), () => this.#playID(id)),
      isCurrent ? null : choice("next", t("playNext"), () => send("moveid", { id, to: "+0" })),
      choice("queue", t("moveTop"), () => send("moveid", { id, to: 1 })),
      choice("trash", t("remove"), () => this.#remove(id))));
  }

  /** Empties the queue, and offers to have it as it was. */
  async #clear() {
    const { link } = this;
    try {
      const state = link.values.player;
      const elapsed = link.elapsed;
      const { zone } = link;
      const songs = await link.call("playlistinfo", undefined, 30_000);
      await link.call("clear");
      if (zone !== link.zone) return;
      const undo = () => this.#restore(songs.map(({ file }) => file), state, elapsed).catch(showError);
      toast(t("cleared", { n: songs.length.toLocaleString(language) }), link.may("add") ? t("undo") : null, undo);
    } catch (error) {
      showError(error);
    }
  }

  async #restore(files, state, elapsed) {
    const { link } = this;
    const { queue_length: others } = await link.call("status");
    for (const part of parts(files)) await link.batch(part.map((uri) => ["add", { uri }]));
    // Songs that somebody has added meanwhile come after them.
    const { queue_length: all } = await link.call("status");
    if (others > 0 && all > others) await link.call("move", { position: 1, count: others, to: all - others + 1 });
    if (state?.position && state.state !== "stopped") {
      await link.call("seek", { position: state.position, time: elapsed });
      if (state.state === "paused") await link.call("pause", { state: true });
    }
    toast(t("undone"));
  }

  #save() {
    const { link } = this;
    const name = h("input", { type: "text", name: "name", required: true, autocomplete: "off", maxlength: "200", dir: "auto" });
    const save = (mode) => link.call("save", { name: name.value.trim(), mode }).then(
      () => toast(t("saved", { name: name.value.trim() })),
      (error) => (error.ack === 56 && !mode ? ask() : showError(error)));
    const ask = () => sheet(t("exists", { name: name.value.trim() }), h("div", { class: "choices" },
      choice("check", t("replace"), () => save("replace")), choice("close", t("cancel"), () => {})));
    const form = h("form", { class: "form", method: "dialog" }, h("label", {}, t("saveName"), name),
      h("button", { class: "wide", type: "submit" }, t("save")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!name.value.trim()) return;
      dialog.close();
      save();
    });
    const dialog = sheet(t("save"), form);
    name.focus();
  }
}

/** Parts of a list of addresses, each of which fits into a message. */
export function parts(files) {
  const parts = [[]];
  let bytes = 0;
  for (const file of files) {
    const length = file.length * 4 + 80;
    if (bytes + length > mostBytes / 2 && parts.at(-1).length > 0) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1).push(file);
    bytes += length;
  }
  return parts;
}

customElements.define("segue-queue", QueueView);
