// The parts of cards: rows with what can be done, and controls of forms.

import { dateTime, h, sheet, showError, t } from "./ui.js";

const rightNames = {
  pick: "rightPick", read: "rightRead", "add-only": "rightAddOnly", add: "rightAdd", player: "rightPlayer",
  control: "rightControl", outputs: "rightOutputs", owner: "rightOwner",
};

/** Rights that are granted one by one; `add` comprises fetching what an address names. */
export const rights = Object.keys(rightNames);

/** The rights that a client's permissions name: `admin` is two of them. */
export function rightsOf(permissions) {
  const names = (permissions ?? "").split(",").flatMap((name) => (name === "admin" ? ["outputs", "owner"] : name));
  return rights.filter((name) => names.includes(name));
}

export function rightText(name) {
  return t(rightNames[name]);
}

/** What a client may do, as the parts of a line; `songs` are those that it may have in a queue. */
export function grantTexts(grants) {
  const { permissions, zones, until, hours, quiet_hours: quiet, songs, megabytes_per_hour: bytes, volumes, commands } = grants;
  const names = permissions === "none" ? t("denied") : rightsOf(permissions).map(rightText).join(", ") || t("nothingAllowed");
  return [
    names, zones?.join(", "), until ? t("until", { time: dateTime(until) }) : null, hours,
    quiet ? t("looksOnAt", { hours: quiet }) : null,
    songs === undefined ? null : t("songsAtMost", { n: songs }),
    bytes === undefined ? null : t("megabytesAtMost", { n: bytes }),
    volumes?.length ? t("atMost", { n: volumes.map((text) => text.replace("=", ": ")).join(", ") }) : null,
    commands ? t("withoutCommands", { names: commands.replaceAll("no-", "").replaceAll(",", ", ") }) : null,
  ];
}

/** A card with a heading, and buttons beside it. */
export function card(title, buttons, ...children) {
  return h("section", { class: "card", "aria-label": title }, h("header", {}, h("h2", {}, title), ...buttons), ...children);
}

/** A row with two lines and what can be done. */
export function entry(title, detail, buttons = []) {
  return h("div", { class: "entry" },
    h("div", {},
      h("p", { class: "title", dir: "auto" }, title), h("p", { class: "muted", dir: "auto" }, detail ?? "")),
    ...buttons);
}

/** A button with words. */
export function wordButton(text, key, onclick) {
  return h("button", { type: "button", class: "plain", "data-key": key, onclick }, text);
}

/** Buttons of which each is chosen or not, by the values of `chosen`; those of `names` are shown as their texts. */
export function toggles(label, names, chosen, textOf, onchange = () => {}) {
  return h("div", { class: "outputs", role: "group", "aria-label": label }, ...names.map((name) => {
    const attributes = { type: "button", class: "plain", "aria-pressed": String(chosen.has(name)), "data-key": name };
    const button = h("button", attributes, h("span", { dir: "auto" }, textOf(name)));
    button.addEventListener("click", () => {
      if (!chosen.delete(name)) chosen.add(name);
      button.setAttribute("aria-pressed", String(chosen.has(name)));
      onchange();
    });
    return button;
  }));
}

/** A field of a form with its label. */
export function field(label, input) {
  return h("label", {}, label, input);
}

/** A choice of one of several. @param {[value: string, text: string][]} options */
export function select(options, value, attributes = {}) {
  const element = h("select", attributes, ...options.map(([value, text]) => h("option", { value }, text)));
  element.value = value;
  return element;
}

/** Seconds. */
const hour = 3600, day = 24 * hour;

/** The choice of when something ends. */
export class Validity {
  /** @param {string} [until] The end that it has now, in ISO 8601. */
  constructor(until) {
    this.select = select([
      ["", until ? t("until", { time: dateTime(until) }) : t("noEnd")], ...(until ? [["never", t("noEnd")]] : []),
      ["hour", t("forAnHour")], ["midnight", t("untilMidnight")], ["week", t("forAWeek")],
    ], "");
    this.element = field(t("validity"), this.select);
  }

  /** As the server takes it, in seconds since 1970; `undefined` where it is to stay. */
  get param() {
    const { value } = this.select;
    if (value === "") return undefined;
    if (value === "never") return value;
    const end = value === "midnight" ? new Date().setHours(24, 0, 0, 0) : Date.now() + { hour, week: 7 * day }[value] * 1000;
    return Math.floor(end / 1000);
  }
}

/** Opens a form in a sheet; it closes when what it sends has been carried out. */
export function formSheet(title, fields, label, send, more = []) {
  const button = h("button", { type: "submit", class: "wide" }, label);
  const form = h("form", { class: "form" }, ...fields, button);
  const dialog = sheet(title, form, ...more);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const then = await send();
      dialog.close();
      then?.();
    } catch (error) {
      showError(error);
    }
    button.disabled = false;
  });
  return dialog;
}
