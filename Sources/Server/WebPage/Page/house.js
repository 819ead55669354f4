// The whole house: announcements, alarms, and who is heard.

import { card, entry, field, toggles, wordButton } from "./cards.js";
import { latestOnly } from "./now.js";
import { mostWords, wordsFilter } from "./shelves.js";
import {
  View, address, h, iconButton, joined, language, replaceKeepingFocus, setSlider, sheet, showError, slider, t, titleOf, toast,
} from "./ui.js";

const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** A path of a sound, rather than words to speak. */
const path = /^\/\S+$|\S\.(aac|aiff?|flac|m4a|mp3|oga|ogg|opus|wav|wma)$/i;

/** How many playlists, and how many songs, are offered for an alarm. */
const mostSuggestions = 8;

/** The percentage that an alarm has risen to after a minute, unless another one is chosen. */
const alarmVolume = 40;

class HouseView extends View {
  topics = ["announcements", "timers", "sessions", "zones", "permissions"];
  #rooms = new Set();
  /** The announcements of this page that are not over. */
  #made = new Set();
  #isHolding = false;
  /** Whether somebody has chosen rooms; else it is the zone that is shown. */
  #hasChosen = false;

  build() {
    this.text = h("input", {
      type: "text", "aria-label": t("announceHint"), placeholder: t("announceHint"), autocomplete: "off", dir: "auto",
      maxlength: "1000",
    });
    this.rooms = h("div", { class: "outputs", role: "group", "aria-label": t("rooms") });
    this.running = h("div", { class: "entries" });
    this.send = h("button", { type: "submit", class: "wide" }, t("announce"));
    const form = h("form", { class: "form" }, this.text, this.rooms, this.send);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#announce();
    });
    this.announceForm = form;
    this.alarms = h("div", { class: "entries" });
    this.addAlarm = iconButton("add", t("addAlarm"), () => this.#askForAlarm());
    this.sessions = h("div", { class: "entries" });
    this.announceCard = card(t("announce"), [], form, this.running);
    this.alarmCard = card(t("alarms"), [this.addAlarm], this.alarms);
    this.hold = wordButton(t("hold"), "hold", async () => {
      if (this.#isHolding) return;
      this.#isHolding = true;
      await this.#send("session.interrupt.begin", { kind: "call", name: t("holding"), zone: this.link.zone });
      this.#isHolding = false;
    });
    this.sessionCard = card(t("sessions"), [this.hold], this.sessions);
    this.append(h("header", { class: "bar" }, h("div", {}, h("h1", {}, t("house")))),
      h("div", { class: "cards" }, this.announceCard, this.alarmCard, this.sessionCard));
  }

  update(topic) {
    const { values } = this.link;
    const changed = (...topics) => !topic || topics.includes(topic);
    if (changed("zones", "permissions")) this.#showRooms();
    if (changed("announcements", "permissions")) this.#showAnnouncements(values.announcements ?? []);
    if (changed("timers", "permissions")) this.#showAlarms(values.timers?.alarms ?? []);
    if (changed("sessions", "permissions")) this.#showSessions(values.sessions ?? []);
    this.announceForm.hidden = !this.link.may("player");
    this.announceCard.hidden = this.announceForm.hidden && !this.running.children.length;
    this.addAlarm.hidden = !this.link.may("player");
    this.sessionCard.hidden = !values.sessions;
  }

  #send(method, params) {
    return this.link.call(method, params).catch(showError);
  }

  // Announcements

  #showRooms() {
    const { link } = this;
    const zones = (link.values.zones ?? []).map(({ zone }) => zone);
    for (const zone of this.#rooms) if (!zones.includes(zone)) this.#rooms.delete(zone);
    if (!this.#rooms.size) this.#hasChosen = false;
    if (!this.#hasChosen) this.#rooms = new Set([link.zone]);
    this.rooms.hidden = zones.length < 2;
    const buttons = toggles(t("rooms"), zones, this.#rooms, (zone) => zone, () => {
      this.#hasChosen = true;
      this.send.disabled = this.#rooms.size === 0;
    });
    replaceKeepingFocus(this.rooms, ...buttons.children);
    this.send.disabled = this.#rooms.size === 0;
  }

  async #announce() {
    const text = this.text.value.trim();
    if (!text || this.send.disabled) return;
    this.send.disabled = true;
    try {
      const isSound = address.test(text) || path.test(text);
      const { announcement } = await this.link.call("announce", { [isSound ? "uri" : "say"]: text, zone: [...this.#rooms] });
      this.#made.add(announcement);
      this.#tellFailures(this.link.values.announcements ?? []);
      // Words that were typed meanwhile are the next announcement.
      if (this.text.value.trim() === text) this.text.value = "";
    } catch (error) {
      showError(error);
    }
    this.send.disabled = this.#rooms.size === 0;
  }

  /** Says why an announcement that was made here has failed. */
  #tellFailures(list) {
    for (const { announcement, state, error } of list) {
      const isOver = state !== "queued" && state !== "playing";
      if (!isOver || !this.#made.delete(announcement)) continue;
      if (state === "failed") showError(new Error(error));
    }
  }

  #showAnnouncements(list) {
    this.#tellFailures(list);
    const running = list.filter(({ state }) => state === "playing" || state === "queued");
    replaceKeepingFocus(this.running, ...running.map(({ announcement, text, file, zone }) =>
      entry(text ?? file ?? t("announce"), zone, this.link.may("player") ? [
        iconButton("close", t("cancel"), () => this.#send("announcement.cancel", { announcement }), {
          "data-key": announcement,
        }),
      ] : [])));
  }

  // Alarms

  #showAlarms(list) {
    const may = this.link.may("player");
    replaceKeepingFocus(this.alarms, ...list.map((alarm) => {
      const rings = alarm.state === "ringing" || alarm.state === "snoozed";
      const isOn = alarm.state !== "disabled";
      const id = { alarm: alarm.alarm };
      const label = joined(alarm.time.slice(0, 5), alarm.name);
      const facts = [
        alarm.date ? dateText(alarm.date) : alarm.days ? daysText(alarm.days) : t("once"),
        (this.link.values.zones?.length ?? 0) > 1 ? alarm.zone : null, alarm.uri, alarm.skipped ? t("skipped") : null,
        alarm.state === "snoozed" ? t("snoozed") : null, alarm.reason,
      ];
      const buttons = !may ? [] : rings ? [
        alarm.state === "ringing" ? wordButton(t("snooze"), `snooze ${id.alarm}`, () => this.#send("alarm.snooze", id)) : null,
        wordButton(t("stop"), `switch ${id.alarm}`, () => this.#send("alarm.dismiss", id)),
      ] : [
        h("button", {
          type: "button", class: "switch", role: "switch", "aria-checked": String(isOn), "aria-label": label,
          "data-key": `switch ${id.alarm}`,
          onclick: () => this.#send(isOn ? "alarm.disable" : "alarm.enable", id),
        }, h("span")),
        iconButton("edit", `${t("editAlarm")}: ${label}`, () => this.#askForAlarm(alarm), { "data-key": `edit ${id.alarm}` }),
        iconButton("trash", `${t("remove")}: ${label}`, () => this.#removeAlarm(alarm), { "data-key": `remove ${id.alarm}` }),
      ];
      return entry(label, joined(...facts), buttons);
    }));
    if (!list.length) this.alarms.append(h("p", { class: "muted" }, t("noAlarms")));
  }

  /** Lets a new alarm be switched off, or not ring the next time, as another one did. */
  async #restoreState(alarm, made) {
    // One that is switched off has no next time.
    if (alarm.skipped) await this.link.call("alarm.skip", made);
    if (alarm.state === "disabled") await this.link.call("alarm.disable", made);
  }

  async #removeAlarm(alarm) {
    const restore = async () => {
      await this.#restoreState(alarm, await this.link.call("alarm.add", wordsOf(alarm)));
    };
    try {
      await this.link.call("alarm.rm", { alarm: alarm.alarm });
      toast(t("removed", { title: alarm.name ?? alarm.time }), t("undo"), () => restore().catch(showError));
    } catch (error) {
      showError(error);
    }
  }

  /** Asks for a new alarm, or for what another is to be. */
  #askForAlarm(alarm = null) {
    const chosen = new Set(daysOf(alarm?.days));
    const time = h("input", { type: "time", required: true, value: alarm?.time.slice(0, 5) ?? "07:00" });
    const name = h("input", { type: "text", autocomplete: "off", maxlength: "60", dir: "auto", value: alarm?.name });
    const sound = h("input", {
      type: "text", autocomplete: "off", placeholder: t("alarmSoundHint"), dir: "auto", value: alarm?.uri, list: "sounds",
    });
    const sounds = h("datalist", { id: "sounds" });
    const suggestions = latestOnly((words) => suggest(this.link, words, sounds), () => {});
    sound.addEventListener("input", () => suggestions.send(sound.value.trim()));
    // A volume that rises is told as "5-40".
    const [start, end] = String(alarm?.volume ?? alarmVolume).split("-").map(Number);
    const level = end ?? start;
    const volume = slider(t("volume"), { min: 1, max: 100, value: level });
    setSlider(volume, level);
    const chosenVolume = () => {
      const now = Number(volume.value);
      if (alarm && now === level) return alarm.volume;
      return end !== undefined && start < now ? `${start}-${now}` : now;
    };
    const week = toggles(t("days"), days, chosen, dayName);
    const send = h("button", { type: "submit", class: "wide" }, t(alarm ? "saveAlarm" : "addAlarm"));
    const form = h("form", { class: "form" },
      field(t("time"), time), week, field(t("name"), name), field(t("alarmSound"), sound), sounds,
      field(t("volume"), volume), send);
    const dialog = sheet(t(alarm ? "editAlarm" : "addAlarm"), form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const list = days.filter((day) => chosen.has(day)).join(",");
      const words = {
        time: time.value, days: list || undefined, name: name.value.trim() || undefined,
        uri: sound.value.trim() || undefined, volume: chosenVolume(),
      };
      send.disabled = true;
      try {
        if (alarm) await this.#replaceAlarm(alarm, words);
        else await this.link.call("alarm.add", words);
        dialog.close();
      } catch (error) {
        showError(error);
      }
      send.disabled = false;
    });
  }

  /** The server has no change of an alarm, so there is a new one before the old one goes. */
  async #replaceAlarm(shown, { time, days, ...words }) {
    // It may have been switched off since it was shown, or removed.
    const found = this.link.values.timers?.alarms?.find((one) => one.alarm === shown.alarm);
    const alarm = found ?? shown;
    const before = wordsOf(alarm);
    // At a time that is over on its date, it rings on the next day.
    const hasDate = !days && before.date && new Date(`${before.date}T${time}`) > Date.now();
    const isSameTime = time === alarm.time.slice(0, 5);
    const made = await this.link.call("alarm.add", {
      ...before, ...words, time: isSameTime ? alarm.time : time, days, date: hasDate ? before.date : undefined,
      ...(words.uri ? {} : { uri: undefined, fallback: undefined }),
    });
    if (found) await this.link.call("alarm.rm", { alarm: found.alarm });
    await this.#restoreState(alarm, made);
  }

  // Sessions

  get #mayInterrupt() {
    return this.link.may("player") && this.link.may("control");
  }

  #showSessions(list) {
    const names = new Map(list.map(({ session, name }) => [session, name]));
    const isHeld = document.activeElement === this.hold;
    const isCall = (session) => session.class === "call" && session.state === "active" && session.zone === this.link.zone;
    this.hold.hidden = !this.#mayInterrupt || list.some(isCall);
    replaceKeepingFocus(this.sessions, ...list.map((session) => {
      const by = session.interrupted_by?.map((id) => names.get(id)).filter(Boolean) ?? [];
      const facts = [
        session.kind === "zone" ? null : session.application ?? session.program ?? session.owner,
        session.kind === "zone" || (this.link.values.zones?.length ?? 0) < 2 ? null : session.zone,
        by.length ? t("interruptedBy", { name: by.join(", ") }) : t(sessionStates[session.state] ?? "inactive"),
        session.gain ? t("quieter", { n: Math.abs(session.gain).toLocaleString(language) }) : null,
        session.muted ? t("muted") : null,
      ];
      const ends = session.class === "call" && session.kind === "system" && this.#mayInterrupt;
      return entry(session.name, joined(...facts), ends ? [
        wordButton(t("endHold"), `end ${session.session}`, () =>
          this.#send("session.interrupt.end", { session: session.session, resume: true })),
      ] : []);
    }));
    if (isHeld && this.hold.hidden) this.sessions.querySelector("button")?.focus();
  }
}

