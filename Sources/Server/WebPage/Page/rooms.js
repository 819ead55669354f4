// All zones: what each plays, how loud, and where it is heard.

import { causesOf } from "./now.js";
import { View, cover, h, icon, iconButton, setButton, setSlider, setText, showError, slider, t, titleOf } from "./ui.js";

/** Milliseconds. */
const retryDelay = 5000;

const topics = ["player", "mixer", "outputs", "why", "permissions"];

class RoomsView extends View {
  topics = ["zones", "player"];
  #cards = new Map();
  #values = new Map();
  #events = null;

  build() {
    this.heading = h("h1", {}, t("rooms"));
    this.cards = h("div", { class: "cards" });
    this.append(h("header", { class: "bar" }, h("div", {}, this.heading)), this.cards);
    this.link.addEventListener("status", () => {
      if (this.isConnected && this.link.status === "open") this.#watch();
    });
  }

  shown() {
    this.#watch();
  }

  hiddenAway() {
    this.#events?.close();
    this.#events = null;
  }

  /** Follows all zones, as long as they are shown: the page's own connection follows one. */
  #watch() {
    this.#events?.close();
    const events = new EventSource(`api/events?topics=${topics}&zones=all`);
    this.#events = events;
    events.addEventListener("snapshot", (event) => {
      this.#values.clear();
      for (const item of JSON.parse(event.data).values) this.#take(item);
      this.update();
    });
    events.addEventListener("error", () => {
      // The browser tries again by itself, unless the server has refused it.
      if (events.readyState !== EventSource.CLOSED || events !== this.#events) return;
      setTimeout(() => events === this.#events && this.#watch(), retryDelay);
    });
    events.addEventListener("changed", (event) => {
      const item = JSON.parse(event.data);
      this.#take(item);
      this.#show(item.zone);
    });
  }

  #take({ topic, zone, value }) {
    this.#values.set(zone, { ...this.#values.get(zone), [topic]: value });
  }

  update() {
    const zones = (this.link.values.zones ?? []).map(({ zone }) => zone);
    for (const [zone, card] of this.#cards) {
      if (zones.includes(zone)) continue;
      card.remove();
      this.#cards.delete(zone);
    }
    for (const zone of zones) {
      if (!this.#cards.has(zone)) this.#cards.set(zone, this.#makeCard(zone));
      this.#show(zone);
    }
    this.cards.append(...zones.map((zone) => this.#cards.get(zone)).filter((card) => !card.isConnected));
  }

  // Cards

  #makeCard(zone) {
    const send = (method, params) => this.#send(zone, method, params);
    const volume = slider(`${t("volume")}: ${zone}`, { min: 0, max: 100 });
    const wishes = { volume: null, isSent: false };
    volume.addEventListener("input", async () => {
      wishes.volume = Number(volume.value);
      if (wishes.isSent) return;
      wishes.isSent = true;
      while (wishes.volume !== null) {
        const wanted = wishes.volume;
        wishes.volume = null;
        await send("setvol", { volume: wanted });
      }
      wishes.isSent = false;
      this.#show(zone);
    });
    volume.addEventListener("release", () => this.#show(zone));
    const parts = {
      wishes, volume,
      picture: cover(),
      title: h("p", { class: "title", dir: "auto" }), artist: h("p", { class: "muted", dir: "auto" }),
      play: iconButton("play", `${t("play")}: ${zone}`, () => {
        const isPlaying = this.#values.get(zone)?.player?.state === "playing";
        send(isPlaying ? "pause" : "play", isPlaying ? { state: true } : undefined);
      }),
      why: h("p", { class: "why muted", dir: "auto" }),
      row: h("div", { class: "volume" }, icon("volume"), volume),
      outputs: h("div", { class: "outputs", role: "group", "aria-label": `${t("outputs")}: ${zone}` }),
      enter: h("button", { type: "button", class: "plain", onclick: () => this.#enter(zone) }, t("choose")),
      move: h("button", { type: "button", class: "plain", onclick: () => this.#moveTo(zone) }, t("moveHere")),
    };
    const card = h("section", { class: "card", "aria-label": zone },
      h("header", {}, h("h2", { dir: "auto" }, zone), parts.enter),
      h("div", { class: "playing" }, parts.picture, h("div", {}, parts.title, parts.artist), parts.play),
      parts.why, parts.row, parts.outputs, parts.move);
    return Object.assign(card, { parts });
  }

  #show(zone) {
    const parts = this.#cards.get(zone)?.parts;
    if (!parts) return;
    const { player, mixer, outputs, why, permissions } = this.#values.get(zone) ?? {};
    const { link } = this;
    const may = (right) => permissions?.includes(right) ?? false;
    const song = player?.song;
    setText(parts.title, song ? titleOf(song) : t("nothing"));
    setText(parts.artist, song?.artist ?? "");
    parts.picture.show(song ? `art/current?zone=${encodeURIComponent(zone)}&size=96&of=${player.id}` : null);
    const causes = causesOf(why).join(" · ");
    setText(parts.why, causes);
    parts.why.hidden = !causes;
    const isPlaying = player?.state === "playing";
    setButton(parts.play, isPlaying ? "pause" : "play", `${t(isPlaying ? "pause" : "play")}: ${zone}`);
    parts.play.hidden = !may("player");
    parts.row.hidden = mixer?.volume === undefined || !may("player");
    if (mixer?.volume !== undefined && !parts.wishes.isSent) setSlider(parts.volume, mixer.volume);
    const isChosen = zone === link.zone;
    setText(parts.enter, isChosen ? t("chosen") : t("choose"));
    parts.enter.setAttribute("aria-pressed", String(isChosen));
    parts.enter.disabled = isChosen;
    parts.move.hidden = isChosen || !may("outputs") || !link.may("outputs") || link.values.player?.state !== "playing";
    this.#showOutputs(zone, parts.outputs, outputs ?? [], may("outputs"));
  }

  #showOutputs(zone, place, outputs, mayChange) {
    while (place.children.length > outputs.length) place.lastChild.remove();
    outputs.forEach(({ output, name, enabled }, index) => {
      let button = place.children[index];
      if (!button) {
        button = h("button", { type: "button", class: "plain" }, icon("volume"), h("span", { dir: "auto" }));
        place.append(button);
      }
      setText(button.lastChild, name);
      button.setAttribute("aria-pressed", String(enabled));
      button.disabled = !mayChange;
      button.onclick = () => this.#send(zone, enabled ? "disableoutput" : "enableoutput", { output });
    });
  }

  // Actions

  async #send(zone, method, params) {
    await this.link.callIn(zone, method, params).catch(showError);
  }

  #enter(zone) {
    this.dispatchEvent(new CustomEvent("choose", { bubbles: true, detail: zone }));
  }

  async #moveTo(zone) {
    try {
      await this.link.call("zone.handover", { zone });
      this.#enter(zone);
    } catch (error) {
      showError(error);
    }
  }
}

customElements.define("segue-rooms", RoomsView);
