// The sheet of a room's limit: the most that it plays, whoever asks for more.

import { Validity, field, formSheet } from "./cards.js";
import { h, showError, t } from "./ui.js";

/**
 * Shows a room's limit, to be changed by its owner.
 * @param {import("./link.js").Link} link
 */
export async function openLimit(link, zone) {
  let limit;
  try {
    limit = (await link.call("ceiling.list")).find((one) => one.zone === zone) ?? {};
  } catch (error) {
    return showError(error);
  }
  const percent = (key, placeholder) => h("input", {
    type: "number", min: 0, max: 100, inputmode: "numeric", placeholder, value: limit[key] ?? "", "data-key": key,
  });
  const volume = percent("volume", "100"), alarms = percent("alarms", "");
  const hours = h("input", {
    type: "text", placeholder: "20:00-07:00", value: limit.hours ?? "", autocomplete: "off", "data-key": "hours",
  });
  const until = new Validity(limit.until);
  formSheet(t("limitOf", { name: zone }),
    [field(t("roomCeiling"), volume), field(t("alarmCeiling"), alarms), field(t("limitHours"), hours), until.element],
    t("saveGrant"), async () => {
      if (volume.value === "" && limit.speed === undefined) return void (await link.call("ceiling.clear", { zone }));
      await link.call("ceiling.set", {
        zone, volume: volume.value === "" ? "any" : volume.valueAsNumber,
        alarms: alarms.value === "" ? "limited" : alarms.valueAsNumber, hours: hours.value.trim() || "always",
        until: until.param,
      });
    });
}
