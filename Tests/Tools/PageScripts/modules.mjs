// The page's modules without a browser: PAGE_FOLDER=FOLDER node --test modules.mjs

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import test from "node:test";

globalThis.HTMLElement = class {};
globalThis.customElements = { define() {} };
const folder = process.env.PAGE_FOLDER;
const load = (name) => import(pathToFileURL(`${folder}/${name}`));

const { Queue } = await load("link.js");
const ui = await load("ui.js");
const shelves = await load("shelves.js");
const { parts } = await load("queue.js");
const { causesOf, chapterAt, latestOnly, linesOf, soundOf } = await load("now.js");
const { daysOf } = await load("house.js");
const { listenersOf, volumesOf } = await load("rooms.js");
const { findings } = await load("findings.js");
const { default: german, sentences } = await load("de.js");

test("a queue follows its edits", () => {
  const queue = new Queue();
  assert.ok(queue.apply({ queue_version: 1, ids: [1, 2, 3, 4] }));
  queue.songs.set(3, { id: 3 });
  assert.ok(queue.apply({ queue_version: 2, after: 1, replace: { position: 2, count: 1, ids: [7, 8] } }));
  assert.deepEqual(queue.ids, [1, 7, 8, 3, 4]);
  assert.ok(queue.apply({ queue_version: 3, after: 2, move: { position: 4, count: 2, to: 1 } }));
  assert.deepEqual(queue.ids, [3, 4, 1, 7, 8]);
  assert.ok(queue.apply({ queue_version: 4, after: 3, changed: [3] }));
  assert.equal(queue.songs.has(3), false);
  // One that was missed.
  assert.equal(queue.apply({ queue_version: 9, after: 8, changed: [1] }), false);
  assert.deepEqual(queue.ids, [3, 4, 1, 7, 8]);
});

test("a queue of 100,000 takes an edit", () => {
  const queue = new Queue();
  const ids = Array.from({ length: 100_000 }, (_, index) => index + 1);
  queue.apply({ queue_version: 1, ids });
  queue.apply({ queue_version: 2, after: 1, replace: { position: 1, count: 100_000, ids: [...ids].reverse() } });
  assert.equal(queue.ids[0], 100_000);
  assert.equal(queue.ids.length, 100_000);
});

test("a move is shown until the server has told it, whatever is told before", async () => {
  const queue = new Queue();
  queue.apply({ queue_version: 1, ids: [1, 2, 3] });
  let answer;
  const moved = queue.move(3, 0, new Promise((done) => (answer = done)));
  assert.deepEqual(queue.ids, [3, 1, 2]);
  queue.apply({ queue_version: 2, after: 1, replace: { position: 4, count: 0, ids: [4] } });
  assert.deepEqual(queue.ids, [3, 1, 2, 4]);
  answer();
  await moved;
  queue.apply({ queue_version: 3, after: 2, move: { position: 3, count: 1, to: 1 } });
  assert.deepEqual(queue.ids, [3, 1, 2, 4]);
  // One that is refused is taken back.
  await assert.rejects(queue.move(4, 0, Promise.reject(new Error("no"))));
  assert.deepEqual(queue.ids, [3, 1, 2, 4]);
});

test("all words are there in German, with the same values in them", () => {
  const values = (text) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
  assert.deepEqual(Object.keys(german).sort(), Object.keys(ui.english).sort());
  for (const [key, text] of Object.entries(ui.english)) assert.deepEqual(values(german[key]), values(text), key);
});

test("there are no words that nothing shows", () => {
  const texts = readdirSync(folder).filter((name) => name.endsWith(".js") && name !== "de.js")
    .map((name) => readFileSync(`${folder}/${name}`, "utf8")).join("\n");
  const views = ["now", "queue", "library", "rooms", "house"];
  const unused = Object.keys(ui.english).filter((key) => !views.includes(key) && !texts.includes(`"${key}"`) &&
    !(key in shelves.shelves));
  assert.deepEqual(unused, []);
});

test("numbers are written as people write them", () => {
  assert.deepEqual([0, 59.9, 61, 3600, 36_061].map(ui.duration), ["0:00", "0:59", "1:01", "1:00:00", "10:01:01"]);
  assert.deepEqual([undefined, NaN, Infinity].map(ui.duration), ["", "", ""]);
  assert.equal(ui.titleOf({ file: "a/b c.flac" }), "b c.flac");
  assert.equal(ui.titleOf(undefined), "Untitled");
  assert.equal(ui.t("removed", { title: "{n} $& $1" }), "“{n} $& $1” removed");
});

test("texts in filters and addresses stay what they are", () => {
  assert.equal(shelves.quoted('a "b" \\ \''), '"a \\"b\\" \\\\ \'"');
  assert.equal(shelves.all("a == \"1\""), "(a == \"1\")");
  assert.equal(shelves.all("a", "b"), "((a) AND (b))");
  const path = shelves.pathOf("album", "AC/DC #1?", "50%");
  assert.equal(path.split("/").length, 3);
  assert.deepEqual(path.split("/").map(decodeURIComponent), ["album", "AC/DC #1?", "50%"]);
});

