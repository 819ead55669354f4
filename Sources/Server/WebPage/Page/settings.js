// The settings: this device, whether all is well, the library, and the clients of the server.

import { card, entry, field, rightText, rights, select, wordButton } from "./cards.js";
import { addClient, answerPairing, describeClient, openClient } from "./clients.js";
import { examine, findings } from "./findings.js";
import { accessForm } from "./join.js";
import { latestOnly } from "./now.js";
import {
  View, endErrors, h, icon, iconButton, joined, language, replaceKeepingFocus, setHidden, setText, sheet, showError,
  songCount, t,
} from "./ui.js";

/** Files that could not be read, of which so many are shown. */
const mostProblems = 500;

class SettingsView extends View {
  topics = ["library", "outputs", "routes", "player", "mixer", "permissions", "pairing", "zones"];
  /** `null` before the server has been examined. */
  #answers = null;
  #examination = latestOnly(() => this.#examine(), () => {});
  #revision;
  #who = null;

  build() {
    const { link } = this;
    this.who = h("div", { class: "entries" });
    this.signForm = signInForm(link);
    this.accessForm = accessForm(link);
    this.signOut = wordButton(t("signOut"), "sign out", () => link.signOut().then(() => {
      this.signForm.hidden = false;
      this.signForm.querySelector("input").focus();
    }, showError));
    const change = (name) => (event) => this.dispatchEvent(
      new CustomEvent("setting", { bubbles: true, detail: { name, value: event.target.value } }));
    this.language = select(
      [["", t("automatic")], ["en", "English"], ["de", "Deutsch"]], this.setting("language"), { onchange: change("language") });
    this.theme = select(
      [["", t("automatic")], ["light", t("light")], ["dark", t("dark")]], this.setting("theme"), { onchange: change("theme") });
    this.findings = h("div", { class: "entries", "aria-live": "polite" });
    this.songs = h("p", { class: "muted" });
    this.progress = h("progress", { max: 100, "aria-label": t("updating") });
    this.updateButton = wordButton(t("update"), "update", () => this.#send("update"));
    this.pause = wordButton(t("pause"), "pause", () =>
      this.#send(link.values.library?.paused ? "library.resume" : "library.pause"));
    this.problems = wordButton(t("problems"), "problems", () => this.#showProblems());
    this.pairing = h("div", { class: "entries" });
    this.clients = h("div", { class: "entries" });
    this.clientCard = card(t("clients"),
      [iconButton("add", t("addClient"), () => addClient(link, () => this.#askForClients()))], this.pairing, this.clients);
    this.healthCard = card(t("health"), [], this.findings);
    this.libraryCard = card(t("library"), [], this.songs, this.progress,
      h("div", { class: "outputs" }, this.updateButton, this.pause, this.problems));
    this.append(h("header", { class: "bar" }, h("div", {}, h("h1", {}, t("settings")))),
      h("div", { class: "cards" },
        card(t("device"), [this.signOut], this.who, this.accessForm, this.signForm,
          h("div", { class: "form pair" }, field(t("language"), this.language), field(t("theme"), this.theme))),
        this.healthCard, this.libraryCard, this.clientCard));
    link.addEventListener("status", () => {
      if (!this.isConnected) return;
      if (link.status === "open") this.shown();
      else this.#showFindings();
    });
  }

  /** A choice of this device; empty for that of the browser. */
  setting(name) {
    return document.documentElement.dataset[`chosen${name[0].toUpperCase()}${name.slice(1)}`] ?? "";
  }

  shown() {
    // All that was found is of another time, or of another client.
    this.#answers = null;
    this.#revision = undefined;
    this.#askWho();
    this.#askForClients();
    this.update();
  }

  update(topic) {
    const { values } = this.link;
    const changed = (...topics) => !topic || topics.includes(topic);
    // Songs have come or gone, or what is examined may be another.
    if (this.#revision !== (values.library?.revision ?? null) || changed("outputs", "routes")) {
      this.#revision = values.library?.revision ?? null;
      this.#examination.send(true);
    }
    if (changed("permissions")) {
      this.#showWho();
      this.#askForClients();
    }
    if (changed("pairing")) this.#showPairing(values.pairing ?? []);
    if (changed("library", "permissions")) this.#showLibrary(values.library);
    this.#showFindings();
  }

  #send(method, params) {
    return this.link.call(method, params).catch(showError);
  }

  // This device

  async #askWho() {
    this.#who = await this.link.call("pair.status").catch(() => null);
    this.#showWho();
  }

  #showWho() {
    const { link } = this;
    const isSignedIn = link.secret !== null || this.#who?.proof === "token";
    this.signForm.hidden = this.accessForm.hidden = isSignedIn;
    this.signOut.hidden = !isSignedIn;
    const held = rights.filter((name) => link.may(name)).map(rightText);
    this.who.replaceChildren(entry(this.#who?.client ?? "…", joined(...held)));
  }

  // Findings

  async #examine() {
    try {
      this.#answers = await examine(this.link);
    } catch {
      // The connection is lost, which is shown; another one examines anew.
      return;
    }
    this.#showFindings();
    this.#showLibrary(this.link.values.library);
  }

  #showFindings() {
    this.healthCard.hidden = !this.#answers || this.link.status !== "open";
    if (this.healthCard.hidden) {
      this.findings.replaceChildren();
      this.findings.dataset.text = "";
      return;
    }
    const list = findings(this.link.values, this.#answers);
    const rows = list.map(({ level, text, values, sentence, advice, action }) => {
      const buttons = action && this.link.may(action.right)
        ? [wordButton(t(action.text, action.values), text ?? sentence, () => this.#send(action.method, action.params))] : [];
      const row = entry(sentence ?? t(text, values), sentence ? advice : advice && t(advice), buttons);
      row.dataset.level = level;
      row.prepend(icon("warning"));
      return row;
    });
    if (!rows.length) {
      rows.push(entry(t("allWell"), ""));
      rows[0].prepend(icon("check"));
    }
    const text = rows.map((row) => row.textContent).join("\n");
    // A screen reader reads what is new, and only that.
    if (this.findings.dataset.text === text) return;
    this.findings.dataset.text = text;
    replaceKeepingFocus(this.findings, ...rows);
  }

  // The library

  #showLibrary(library) {
    this.libraryCard.hidden = !library;
    if (!library) return setText(this.songs, "");
    const { stats } = this.#answers ?? {};
    const isUpdating = library.updating !== undefined;
    const updated = stats?.db_update ? new Date(stats.db_update * 1000).toLocaleString(language, {
      dateStyle: "medium", timeStyle: "short",
    }) : null;
    const state = library.paused ? t("paused") : isUpdating
      ? joined(t("updatingNow", { n: library.percent ?? 0 }), library.folder) : updated && t("updated", { time: updated });
    setText(this.songs, joined(stats ? songCount(stats.songs) : null, state));
    this.progress.hidden = !isUpdating;
    this.progress.value = library.percent ?? 0;
    const may = this.link.may("control");
    setHidden(this.pause, !may || (!isUpdating && !library.paused));
    setHidden(this.updateButton, !may || isUpdating);
    setText(this.pause, t(library.paused ? "resume" : "pause"));
  }

  async #showProblems() {
    try {
      const list = await this.link.call("library.problems");
      const rows = list.slice(0, mostProblems).map(({ file, problem }) => entry(file, problem));
      const more = list.length - rows.length;
      sheet(t("problems"), rows.length ? h("div", { class: "entries" }, ...rows) : h("p", { class: "muted" }, t("noProblems")),
        ...(more > 0 ? [h("p", { class: "muted" }, t("andMore", { n: more.toLocaleString(language) }))] : []));
    } catch (error) {
      showError(error);
    }
  }

  // Clients

  async #askForClients() {
    const isOwner = this.link.may("owner");
    this.clientCard.hidden = !isOwner;
    if (!isOwner) return this.clients.replaceChildren();
    const list = await this.link.call("clients.list").catch(() => null);
    if (!list || !this.link.may("owner")) return;
    const rows = list.map((client) => entry(client.client, describeClient(client), [
      iconButton("more", t("more", { title: client.client }),
        () => openClient(this.link, client, () => this.#askForClients()), { "data-key": client.client }),
    ]));
    replaceKeepingFocus(this.clients, ...rows);
  }

  #showPairing(list) {
    replaceKeepingFocus(this.pairing, ...list.map((request) => entry(t("asksToPair", { name: request.request }), request.from, [
      wordButton(t("answer"), `pair ${request.request}`, () =>
        answerPairing(this.link, request, () => this.#askForClients())),
    ])));
  }
}

/**
 * The form in which a client's password is given, which is kept as long as the page is open.
 * @param {import("./link.js").Link} link
 */
export function signInForm(link) {
  const secret = h("input", { type: "password", autocomplete: "current-password", required: true, maxlength: "300" });
  const button = h("button", { type: "submit", class: "wide" }, t("signIn"));
  const form = h("form", { class: "form" }, field(t("secret"), secret), button);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await link.signIn(secret.value);
      secret.value = "";
      endErrors();
    } catch (error) {
      showError(error);
      secret.select();
    }
    button.disabled = false;
  });
  return form;
}

customElements.define("segue-settings", SettingsView);
