// How a device becomes known to the server: by an invitation, or because its owner is asked.

import { entry, field, grantTexts, wordButton } from "./cards.js";
import { LostError, Wire, wrongPassword } from "./link.js";
import { errorText, h, joined, sheet, showError, t, toast } from "./ui.js";

/** Milliseconds; the owner has five minutes for an answer. */
const answerPatience = 320_000;

/**
 * Shows what an invitation grants, and a button that uses it: the address alone changes nothing, because messengers open
 * the links that they carry.
 * @param {import("./link.js").Link} link
 * @param {() => void} ended Called when the sheet is closed.
 */
export async function openInvitation(link, secret, ended) {
  let known;
  const invitation = await link.whenOpen().then(() => link.call("pair.preview", { invitation: secret }, answerPatience))
    .catch((error) => error);
  if (invitation instanceof Error) {
    const text = invitation.ack === wrongPassword ? t("invitationOver") : errorText(invitation);
    known = [h("p", { class: "muted", role: "alert" }, text)];
  } else {
    const button = h("button", { type: "button", class: "wide" }, t("accept"));
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        await link.accept(secret);
        // A page that nobody sees is told late of a dialog's end.
        ended();
        dialog.close();
        toast(t("knownAs", { name: invitation.name }));
      } catch (error) {
        button.disabled = false;
        showError(error.ack === wrongPassword ? { message: t("invitationOver") } : error);
      }
    });
    known = [
      entry(invitation.name, joined(...grantTexts(invitation))), h("p", { class: "muted" }, t("invitationHint")),
      h("div", { class: "form" }, button),
    ];
  }
  const dialog = sheet(t("invitation"), ...known);
  dialog.addEventListener("close", ended);
}

/** A connection that asks for a name, and ends with the answer. */
class AskingWire extends Wire {
  constructor(base, name) {
    super(base);
    this.name = name;
  }

  async begin() {
    const [asked] = await this.batch([["pair.request", { name: this.name }]]);
    if (asked instanceof Error) return this.#end(asked);
    this.dispatchEvent(new CustomEvent("code", { detail: asked.code }));
    this.call("pair.wait", undefined, answerPatience).then((answer) => this.#end(answer), (error) => this.#end(error));
  }

  /** @param {object | Error} result An answer, or why there is none. */
  #end(result) {
    this.dispatchEvent(new CustomEvent("end", { detail: result }));
    this.close();
  }
}

/** A name for this device, which its person may change. */
function usualName() {
  const [, name] = /(iPhone|iPad|Android|Macintosh|Windows|Linux)/.exec(navigator.userAgent) ?? [];
  return { Macintosh: "mac", Windows: "pc", Linux: "pc" }[name] ?? name?.toLowerCase() ?? "browser";
}

/**
 * The form in which this device asks the server's owner to be known: it shows a code until there is an answer.
 * @param {import("./link.js").Link} link
 */
export function accessForm(link) {
  const name = h("input", {
    type: "text", required: true, maxlength: "64", pattern: "[A-Za-z0-9._\\-]+", autocomplete: "off", autocapitalize: "off",
    value: usualName(),
  });
  const button = h("button", { type: "submit", class: "wide plain" }, t("askAccess"));
  const form = h("form", { class: "form", "data-key": "ask" }, field(t("deviceName"), name), button);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    button.disabled = true;
    ask(link, name.value, () => (button.disabled = false));
  });
  return form;
}

/** Asks for a name, and shows the code in a sheet; closing that ends the request. */
function ask(link, name, ended) {
  const wire = new AskingWire(link.base, name);
  let dialog, isOver = false;
  const finish = (error) => {
    if (isOver) return;
    isOver = true;
    wire.close();
    dialog?.close();
    ended();
    if (error) showError(error);
  };
  wire.addEventListener("code", ({ detail: code }) => {
    dialog = sheet(t("askAccess"), h("p", { class: "code", role: "status" }, `${code.slice(0, 3)} ${code.slice(3)}`),
      h("p", { class: "muted" }, t("askHint", { name })),
      h("div", { class: "outputs" }, wordButton(t("cancel"), "cancel", () => finish())));
    dialog.addEventListener("close", () => finish());
  });
  wire.addEventListener("end", async ({ detail: answer }) => {
    if (isOver) return;
    try {
      if (answer instanceof Error) throw answer;
      if (!answer.invitation) throw new Error(t(answer.state === "denied" ? "wasDenied" : "notAnswered"));
      await link.accept(answer.invitation);
      finish();
      toast(t("knownAs", { name: answer.name }));
    } catch (error) {
      finish(error);
    }
  });
  // A request ends with its connection, and another one would have another code.
  wire.addEventListener("status", () => wire.status === "lost" && finish(new LostError()));
  wire.open();
}