test("a shelf asks for each page once, and again where it has failed", async () => {
  const asked = [];
  let fails = false;
  const link = { call: async (method, params) => {
    if (method === "count") return { songs: 1000 };
    if (fails) throw new Error("lost");
    asked.push(params.offset);
    return Array.from({ length: params.limit }, (_, index) => ({ file: `${params.offset + index}`, title: `${params.offset + index}` }));
  } };
  const shelf = await shelves.open(link, shelves.pathOf("genre", "Rock"));
  assert.deepEqual([shelf.count, shelf.at(5).title, shelf.at(150)], [1000, "5", undefined]);
  fails = true;
  await assert.rejects(shelf.fetch(140, 160));
  fails = false;
  assert.equal(await shelf.fetch(140, 160), true);
  assert.equal(await shelf.fetch(140, 199), false);
  assert.equal(await shelf.fetch(990, 1000), true);
  assert.deepEqual(asked, [0, 100, 900]);
  assert.deepEqual([shelf.at(150).title, shelf.at(999).title], ["150", "999"]);
});

test("addresses are parted so that messages are not too long", () => {
  const files = Array.from({ length: 3000 }, (_, index) => "ü".repeat(100) + index);
  const some = parts(files);
  assert.deepEqual(some.flat(), files);
  assert.ok(some.every((part) => JSON.stringify(part.map((uri) => ["add", { uri }])).length * 2 < 60_000));
  assert.deepEqual(parts(["x".repeat(100_000), "y"]).map((part) => part.length), [1, 1]);
});

test("lines say what the rest of the view does not", () => {
  const player = { song: { format: "44100:16:2" }, audio: "48000:f:2" };
  const why = [{ cause: "it is playing at its set volume", reason: "playing" }];
  const zone = { player, why, sleep: {}, announcements: [] };
  assert.deepEqual(linesOf(zone), ["44.1 kHz · 16 bit · stereo"]);
  zone.why = [{ cause: "6 dB quieter for call" }];
  zone.announcements = [{ state: "ended", text: "old" }, { state: "playing", text: "Dinner" }];
  assert.deepEqual(linesOf(zone).slice(0, 2), ["Announcement: Dinner", "6 dB quieter for call"]);
  zone.why = [{ cause: "paused", reason: "paused" }];
  assert.equal(linesOf(zone).length, 2);
  zone.why = [{ cause: "paused by the sleep timer", reason: "paused", by: "the sleep timer" }];
  assert.equal(linesOf(zone)[1], "Paused by the sleep timer");
  assert.equal(soundOf({ audio: "*:*:*" }), "");
});

test("the server's sentences are German in a German page, and stay what they are where the page has none", async () => {
  globalThis.document = { documentElement: {} };
  const causes = [
    { cause: "interrupted by a call", reason: "interrupted", kind: "system", name: "call", class: "call" },
    { cause: "interrupted by a call 'Mum'", reason: "interrupted", kind: "system", name: "Mum", class: "call" },
    { cause: "6.5 dB quieter for the alarm 'Up'", reason: "ducked", kind: "alarm", name: "Up", class: "alarm", gain: -6.5 },
    { cause: "paused by the sleep timer", reason: "paused", by: "the sleep timer" },
    { cause: "paused by uid 7", reason: "paused", by: "uid 7" },
    {
      cause: "paused by a call", reason: "paused", by: "a call", session: 4, kind: "system", name: "call", class: "call",
    },
    { cause: "something new", reason: "unheard of" },
  ];
  const door = { door: "a wide one", advice: "Close it", reason: "stream", output: "Web", port: 8000 };
  const texts = () => findings({}, { "audit.doors": [door] }).flatMap(({ sentence, advice }) => [sentence, advice]);
  const error = Object.assign(new Error("no such song"), { ack: 50 });
  assert.deepEqual(causesOf(causes).at(-1), "Something new");
  assert.deepEqual(texts(), ["a wide one", "Close it"]);
  assert.equal(ui.errorText(error), "no such song");
  await ui.chooseLanguage(["de-CH"]);
  assert.deepEqual(causesOf(causes), [
    "Unterbrochen durch einen Anruf", "Unterbrochen durch den Anruf „Mum“", "6,5 dB leiser für den Wecker „Up“",
    "Angehalten durch die Einschlafzeit", "Angehalten durch uid 7", "Angehalten durch einen Anruf", "Something new",
  ]);
  assert.equal(texts()[0], "Ausgang „Web“: Wer Port 8000 dieses Rechners erreicht, hört mit");
  assert.equal(ui.errorText(error), "Das gibt es nicht. (no such song)");
  await ui.chooseLanguage(["en"]);
});

