// The state of the server, as `segue doctor` examines it: what is wrong, and what to do.

import { sentenceOf } from "./ui.js";

/** The most that is asked for to find out what is wrong, and what a client may not know is left out. */
const questions = ["stats", "session.players", "session.foreign", "audit.doors", "route.list"];

/**
 * Asks the server for what its topics do not tell.
 * @param {import("./link.js").Link} link
 * @returns {Promise<object>} Results by the names of methods; without those that were refused.
 */
export async function examine(link) {
  const results = await link.batch(questions.map((method) => [method]));
  return Object.fromEntries(questions.map((method, index) => [method, results[index]])
    .filter(([, result]) => !(result instanceof Error)));
}

/**
 * @typedef {object} Finding
 * @property {"warning" | "problem"} level
 * @property {string} [text] A key of the page's words.
 * @property {object} [values] Of the text.
 * @property {string} [sentence] The server's, instead of a text.
 * @property {string} [advice] A key of the page's words, or the server's sentence where it has told the other one.
 * @property {{ text: string, values?: object, method: string, params?: object, right: string }} [action]
 */

/**
 * All that is wrong, the worst first.
 * @param {object} values The topics' values.
 * @param {object} answers The results of `examine`.
 * @returns {Finding[]}
 */
export function findings({ player, outputs, routes, mixer, library }, answers) {
  const list = [...findingsOfSound(outputs, routes, answers["route.list"]), ...findingsOfLibrary(library, answers.stats)];
  if (player?.error) {
    const action = { text: "clearError", method: "clearerror", right: "player" };
    list.push({ level: "problem", sentence: withLead("player", player.error), action });
  }
  if (mixer?.volume === 0 && player?.state === "playing") list.push({ level: "warning", text: "findVolume" });
  for (const door of answers["audit.doors"] ?? []) {
    const sentence = sentenceOf("door", door.reason, door) ?? door.door;
    list.push({ level: "warning", sentence, advice: sentenceOf("advice", door.reason, door) ?? door.advice });
  }
  if (answers["session.players"]?.mpris === "disconnected") {
    list.push({ level: "warning", text: "findNoBus", advice: "findNoBusAdvice" });
  }
  if (answers["session.foreign"]?.foreign === "disconnected") list.push({ level: "warning", text: "findForeign" });
  return list.sort((one, other) => (other.level === "problem") - (one.level === "problem"));
}

/** The server's sentence, and before it what it is about in another language. */
function withLead(kind, sentence) {
  return `${sentenceOf("lead", kind) ?? ""}${sentence}`;
}

function findingsOfSound(outputs, routes, sinks) {
  if (!outputs) return [];
  const list = [];
  const enabled = outputs.filter((output) => output.enabled);
  if (!outputs.length) {
    list.push({ level: "problem", text: "findNoOutput", advice: "findNoOutputAdvice" });
  } else if (!enabled.length) {
    const { output, name } = outputs[0];
    const action = { text: "switchOn", values: { name }, method: "enableoutput", params: { output }, right: "outputs" };
    list.push({ level: "problem", text: "findOutputsOff", action });
  } else if (enabled.every(({ plugin }) => plugin === "null")) {
    const values = { name: enabled.map(({ name }) => name).join(", ") };
    list.push({ level: "warning", text: "findSilent", values, advice: "findSilentAdvice" });
  }
  for (const { name, attributes } of enabled) {
    const error = attributes?.find((text) => text.startsWith("error="))?.slice("error=".length);
    if (error) list.push({ level: "problem", sentence: withLead("output", `${name}: ${error}`) });
  }
  for (const { output, enabled, lost } of routes ?? []) {
    if (!enabled || !lost) continue;
    const action = { text: "playElsewhere", method: "route.set", params: { sink: "default" }, right: "outputs" };
    list.push({ level: "problem", sentence: withLead("route", `${output}: ${lost}`), action });
  }
  for (const { sink, current, muted, volume } of sinks ?? []) {
    if (!current) continue;
    if (muted) list.push({ level: "warning", text: "findMuted", values: { name: sink } });
    else if (volume === 0) list.push({ level: "warning", text: "findSinkQuiet", values: { name: sink } });
  }
  return list;
}

function findingsOfLibrary(library, stats) {
  if (!library) return [];
  if (library.message) return [{ level: "warning", sentence: withLead("library", library.message) }];
  const list = [];
  if (stats?.songs === 0 && library.updating === undefined) {
    const action = { text: "update", method: "update", right: "control" };
    list.push({ level: "warning", text: "findEmpty", advice: "findEmptyAdvice", action });
  }
  if (library.paused) {
    list.push({ level: "warning", text: "findPaused", action: { text: "resume", method: "library.resume", right: "control" } });
  }
  return list;
}
