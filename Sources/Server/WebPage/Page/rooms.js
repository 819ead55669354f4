// All zones: what each plays, how loud, and where it is heard.

import { Wire } from "./link.js";
import { causesOf, latestOnly } from "./now.js";
import { View, cover, h, icon, iconButton, setButton, setSlider, setText, showError, slider, t, titleOf } from "./ui.js";

const topics = ["player", "mixer", "outputs", "why", "permissions"];

/** A connection that follows all zones, and acts in any of them: the page's own follows one. */
class RoomsWire extends Wire {
  /** @param {import("./link.js").Link} link */
  constructor(link) {
    super(link.base);
    this.secret = link.secret;
    this.changes = link.changes;
  }

  async begin() {
    const [values] = await this.beginWith([["watch", { topics, zones: "all" }]]);
    if (values instanceof Error) throw values;
    this.dispatchEvent(new CustomEvent("values", { detail: values.values }));
  }

  take(value) {
    this.dispatchEvent(new CustomEvent("value", { detail: value }));
  }

  /**
   * Carries out a method in a zone.
   * @throws {MethodError | LostError}
   */
  async callIn(zone, method, params) {
    const [entered, result] = await this.batch([["partition", { name: zone }], [method, params]]);
    if (entered instanceof Error) throw entered;
    if (result instanceof Error) throw result;
    return result;
  }
}

/** The volumes of an output's clients, in percent, by the names of their attributes: "volume:Kitchen=40". */
export function volumesOf(attributes) {
  return (attributes ?? []).flatMap((text) => {
    const [, attribute, name, volume] = /^(volume:([^=]*))=(\d+)$/.exec(text) ?? [];
    return attribute ? [{ attribute, name, volume: Number(volume) }] : [];
  });
}

/** How many listen to an output's stream. */
export function listenersOf(attributes) {
  return Number(attributes?.find((text) => text.startsWith("listeners="))?.slice("listeners=".length) ?? 0);
}

class RoomsView extends View {
  topics = ["zones", "player"];
  #cards = new Map();
  #values = new Map();
  #wire = null;

  build() {
    this.heading = h("h1", {}, t("rooms"));
    this.cards = h("div", { class: "cards" });
    this.append(h("header", { class: "bar" }, h("div", {}, this.heading)), this.cards);
    // It may be another client by now.
    this.link.addEventListener("status", () => {
      if (this.isConnected && this.link.status === "open" && this.#wire?.changes !== this.link.changes) this.#watch();
    });
  }

  shown() {
    this.#watch();
  }

  hiddenAway() {
    this.#wire?.close();
    this.#wire = null;
  }

  /** Follows all zones, as long as they are shown. */
  #watch() {
    this.#wire?.close();
    const wire = new RoomsWire(this.link);
    this.#wire = wire;
    wire.addEventListener("values", ({ detail }) => {
      this.#values.clear();
      for (const item of detail) this.#take(item);
      this.update();
    });
    wire.addEventListener("value", ({ detail }) => {
      this.#take(detail);
      this.#show(detail.zone);
    });
    wire.open();
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
    const wishes = latestOnly((wanted) => send("setvol", { volume: wanted }), () => this.#show(zone));
    volume.addEventListener("input", () => wishes.send(Number(volume.value)));
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
      members: new Map(), memberRows: h("div", { class: "members" }), listeners: h("p", { class: "muted" }),
      enter: h("button", { type: "button", class: "plain", onclick: () => this.#enter(zone) }, t("choose")),
      limit: h("button", { type: "button", class: "plain", "data-key": `limit ${zone}`, onclick: () => this.#limit(zone) },
        t("limit")),
      move: h("button", { type: "button", class: "plain", onclick: () => this.#moveTo(zone) }, t("moveHere")),
    };
    const card = h("section", { class: "card", "aria-label": zone },
      h("header", {}, h("h2", { dir: "auto" }, zone), parts.enter),
      h("div", { class: "playing" }, parts.picture, h("div", {}, parts.title, parts.artist), parts.play),
      parts.why, parts.row, parts.outputs, parts.memberRows, parts.listeners, parts.move, parts.limit);
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
    if (mixer?.volume !== undefined && !parts.wishes.isBusy) setSlider(parts.volume, mixer.volume);
    const isChosen = zone === link.zone;
    setText(parts.enter, isChosen ? t("chosen") : t("choose"));
    parts.enter.setAttribute("aria-pressed", String(isChosen));
    parts.enter.disabled = isChosen;
    parts.move.hidden = isChosen || !may("outputs") || !link.may("outputs") || link.values.player?.state !== "playing";
    parts.limit.hidden = !may("owner");
    this.#showOutputs(zone, parts.outputs, outputs ?? [], may("outputs"));
    this.#showMembers(zone, parts, outputs ?? [], may("outputs"));
  }

  /** The volumes of clients behind outputs, such as Snapcast's, and how many listen to streams. */
  #showMembers(zone, parts, outputs, mayChange) {
    const members = outputs.filter(({ enabled }) => enabled).flatMap(({ output, attributes }) => volumesOf(attributes)
      .map(({ attribute, name, volume }) => ({ key: `${output} ${attribute}`, output, attribute, name, volume })));
    for (const [key, row] of parts.members) {
      if (members.some((member) => member.key === key)) continue;
      row.remove();
      parts.members.delete(key);
    }
    for (const { key, output, attribute, name, volume } of members) {
      let row = parts.members.get(key);
      if (!row) {
        const range = slider(`${t("volume")}: ${name}`, { min: 0, max: 100 });
        const wishes = latestOnly(
          (value) => this.#send(zone, "outputset", { output: row.output, name: attribute, value }), () => this.#show(zone));
        range.addEventListener("input", () => wishes.send(Number(range.value)));
        range.addEventListener("release", () => this.#show(zone));
        row = Object.assign(h("label", { class: "member" }, h("span", { dir: "auto" }, name), range), { range, wishes });
        parts.members.set(key, row);
        parts.memberRows.append(row);
      }
      row.output = output;
      row.range.disabled = !mayChange;
      if (!row.wishes.isBusy) setSlider(row.range, volume);
    }
    const listeners = outputs.reduce((sum, { enabled, attributes }) => sum + (enabled ? listenersOf(attributes) : 0), 0);
    setText(parts.listeners, listeners === 1 ? t("listenersOne") : t("listeners", { n: listeners }));
    parts.listeners.hidden = listeners === 0;
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
    await this.#wire?.callIn(zone, method, params).catch(showError);
  }

  async #limit(zone) {
    const { openLimit } = await import("./limit.js");
    openLimit(this.link, zone);
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
