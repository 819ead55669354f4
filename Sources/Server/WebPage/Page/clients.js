// The sheets of a client of the server: what it may do, where, and until when.

import { Validity, entry, field, formSheet, grantTexts, rightText, rights, rightsOf, toggles, wordButton } from "./cards.js";
import { clockTime, dateTime, h, joined, sheet, showError, t, toast } from "./ui.js";

/** The rights of a new client, unless others are chosen. */
const usualRights = ["read", "add", "player"];

/** A client in one line. */
export function describeClient({ permissions, granted, connections, used, ...limits }) {
  const presence = connections?.length > 0 ? t("connected") : used ? t("lastUsed", { time: dateTime(used) }) : null;
  return joined(...grantTexts({ ...limits, permissions: granted ?? permissions }), presence);
}

/** The fields of a grant, and the parameters of what they change. */
class GrantFields {
  /** @param {import("./link.js").Link} link */
  constructor(link, client) {
    this.isNew = client === null;
    this.client = client;
    // Those that are granted may not hold at this time.
    const held = client?.granted ?? client?.permissions ?? "";
    this.rights = new Set(client ? rightsOf(held) : usualRights);
    this.others = held.split(",").filter((name) => name === "network" || name === "no-network");
    this.zones = new Set((client?.zones ?? []).map((text) => text.split("=")[0]));
    this.before = JSON.stringify(this.#state);
    this.until = new Validity(client?.until);
    this.songs = h("input", { type: "number", min: 0, max: 10_000_000, inputmode: "numeric", "data-key": "songs" });
    this.songsBefore = String(client?.songs ?? "");
    this.songs.value = this.songsBefore;
    this.volume = h("input", {
      type: "number", min: 0, max: 100, inputmode: "numeric", placeholder: "100", "data-key": "volume",
    });
    this.volumeBefore = client?.volumes?.find((text) => !text.includes("=")) ?? "";
    this.volume.value = this.volumeBefore;
    const names = (link.values.zones ?? []).map(({ zone }) => zone);
    const nameOf = (zone) => {
      const kept = this.#keptIn(zone).slice(zone.length + 1);
      return kept ? `${zone} (${rightsOf(kept).map(rightText).join(", ")})` : zone;
    };
    this.elements = [
      toggles(t("mayDo"), rights, this.rights, rightText),
      ...(names.length > 1 ? [
        h("p", { class: "muted" }, t("roomsHint")), toggles(t("rooms"), names, this.zones, nameOf),
      ] : []),
      this.until.element, field(t("songLimit"), this.songs), field(t("ceiling"), this.volume),
    ];
  }

  /** A zone as the grant names it, such as "kitchen" or "kitchen=read". */
  #keptIn(zone) {
    return this.client?.zones?.find((text) => text.startsWith(`${zone}=`)) ?? zone;
  }

