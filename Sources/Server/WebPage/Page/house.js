// The whole house: announcements, alarms, and who is heard.

import {
  View, h, icon, iconButton, joined, language, replaceKeepingFocus, setSlider, sheet, showError, slider, t, toast,
} from "./ui.js";

const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** An address, or a path, rather than words to speak. */
const address = /^([a-z][a-z0-9+.-]*:\/\/|\/)\S+$/i;

/** The percentage that an alarm has risen to after a minute, unless another one is chosen. */
const alarmVolume = 40;

class HouseView extends View {
  topics = ["announcements", "timers", "sessions", "zones", "permissions"];
  #rooms = new Set();
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
    const card = (title, ...children) => h("section", { class: "card", "aria-label": title }, ...children);
    const heading = (title, ...children) => h("header", {}, h("h2", {}, title), ...children);
    this.announceCard = card(t("announce"), heading(t("announce")), form, this.running);
    this.alarmCard = card(t("alarms"), heading(t("alarms"), this.addAlarm), this.alarms);
    this.sessionCard = card(t("sessions"), heading(t("sessions")), this.sessions);
    this.append(h("header", { class: "bar" }, h("div", {}, h("h1", {}, t("house")))),
      h("div", { class: "cards" }, this.announceCard, this.alarmCard, this.sessionCard));
  }

  update(topic) {
    const { values } = this.link;
    const changed = (...topics) => !topic || topics.includes(topic);
    if (changed("zones", "permissions")) this.#showRooms();
    if (changed("announcements", "permissions")) this.#showAnnouncements(values.announcements ?? []);
    if (changed("timers", "permissions")) this.#showAlarms(values.timers?.alarms ?? []);
    if (changed("sessions")) this.#showSessions(values.sessions ?? []);
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
    replaceKeepingFocus(this.rooms, ...zones.map((zone) => {
      const attributes = { type: "button", class: "plain", "aria-pressed": String(this.#rooms.has(zone)), "data-key": zone };
      const button = h("button", attributes, icon("room"), h("span", { dir: "auto" }, zone));
      button.addEventListener("click", () => {
        this.#hasChosen = true;
        if (!this.#rooms.delete(zone)) this.#rooms.add(zone);
        button.setAttribute("aria-pressed", String(this.#rooms.has(zone)));
        this.send.disabled = this.#rooms.size === 0;
      });
      return button;
    }));
    this.send.disabled = this.#rooms.size === 0;
  }

  async #announce() {
    const text = this.text.value.trim();
    if (!text || this.send.disabled) return;
    this.send.disabled = true;
    try {
      await this.link.call("announce", { [address.test(text) ? "uri" : "say"]: text, zone: [...this.#rooms] });
      // Words that were typed meanwhile are the next announcement.
      if (this.text.value.trim() === text) this.text.value = "";
    } catch (error) {
      showError(error);
    }
    this.send.disabled = this.#rooms.size === 0;
  }

  #showAnnouncements(list) {
    const running = list.filter(({ state }) => state === "playing" || state === "queued" || state === "preparing");
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
        iconButton("trash", `${t("remove")}: ${label}`, () => this.#removeAlarm(alarm), { "data-key": `remove ${id.alarm}` }),
      ];
      return entry(label, joined(...facts), buttons);
    }));
    if (!list.length) this.alarms.append(h("p", { class: "muted" }, t("noAlarms")));
  }

  async #removeAlarm(alarm) {
    const { time, days, date, zone, name, uri, fallback, volume, ramp, snooze, length } = alarm;
    const words = { time, days, date, zone, name, uri, fallback, volume, ramp, snooze, length };
    for (const key of ["thenplay", "holidays"]) if (Number(alarm[key])) words[key] = true;
    const restore = async () => {
      const made = await this.link.call("alarm.add", words);
      if (alarm.state === "disabled") await this.link.call("alarm.disable", made);
      if (Number(alarm.skipped)) await this.link.call("alarm.skip", made);
    };
    try {
      await this.link.call("alarm.rm", { alarm: alarm.alarm });
      toast(t("removed", { title: name ?? time }), t("undo"), () => restore().catch(showError));
    } catch (error) {
      showError(error);
    }
  }

  #askForAlarm() {
    const chosen = new Set();
    const time = h("input", { type: "time", required: true, value: "07:00" });
    const name = h("input", { type: "text", autocomplete: "off", maxlength: "60", dir: "auto" });
    const sound = h("input", { type: "text", autocomplete: "off", placeholder: t("alarmSoundHint"), dir: "auto" });
    const volume = slider(t("volume"), { min: 1, max: 100, value: alarmVolume });
    setSlider(volume, alarmVolume);
    const week = h("div", { class: "outputs", role: "group", "aria-label": t("days") }, ...days.map((day) => {
      const button = h("button", { type: "button", class: "plain", "aria-pressed": "false" }, dayName(day));
      button.addEventListener("click", () => {
        if (!chosen.delete(day)) chosen.add(day);
        button.setAttribute("aria-pressed", String(chosen.has(day)));
      });
      return button;
    }));
    const add = h("button", { type: "submit", class: "wide" }, t("addAlarm"));
    const form = h("form", { class: "form" },
      h("label", {}, t("time"), time), week, h("label", {}, t("name"), name), h("label", {}, t("alarmSound"), sound),
      h("label", {}, t("volume"), volume), add);
    const dialog = sheet(t("addAlarm"), form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const list = days.filter((day) => chosen.has(day)).join(",");
      add.disabled = true;
      try {
        await this.link.call("alarm.add", {
          time: time.value, days: list || undefined, name: name.value.trim() || undefined,
          uri: sound.value.trim() || undefined, volume: Number(volume.value),
        });
        dialog.close();
      } catch (error) {
        showError(error);
      }
      add.disabled = false;
    });
  }

  // Sessions

  #showSessions(list) {
    const names = new Map(list.map(({ session, name }) => [session, name]));
    this.sessions.replaceChildren(...list.map((session) => {
      const by = session.interrupted_by?.map((id) => names.get(id)).filter(Boolean) ?? [];
      const facts = [
        session.kind === "zone" ? null : session.application ?? session.program ?? session.owner,
        by.length ? t("interruptedBy", { name: by.join(", ") }) : t(sessionStates[session.state] ?? "inactive"),
        session.gain ? t("quieter", { n: Math.abs(session.gain).toLocaleString(language) }) : null,
        session.muted ? t("muted") : null,
      ];
      return entry(session.name, joined(...facts), []);
    }));
  }
}

const sessionStates = { active: "active", interrupted: "interrupted", inactive: "inactive" };

function wordButton(text, key, onclick) {
  return h("button", { type: "button", class: "plain", "data-key": key, onclick }, text);
}

/** A row with two lines and what can be done. */
function entry(title, detail, buttons) {
  return h("div", { class: "entry" },
    h("div", {},
      h("p", { class: "title", dir: "auto" }, title), h("p", { class: "muted", dir: "auto" }, detail ?? "")),
    ...buttons);
}

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
