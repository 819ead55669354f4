// The words of the song that plays; those with times follow it.

import { LostError } from "./link.js";
import { View, h, t } from "./ui.js";

export class Lyrics extends View {
  topics = ["player"];
  #file;
  #lines = [];
  #timer = 0;
  #current = -1;

  build() {
    this.list = h("div", { class: "lyrics", tabindex: "0", role: "region", "aria-label": t("lyrics") });
    this.append(this.list);
  }

  update() {
    this.show(this.link.values.player?.song);
    this.#follow();
  }

  hiddenAway() {
    this.stop();
  }

  stop() {
    clearTimeout(this.#timer);
  }

  async show(song) {
    if (song?.file === this.#file) return;
    this.#file = song?.file;
    this.#lines = [];
    this.#current = -1;
    this.list.replaceChildren();
    if (!song) return;
    let lyrics = null;
    try {
      lyrics = await this.link.call("lyrics", { uri: song.file });
    } catch (error) {
      // They are asked for again with the next word of the song.
      if (error instanceof LostError && song.file === this.#file) return (this.#file = undefined);
    }
    if (song.file !== this.#file) return;
    this.#lines = lyrics?.synced ? lyrics.lines : [];
    const texts = lyrics ? lyrics.lines.map(({ line }) => line ?? "") : [t("noLyrics")];
    this.list.replaceChildren(...texts.map((text) => h("p", { dir: "auto" }, text)));
    this.list.classList.toggle("synced", this.#lines.length > 0);
    this.#follow();
  }

  #follow() {
    clearTimeout(this.#timer);
    if (!this.#lines.length) return;
    const { elapsed, values: { player } } = this.link;
    const next = this.#lines.findIndex(({ time }) => time > elapsed + 0.02);
    const current = (next < 0 ? this.#lines.length : next) - 1;
    if (current !== this.#current) {
      this.list.children[this.#current]?.classList.remove("current");
      this.#current = current;
      const line = this.list.children[current];
      line?.classList.add("current");
      const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      line?.scrollIntoView({ block: "center", behavior: isCalm ? "auto" : "smooth" });
    }
    const speed = player?.progress?.speed ?? 0;
    if (next >= 0 && speed > 0) {
      this.#timer = setTimeout(() => this.#follow(), ((this.#lines[next].time - elapsed) / speed) * 1000);
    }
  }
}

customElements.define("segue-lyrics", Lyrics);
