// The sheets of what is chosen for the song that plays: speed, audio track, sleep timer.

import { chapterAt, seek } from "./now.js";
import { choice, duration, h, joined, language, sheet, showError, t } from "./ui.js";

const rates = [0.75, 1, 1.25, 1.5, 1.75, 2], sleepMinutes = [15, 30, 45, 60, 90];

/** @param {import("./link.js").Link} link */
export function chooseSpeed(link) {
  const now = link.values.options?.speed ?? 1;
  const set = (rate) => link.act("speed", { rate }, "options", { speed: rate }).catch(showError);
  sheet(t("speed"), h("div", { class: "choices" },
    ...rates.map((rate) => choice("gauge", `${rate.toLocaleString(language)}×`, () => set(rate), rate === now))));
}

/** @param {import("./link.js").Link} link */
export async function chooseTrack(link) {
  const groups = await link.call("mediaselection");
  const group = groups.find(({ group }) => group === "audible");
  const choose = (option) => link.call("selectmedia", { group: "audible", option }).catch(showError);
  const options = group?.options.map((option) =>
    choice("tracks", nameOf(option), () => choose(String(option.number)), !group.automatic && option.selected)) ?? [];
  sheet(t("tracks"), h("div", { class: "choices" },
    choice("tracks", t("automatic"), () => choose("auto"), group?.automatic ?? true), ...options));
}

function nameOf({ name, language: tag, codec, number }) {
  const spoken = tag ? languageName(tag) : null;
  return joined(name ?? spoken ?? String(number), name ? spoken : null, codec);
}

/** A language in the page's; its tag, where that is not one. */
function languageName(tag) {
  try {
    return new Intl.DisplayNames(language, { type: "language", fallback: "code" }).of(tag);
  } catch {
    return tag;
  }
}

/** @param {import("./link.js").Link} link */
export function chooseChapter(link, chapters) {
  const now = chapterAt(chapters, link.elapsed);
  const may = link.may("player");
  const rows = chapters.map((chapter) => {
    const text = joined(duration(chapter.start), chapter.title ?? t("chapterNumber", { n: chapter.chapter }));
    const row = choice("chapters", text, () => seek(link, chapter.start).catch(showError), chapter === now);
    row.disabled = !may;
    return row;
  });
  sheet(t("chapters"), h("div", { class: "choices" }, ...rows));
  rows[chapters.indexOf(now)]?.scrollIntoView({ block: "center" });
}

/** @param {import("./link.js").Link} link */
export function chooseSleep(link, chapters) {
  const { sleep } = link.values;
  const set = (time) => link.call("sleep", { time }).catch(showError);
  sheet(t("sleep"), h("div", { class: "choices" },
    choice("close", t("off"), () => set("off"), !(sleep?.at ?? sleep?.after)),
    ...sleepMinutes.map((n) => choice("moon", t("minutes", { n }), () => set(`${n}m`))),
    ...(chapters.length > 1 ? [
      choice("chapters", t("endofchapter"), () => set("chapter"), sleep?.after === "chapter"),
    ] : []),
    choice("note", t("endofsong"), () => set("endofsong"), sleep?.after === "endofsong"),
    choice("queue", t("endofqueue"), () => set("queue"), sleep?.after === "queue")));
}