  get #state() {
    return [[...this.rights].sort(), [...this.zones].sort()];
  }

  /** The grants that somebody has changed. */
  get params() {
    const [rightsBefore, zonesBefore] = JSON.parse(this.before);
    const [rightsNow, zonesNow] = this.#state;
    const params = {};
    if (this.isNew || String(rightsBefore) !== String(rightsNow)) {
      params.permissions = rightsNow.length ? [...rightsNow, ...this.others] : ["none"];
    }
    if (JSON.stringify(zonesBefore) !== JSON.stringify(zonesNow)) {
      params.zone = ["all", ...zonesNow.map((zone) => this.#keptIn(zone))];
    }
    if (this.until.param !== undefined) params.until = this.until.param;
    if (this.songs.value !== this.songsBefore) params.songs = this.songs.value === "" ? "any" : this.songs.valueAsNumber;
    if (this.volume.value !== this.volumeBefore) {
      const ofZones = this.client?.volumes?.filter((text) => text.includes("=")) ?? [];
      params.volume = ["any", ...(this.volume.value === "" ? [] : [this.volume.value]), ...ofZones];
    }
    return params;
  }
}

/** Shows a password that was made, which nobody is told again. */
function showPassword(password) {
  const text = h("input", { type: "text", readonly: true, value: password, "aria-label": t("secret") });
  text.addEventListener("focus", () => text.select());
  sheet(t("secret"), h("div", { class: "form" }, text, h("p", { class: "muted" }, t("secretHint"))));
  text.focus();
}

/**
 * Shows a client's rights, to be changed, its connections, and what it was refused.
 * @param {import("./link.js").Link} link
 * @param {object} client As `clients list` has told it.
 * @param {() => void} changed Called when something has been changed.
 */
export async function openClient(link, client, changed) {
  const id = { client: client.client };
  // It may have connected since.
  const [latest, audit] = await Promise.all([
    link.call("clients.show", id).catch(() => client), link.call("audit.list", id).catch(() => []),
  ]);
  if (!document.querySelector("dialog[open]")) new ClientSheet(link, latest, audit, changed);
}

class ClientSheet {
  constructor(link, client, audit, changed) {
    const id = { client: client.client };
    const grant = new GrantFields(link, client);
    // A name may have a password; addresses and users of the machine are known by themselves.
    const isNamed = /^[A-Za-z0-9._-]+$/.test(client.client) && !/^\d+(\.\d+){3}$/.test(client.client);
    const act = async (method) => {
      try {
        const result = await link.call(method, id);
        dialog.close();
        // One's own holds no more.
        if (result?.password && link.secret?.startsWith(`${client.client}:`)) await link.signIn(result.password);
        changed();
        if (result?.password) showPassword(result.password);
      } catch (error) {
        showError(error);
      }
    };
    const connections = (client.connections ?? []).map(({ from, program, zone, since }) =>
      entry(joined(from, program), joined(zone, t("since", { time: clockTime(Date.parse(since) / 1000) }))));
    const dialog = formSheet(client.client, grant.elements, t("saveGrant"), async () => {
      const { params } = grant;
      if (Object.keys(params).length) await link.call("clients.set", { ...id, ...params });
      return changed;
    }, [
      h("div", { class: "outputs" },
        isNamed ? wordButton(t("newSecret"), "secret", () => act("clients.password")) : null,
        client.granted === "none" ? null : wordButton(t("revoke"), "revoke", () => act("clients.revoke")),
        wordButton(t("forget"), "forget", () => act("clients.forget"))),
      h("div", { class: "entries" }, ...connections, ...refusals(audit)),
    ]);
  }
}

/** Of a client's refusals, so many are shown. */
const mostRefusals = 5;

/** What the server has refused a client last, of what `audit list` tells. */
function refusals(audit) {
  const refused = audit.filter(({ entry: kind }) => kind === "refusal").slice(-mostRefusals).reverse();
  return refused.map(({ time, text, count }) =>
    entry(count > 1 ? `${text} (${count})` : text, t("refusedLast", { time: dateTime(time) })));
}

/** A link as a QR code, for the camera of another device. */
function picture(rows) {
  const [svg, path] = ["svg", "path"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
  const margin = 4, width = rows.length + 2 * margin;
  svg.setAttribute("viewBox", `0 0 ${width} ${width}`);
  svg.setAttribute("class", "qr");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", t("codeImage"));
  svg.setAttribute("shape-rendering", "crispEdges");
  path.setAttribute("d", rows.flatMap((row, y) =>
    [...row].flatMap((one, x) => (one === "1" ? `M${x + margin} ${y + margin}h1v1h-1z` : []))).join(""));
  svg.append(path);
  return svg;
}

/** Shows an invitation that was made, which nobody is told again. */
function showInvitation({ page, qr }) {
  if (!page) return sheet(t("invitation"), h("p", { class: "muted" }, t("noPage")));
  const text = h("input", { type: "text", readonly: true, value: page, "aria-label": t("invitation") });
  text.addEventListener("focus", () => text.select());
  sheet(t("invitation"), ...(qr ? [picture(qr)] : []),
    h("div", { class: "form" }, text, h("p", { class: "muted" }, t("inviteHint"))));
}

/** The address by which other machines open this page; `undefined` where only this machine has it. */
function pageAddress(link) {
  const { hostname, href } = new URL(link.base);
  return ["localhost", "127.0.0.1", "[::1]"].includes(hostname) ? undefined : href;
}

/** Asks for the name of a new client and for what it may do, and shows its invitation, or a password. */
export function addClient(link, changed) {
  const name = h("input", {
    type: "text", required: true, maxlength: "64", pattern: "[A-Za-z0-9._\\-]+", autocomplete: "off", autocapitalize: "off",
  });
  const grant = new GrantFields(link, null);
  const dialog = formSheet(t("addClient"), [field(t("name"), name), ...grant.elements], t("invite"), async () => {
    const invitation = await link.call("pairing.invite", { name: name.value, page: pageAddress(link), ...grant.params });
    changed();
    return () => showInvitation(invitation);
  }, [
    h("div", { class: "outputs" }, wordButton(t("makeSecret"), "make password", async () => {
      if (!name.reportValidity()) return;
      try {
        const { password } = await link.call("clients.password", { client: name.value, ...grant.params });
        dialog.close();
        changed();
        showPassword(password);
      } catch (error) {
        showError(error);
      }
    })),
  ]);
}

/** Answers a client that asks to be known: whoever allows it types the code that the client shows. */
export function answerPairing(link, { request, from }, changed) {
  const code = h("input", {
    type: "text", required: true, inputmode: "numeric", maxlength: "7", autocomplete: "off", placeholder: "000000",
  });
  const grant = new GrantFields(link, null);
  const dialog = formSheet(t("asksToPair", { name: request }),
    [h("p", { class: "muted" }, joined(from, t("codeHint"))), field(t("code"), code), ...grant.elements], t("allow"),
    async () => {
      await link.call("pairing.allow", { name: request, code: code.value.trim(), ...grant.params });
      return () => {
        toast(t("allowed", { name: request }));
        changed();
      };
    },
    [h("div", { class: "outputs" }, wordButton(t("deny"), "deny", () =>
      link.call("pairing.deny", { name: request }).then(() => dialog.close(), showError)))]);
}