test("there is a German sentence for every reason in the manual", () => {
  const manual = readFileSync(new URL("../../../man/segue-protocol.7", import.meta.url), "utf8");
  const list = manual.match(/\.B reason\nis one of these:\n([^]*?)\n\.RE/)[1];
  const reasons = list.match(/^\.BR? [a-z].*(?=\n)/gm).filter((line, index, lines) => list.includes(`.TP\n${line}`))
    .flatMap((line) => line.slice(4).match(/[a-z]+/g));
  assert.ok(reasons.length > 15);
  const usual = ["playing", "queueempty", "queueended"];
  assert.deepEqual(reasons.filter((reason) => !usual.includes(reason) && !(`why ${reason}` in sentences)), []);
});

test("only so many songs of a queue are known at a time", () => {
  const queue = new Queue();
  for (let id = 1; id <= 5000; id += 1) queue.keep([{ id }]);
  assert.deepEqual([queue.songs.size, queue.songs.has(3000), queue.songs.has(5000)], [2000, false, true]);
});

test("days of an alarm are those of its text", () => {
  assert.deepEqual(daysOf("mon-wed,sun"), ["mon", "tue", "wed", "sun"]);
  assert.deepEqual(daysOf("sat-mon"), ["mon", "sat", "sun"]);
  assert.equal(daysOf("daily").length, 7);
  assert.deepEqual(daysOf(undefined), []);
});

test("volumes and listeners are read from outputs", () => {
  const attributes = ["listeners=3", "volume:Living room=40", "volume:=7", "volume:x=loud", "stream=opus"];
  assert.deepEqual(volumesOf(attributes), [
    { attribute: "volume:Living room", name: "Living room", volume: 40 }, { attribute: "volume:", name: "", volume: 7 },
  ]);
  assert.equal(listenersOf(attributes), 3);
  assert.equal(listenersOf(undefined), 0);
  assert.deepEqual(volumesOf(undefined), []);
});

test("of many wishes the latest is sent, and one at a time", async () => {
  const sent = [];
  let ended = 0;
  let answer;
  const wishes = latestOnly((value) => new Promise((done) => {
    sent.push(value);
    answer = done;
  }), () => (ended += 1));
  for (const value of [1, 2, 3]) wishes.send(value);
  assert.deepEqual(sent, [1]);
  answer();
  await new Promise(setImmediate);
  assert.deepEqual(sent, [1, 3]);
  assert.equal(ended, 0);
  answer();
  await new Promise(setImmediate);
  assert.equal(ended, 1);
  assert.equal(wishes.isBusy, false);
});

test("a place is in the chapter that began last", () => {
  const chapters = [{ start: 2 }, { start: 10 }];
  assert.equal(chapterAt(chapters, 0), chapters[0]);
  assert.equal(chapterAt(chapters, 9.9), chapters[0]);
  assert.equal(chapterAt(chapters, 10), chapters[1]);
});

test("what is wrong is found, the worst first", () => {
  const output = { output: 1, name: "Kitchen", plugin: "pulse", enabled: true };
  const well = { player: { state: "playing" }, outputs: [output], mixer: { volume: 40 }, library: { revision: 1 } };
  const answers = { stats: { songs: 3 }, "route.list": [{ sink: "a", current: true, muted: false, volume: 0.5 }] };
  assert.deepEqual(findings(well, answers), []);
  const texts = (values, more = {}) =>
    findings({ ...well, ...values }, { ...answers, ...more }).map(({ text, sentence }) => text ?? sentence);
  assert.deepEqual(texts({ outputs: [] }), ["findNoOutput"]);
  assert.deepEqual(texts({ outputs: [{ ...output, enabled: false }] }), ["findOutputsOff"]);
  assert.deepEqual(texts({ outputs: [{ ...output, plugin: "null" }] }), ["findSilent"]);
  assert.deepEqual(texts({ outputs: [{ ...output, attributes: ["error=gone"] }] }), ["Kitchen: gone"]);
  assert.deepEqual(texts({ routes: [{ output: "Kitchen", enabled: true, lost: "usb is away" }] }), ["Kitchen: usb is away"]);
  assert.deepEqual(texts({ mixer: { volume: 0 }, player: { state: "playing", error: "no {n}" } }), ["no {n}", "findVolume"]);
  assert.deepEqual(texts({ library: { paused: true } }, { stats: { songs: 0 } }), ["findEmpty", "findPaused"]);
  assert.deepEqual(texts({ library: { message: "no such folder" } }, { stats: { songs: 0 } }), ["no such folder"]);
  assert.deepEqual(texts({}, { "route.list": [{ sink: "a", current: true, muted: true, volume: 1 }] }), ["findMuted"]);
  assert.deepEqual(texts({}, { "audit.doors": [{ door: "wide", advice: "close it" }] }), ["wide"]);
  // A client without rights is told nothing, and that is no finding.
  assert.deepEqual(findings({}, {}), []);
});