/** Offers the playlists and songs of the library that have these words. */
async function suggest(link, words, list) {
  if (!words || address.test(words)) return list.replaceChildren();
  try {
    const filter = wordsFilter(words.slice(0, mostWords));
    const [songs, playlists] = await link.batch([["search", { filter, limit: mostSuggestions }], ["listplaylists"]]);
    const lower = words.toLowerCase();
    const names = playlists instanceof Error ? [] : playlists.map(({ playlist }) => playlist)
      .filter((name) => name.toLowerCase().includes(lower)).slice(0, mostSuggestions);
    list.replaceChildren(
      ...names.map((name) => h("option", { value: name })),
      ...(songs instanceof Error ? [] : songs).map((song) =>
        h("option", { value: song.file, label: joined(titleOf(song), song.artist) })));
  } catch {
    // Without the server there is nothing to offer.
  }
}

/** The words that make an alarm as it is. */
function wordsOf({ time, days, date, zone, name, uri, fallback, volume, ramp, snooze, length, ...rest }) {
  const words = { time, days, date, zone, name, uri, fallback, volume, ramp, snooze, length };
  for (const key of ["thenplay", "holidays"]) if (Number(rest[key])) words[key] = true;
  return words;
}

/** The days of a text such as "mon-fri,sun" or "daily". */
export function daysOf(text) {
  if (!text) return [];
  if (text === "daily") return days;
  return text.split(",").flatMap((part) => {
    const [first, last = first] = part.split("-").map((day) => days.indexOf(day));
    return days.filter((_, index) => (first <= last ? index >= first && index <= last : index >= first || index <= last));
  });
}

const sessionStates = { active: "active", interrupted: "interrupted", inactive: "inactive" };

/** A day of the week, as the page's language has it in short. */
function dayName(day) {
  // 2024 began on a Monday.
  const date = Date.UTC(2024, 0, 1 + days.indexOf(day));
  return new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" }).format(date);
}

/** Days as `alarm list` tells them, such as "mon-fri" or "sat,sun". */
export function daysText(text) {
  if (text === "daily" || text === "mon-sun") return t("daily");
  const name = (day) => (days.includes(day) ? dayName(day) : day);
  return text.split(",").map((part) => part.split("-").map(name).join("–")).join(", ");
}

function dateText(date) {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(Date.parse(date));
}

customElements.define("segue-house", HouseView);
