// Uses the page as people do, in a real browser, beside another client: node page.mjs SCENARIO ADDRESS FOLDER [SECRET [CODE]]
//
// Prints a line of JSON with what it has measured, or ends with what was not as it should be.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { Browser, phone } from "./browser.mjs";

const [scenario, address, folder, secret, code] = process.argv.slice(2);
const screens = [[390, 844], [768, 1024], [1440, 900]];
const views = ["now", "queue", "library", "library/artists", "library/albums", "library/recent", "library/folders", "rooms", "house", "settings"];

/** A method, by another client. */
async function api(method, params) {
  const response = await fetch(new URL("api", address), {
    method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** Waits for a state of the server, which another client sees. */
async function until(isSo, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`not in time: ${isSo}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

const isOpen = 'document.documentElement.dataset.status === "open"';
const status = async () => (await api("status")).state;
const click = (page, selector) => page.value(`document.querySelector(${JSON.stringify(selector)}).click()`);

const type = async (page, selector, text) => {
  await page.value(`document.querySelector(${JSON.stringify(selector)}).focus()`);
  await page.send("Input.insertText", { text });
};
const hasEntry = (title) => `[...document.querySelectorAll('.entry .title')].some((one) => one.textContent === ${JSON.stringify(title)})`;

const listeners = async () => (await api("outputs")).flatMap(({ attributes }) => attributes ?? []).find((text) => text.startsWith("listeners="));

async function signIn(page, place, password) {
  await page.until(`document.querySelector("${place} input[type=password]")`);
  await page.value(`document.querySelector("${place} input[type=password]").value = ""`);
  await type(page, `${place} input[type=password]`, password);
  await click(page, `${place} form:has(input[type=password]) [type=submit]`);
}

async function show(page, view) {
  await page.goTo("about:blank");
  await page.goTo(`${address}#/${view}`);
  await page.until(`document.querySelector("segue-${view.split("/")[0]}") && ${isOpen}`);
}

const scenarios = {
  /** A phone: what the first visit weighs, what is shown, and that both sides see what the other does. */
  async smoke(page) {
    await page.emulate(phone);
    await api("stop");
    await page.goTo(address);
    await page.until(`${isOpen} && document.querySelector("segue-now h1").textContent !== ""`);
    const own = page.requests.filter(({ url }) => !/\/(art|api)\//.test(new URL(url).pathname));
    const bytes = own.reduce((sum, request) => sum + request.bytes, 0);
    assert.ok(own.length >= 6 && own.length <= 8, `requests: ${own.map(({ url }) => url)}`);
    assert.ok(bytes > 1000 && bytes <= 60_000, `bytes: ${bytes}`);
    await click(page, "segue-now .primary");
    await until(async () => (await status()) === "playing");
    await page.until('document.querySelector("segue-now .primary").title === "Pause"');
    await api("setvol", { volume: 37 });
    await page.until('document.querySelector("segue-now .volume input").value === "37"');
    const title = (await api("currentsong")).title;
    await page.until(`document.querySelector("segue-now h1").textContent === ${JSON.stringify(title)}`);
    await page.press("k");
    await until(async () => (await status()) === "paused");
    return { requests: own.length, bytes };
  },

  /** All views, with whatever stands in tags: nothing of it runs, and all that can be used has a name. */
  async views(page) {
    for (const [width, height] of screens) {
      for (const isDark of [false, true]) {
        await page.emulate({ width, height, isDark });
        for (const view of views) {
          await show(page, view);
          const isEmpty = "![...document.querySelectorAll('.row .title')].some((one) => one.textContent === '…')";
          await page.until(isEmpty);
          const name = `${view.replace("/", "-")}-${width}-${isDark ? "dark" : "light"}`;
          writeFileSync(`${folder}/${name}.png`, Buffer.from(await page.screenshot(), "base64"));
          assert.equal(await page.value("window.owned"), undefined);
          const wide = await page.value("document.documentElement.scrollWidth");
          assert.ok(wide <= width, `${name} is ${wide} pixels wide`);
          const { nodes } = await page.send("Accessibility.getFullAXTree");
          const nameless = nodes.filter(({ ignored, role, name }) =>
            !ignored && ["button", "link", "slider", "textbox", "searchbox"].includes(role.value) && !name?.value);
          assert.deepEqual(nameless, [], name);
        }
      }
    }
    return {};
  },

  /** Keys, search, play, drag, undo. */
  async use(page) {
    await page.emulate({ width: 1440, height: 900 });
    await api("clear");
    await show(page, "now");
    await page.press("/");
    await page.until("document.activeElement.matches('.search')");
    await page.send("Input.insertText", { text: "spoon" });
    await page.until("document.querySelector('.row .title')?.textContent === 'Spoon'");
    await click(page, ".row .song");
    await until(async () => (await status()) === "playing");
    assert.equal((await api("currentsong")).title, "Spoon");
    await api("add", { uri: "" });
    await page.value("location.hash = '#/queue'");
    const titles = "[...document.querySelectorAll('segue-queue .row')].sort((a, b) => a.dataset.place - b.dataset.place)" +
      ".map((row) => row.querySelector('.title').textContent)";
    await page.until(`${titles}.length > 4 && !${titles}.includes("…")`);
    const queue = async () => (await api("playlistinfo")).map(({ title }) => title);
    const before = await queue();
    // By the handle of the second row, below the third.
    const grip = JSON.parse(await page.value("JSON.stringify(document.querySelector('[data-place=\"1\"] .grip').getBoundingClientRect())"));
    const [x, y] = [grip.x + grip.width / 2, grip.y + grip.height / 2];
    const mouse = (type, y) => page.send("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: 1, clickCount: 1 });
    await mouse("mousePressed", y);
    for (const step of [16, 32, 48, 64]) await mouse("mouseMoved", y + step);
    await page.until("document.querySelector('.dragged')?.style.transform === 'translateY(128px)'");
    await mouse("mouseReleased", y + 64);
    const moved = [before[0], before[2], before[1], ...before.slice(3)];
    await until(async () => JSON.stringify(await queue()) === JSON.stringify(moved));
    await page.until(`JSON.stringify(${titles}) === ${JSON.stringify(JSON.stringify(moved))}`);
    // The same back, by keys.
    await page.value("document.querySelector('[data-place=\"2\"]').focus()");
    await page.press("ArrowUp", 1);
    await until(async () => JSON.stringify(await queue()) === JSON.stringify(before));
    await page.value("document.querySelector('[data-place=\"1\"]').focus()");
    await page.press("Delete");
    await until(async () => (await queue()).length === before.length - 1);
    await page.until("document.querySelector('.toast button')");
    await click(page, ".toast button");
    await until(async () => JSON.stringify(await queue()) === JSON.stringify(before));
    await click(page, "segue-queue .bar button:last-child");
    await until(async () => (await queue()).length === 0);
    await page.until("!document.querySelector('segue-queue .empty').hidden");
    await click(page, ".toast button");
    await until(async () => JSON.stringify(await queue()) === JSON.stringify(before));
    await until(async () => (await status()) === "playing");
    return {};
  },

  /** Others change what is shown, and people press what does nothing. */
  async changes(page) {
    await page.emulate({ width: 1440, height: 900 });
    const [own, other] = (await api("listpartitions")).map(({ zone }) => zone);
    const queue = async () => (await api("playlistinfo")).map(({ id }) => id);
    const rows = (view) => page.value(`[...document.querySelectorAll("${view} .row")].map((row) => row.dataset.place + row.querySelector(".title").textContent)`);
    const areWhole = async (view, count) => {
      await page.until(`document.querySelectorAll("${view} .row").length === ${count}`);
      await page.until(`![...document.querySelectorAll("${view} .title")].some((one) => one.textContent === "…")`);
      assert.equal(new Set((await rows(view)).map((text) => parseInt(text, 10))).size, count);
    };
    // Shelves one after another leave no rows behind.
    await show(page, "library/albums");
    await page.until("document.querySelector('segue-library segue-list').count > 0");
    const albums = await page.value("document.querySelector('segue-library segue-list').count");
    const { songs } = await api("count", { filter: "(album == 'Ege Bamyasi')" });
    for (let round = 0; round < 4; round += 1) {
      await page.value("location.hash = '#/library/album/Ege%20Bamyasi/Can'");
      await areWhole("segue-library", songs);
      await page.value("history.back()");
      await areWhole("segue-library", albums);
    }
    // Addresses that are none.
    for (const path of ["library/nonsense", "library/%E0", "library/album", "library/playlist/nope", "toString"]) {
      await page.value(`location.hash = "#/${path}"`);
      await page.until(`!document.querySelector("main h1").textContent.includes("…")`);
    }
    // A text that no message holds.
    await page.value("location.hash = '#/library'");
    await page.until("!document.querySelector('.search').hidden");
    await page.value(`{ const field = document.querySelector(".search"); field.value = "x".repeat(70000); field.dispatchEvent(new Event("input")); }`);
    await page.until("!document.querySelector('segue-library .empty').hidden");
    assert.ok(await page.value(isOpen));
    // Words whose songs have not come when a shelf is opened are searched for on the way back.
    const typed = (words) => `{ const field = document.querySelector(".search"); field.value = "${words}"; field.dispatchEvent(new Event("input")); }`;
    const hasFirst = (title) => `document.querySelector("segue-library .row .title")?.textContent.startsWith("${title}")`;
    await page.value(typed("can"));
    await page.until(hasFirst("Can"));
    await page.value(`${typed("neu")} location.hash = "#/library/albums"`);
    await areWhole("segue-library", albums);
    await page.value("history.back()");
    await page.until(hasFirst("Neu!"));
    // Nothing is skipped for what cannot be played.
    await api("play", { position: 2 });
    const playing = (await api("status")).id;
    await page.value(`{ const field = document.querySelector(".search"); field.value = "foo://bar"; field.dispatchEvent(new Event("input")); }`);
    await page.until("document.querySelector('.row .title')?.textContent === 'foo://bar'");
    await click(page, ".row .song");
    await page.until("document.querySelector('.toast')");
    assert.equal((await api("status")).id, playing);
    // A queue without songs, and back.
    await page.value("location.hash = '#/queue'");
    await areWhole("segue-queue", (await queue()).length);
    const choose = async (zone) => {
      await click(page, "#room");
      await page.value(`[...document.querySelectorAll("dialog .choice")].find((one) => one.textContent === ${JSON.stringify(zone)}).click()`);
      await page.until(`document.querySelector('#room span').textContent === ${JSON.stringify(zone)}`);
    };
    await choose(other);
    await page.until("!document.querySelector('segue-queue .empty').hidden");
    await choose(own);
    await areWhole("segue-queue", (await queue()).length);
    // The song that is dragged is the one that is moved.
    const before = await queue();
    const grip = JSON.parse(await page.value("JSON.stringify(document.querySelector('[data-place=\"5\"] .grip').getBoundingClientRect())"));
    const [x, y] = [grip.x + grip.width / 2, grip.y + grip.height / 2];
    const mouse = (type, y) => page.send("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: 1, clickCount: 1 });
    await mouse("mousePressed", y);
    for (const step of [64, 128, 192]) await mouse("mouseMoved", y - step);
    await page.until("document.querySelector('.dragged')?.style.transform === 'translateY(128px)'");
    await api("deleteid", { id: before[0] });
    await areWhole("segue-queue", before.length - 1);
    await mouse("mouseReleased", y - 192);
    const moved = before.slice(1).filter((id) => id !== before[5]);
    moved.splice(2, 0, before[5]);
    await until(async () => JSON.stringify(await queue()) === JSON.stringify(moved));
    // A press on a row plays it, and one on its button tells more.
    await click(page, '[data-place="3"] .song');
    await until(async () => (await api("status")).id === moved[3]);
    await click(page, '[data-place="3"] [title]:last-child');
    await page.until("document.querySelector('dialog[open] .choice')");
    await click(page, "dialog [title=Close]");
    // A drag goes on although others move songs past it, and ends with the view.
    await mouse("mousePressed", y);
    await mouse("mouseMoved", y - 64);
    await page.until("document.querySelector('.dragged')");
    await api("move", { position: 1, to: moved.length });
    await until(async () => (await queue()).at(-1) === moved[0]);
    await page.until(`document.querySelector("segue-queue [data-place='${moved.length - 1}'] .title").textContent !== "…"`);
    await mouse("mouseMoved", y - 128);
    await mouse("mouseReleased", y - 128);
    await page.until("!document.querySelector('.dragged')");
    await mouse("mousePressed", y);
    await mouse("mouseMoved", y - 64);
    await page.value("location.hash = '#/now'");
    await page.until("document.querySelector('segue-now')");
    await mouse("mouseReleased", y - 64);
    await page.value("location.hash = '#/queue'");
    await page.until("document.querySelector('segue-queue') && !document.querySelector('.dragged')");
    // A row that moves keeps the focus, and Tab reaches its own buttons.
    await areWhole("segue-queue", moved.length);
    await page.value("document.querySelector('[data-place=\"2\"]').focus()");
    const label = await page.value("document.activeElement.ariaLabel");
    await api("move", { position: 1, to: moved.length });
    await page.until("document.activeElement.dataset.place === '1'");
    await page.press("Tab");
    assert.equal(await page.value("document.activeElement.closest('button').closest('.row').ariaLabel"), label);
    // Two are removed by the same key, and what is under it keeps the focus.
    await page.value("document.querySelector('[data-place=\"1\"]').focus()");
    for (const count of [moved.length - 1, moved.length - 2]) {
      await page.press("Delete");
      await until(async () => (await queue()).length === count);
      await areWhole("segue-queue", count);
      await page.until("document.activeElement.dataset.place === '1'");
    }
    // A change in one room is not taken back in another.
    await page.until("document.querySelector('.toast button')");
    await choose(other);
    assert.equal(await page.value("document.querySelector('.toast')"), null);
    await choose(own);
    // A press on the place where the song is.
    await page.value("location.hash = '#/now'");
    await api("play");
    await page.until("document.querySelector('.position').max > 100");
    const bar = JSON.parse(await page.value("JSON.stringify(document.querySelector('.position').getBoundingClientRect())"));
    const thumb = { x: bar.x + bar.width / 2, y: bar.y + bar.height / 2, button: "left", buttons: 1, clickCount: 1 };
    for (const type of ["mousePressed", "mouseReleased", "mousePressed", "mouseReleased"]) await page.send("Input.dispatchMouseEvent", { type, ...thumb });
    await page.until("document.querySelector('.position').value > document.querySelector('.position').max * 0.45");
    const then = await page.value("Number(document.querySelector('.position').value)");
    await page.until(`document.querySelector(".position").value > ${then + 1}`);
    // A key that is held does not skip one song after another.
    const song = (await api("status")).id;
    for (const autoRepeat of [false, true, true]) {
      await page.send("Input.dispatchKeyEvent", { type: "keyDown", key: "n", text: "n", autoRepeat });
    }
    const following = await queue();
    await until(async () => (await api("status")).id === following[following.indexOf(song) + 1]);
    return {};
  },

  /** Words that follow the song, and go with it. */
  async lyrics(page) {
    await page.emulate({ width: 390, height: 844 });
    await api("play", { position: 1 });
    await show(page, "now");
    const button = "segue-now [title='Lyrics']";
    await page.until(`!document.querySelector("${button}").hidden`);
    // A double press opens and closes.
    await page.value(`document.querySelector("${button}").click(); document.querySelector("${button}").click()`);
    await click(page, button);
    await page.until("document.querySelectorAll('.lyrics p').length === 3");
    await api("seekcur", { time: 60 });
    await page.until("document.querySelector('.lyrics .current')?.textContent === '<b>Second</b> line'");
    await api("clear");
    await page.until("!document.querySelector('segue-lyrics')");
    assert.equal(await page.value(`document.querySelector("${button}").hidden`), true);
    return {};
  },

  /** Songs that come to the library while a shelf is open. */
  async library(page) {
    await page.emulate({ width: 390, height: 844 });
    await show(page, "library/folders");
    const folders = "[...document.querySelectorAll('segue-library .title')].map((one) => one.textContent)";
    await page.until(`${folders}.includes("0")`);
    console.log("ready");
    await page.until(`${folders}.includes("new")`);
    return {};
  },

  /** A zone that is chosen here, and another client's that stays what it was. */
  async rooms(page) {
    await page.emulate({ width: 390, height: 844 });
    await show(page, "rooms");
    await page.until("document.querySelectorAll('.card').length === 2");
    const [own, other] = (await api("listpartitions")).map(({ zone }) => zone);
    const card = (zone) => `[...document.querySelectorAll('.card')].find((card) => card.ariaLabel === ${JSON.stringify(zone)})`;
    await page.value(`{ const slider = ${card(other)}.querySelector('input'); slider.value = 21; slider.dispatchEvent(new Event('input')); }`);
    await until(async () => (await inZone(other, "getvol")).volume === 21);
    assert.notEqual((await inZone(own, "getvol")).volume, 21);
    const [{ enabled }] = await inZone(other, "outputs");
    await page.value(`${card(other)}.querySelector('.outputs button').click()`);
    await until(async () => (await inZone(other, "outputs"))[0].enabled === !enabled);
    await page.until(`${card(other)}.querySelector('.outputs button').ariaPressed === '${!enabled}'`);
    await page.value(`${card(other)}.querySelector('header button').click()`);
    await page.until(`document.querySelector('#room span').textContent === ${JSON.stringify(other)}`);
    // It is this device's choice, also when it comes back.
    await show(page, "now");
    await page.until(`document.querySelector('#room span').textContent === ${JSON.stringify(other)}`);
    return {};
  },

  /** An announcement, and an alarm that is set, switched off, removed and had back. */
  async house(page) {
    await page.emulate({ width: 390, height: 844 });
    await api("play");
    await show(page, "house");
    await type(page, "segue-house form input", "/nowhere/bell.flac");
    await click(page, "segue-house form .wide");
    // From a network address, files outside of the library are not announced, and that is said.
    await page.until("document.querySelector('.toast')");
    assert.equal(await page.value("document.querySelector('segue-house form input').value"), "/nowhere/bell.flac");
    await page.value("document.querySelector('segue-house form input').value = ''");
    // One that is accepted, and then fails, is told as well.
    await page.value("document.querySelector('.toast').remove()");
    await type(page, "segue-house form input", "nowhere/bell.flac");
    await click(page, "segue-house form .wide");
    await page.until("document.querySelector('.toast.error') && document.querySelector('segue-house form input').value === ''");
    const alarms = async () => (await api("alarm.list")).map(({ time, days, name, volume, state }) => [time, days, name, volume, state].join(" "));
    await click(page, "segue-house [title='Add an alarm']");
    await page.until("document.querySelector('dialog[open]')");
    await page.value("document.querySelector('dialog input[type=time]').value = '06:45'");
    for (const day of [0, 2]) await click(page, `dialog .outputs button:nth-child(${day + 1})`);
    // Songs are offered while their names are typed.
    const [song] = await api("find", { filter: "(base \"\")", limit: 1 });
    const soundField = "dialog input[list=sounds]";
    await type(page, soundField, song.title.slice(0, 3));
    await page.until(`[...document.querySelectorAll("#sounds option")].some((one) => one.value === ${JSON.stringify(song.file)})`);
    await page.value(`document.querySelector("${soundField}").value = ""`);
    await type(page, "dialog input[type=text]", "<b>Work</b>");
    await click(page, "dialog .wide");
    await until(async () => (await alarms())[0] === "06:45 mon,wed <b>Work</b> 40 enabled");
    await page.until("document.querySelector('.entry .title').textContent === '06:45 · <b>Work</b>' && !document.querySelector('dialog')");
    await click(page, ".entry .switch");
    await until(async () => (await alarms())[0].endsWith("disabled"));
    await page.until("document.querySelector('.entry .switch').getAttribute('aria-checked') === 'false'");
    await api("alarm.enable", { alarm: (await api("alarm.list"))[0].alarm });
    await api("alarm.skip", { alarm: (await api("alarm.list"))[0].alarm });
    await api("alarm.disable", { alarm: (await api("alarm.list"))[0].alarm });
    const { skipped } = (await api("alarm.list"))[0];
    assert.ok(skipped);
    // The page acts on what it has been told: it shows all of that first.
    const isOffAndSkipped = `document.querySelector(".entry .switch")?.getAttribute("aria-checked") === "false" &&
      document.querySelector(".entry .muted").textContent.includes("Not next time")`;
    await page.until(isOffAndSkipped);
    await click(page, ".entry button:last-child");
    await until(async () => (await alarms()).length === 0);
    await page.until("document.querySelector('.toast button')");
    await click(page, ".toast button");
    // It is as it was, also in that it does not ring.
    await until(async () => (await alarms())[0] === "06:45 mon,wed <b>Work</b> 40 disabled");
    await until(async () => (await api("alarm.list"))[0].skipped === skipped);
    // Another time, and the rest stays.
    await api("alarm.rm", { alarm: (await api("alarm.list"))[0].alarm });
    await api("alarm.add", { time: "06:45", days: "mon,wed", name: "<b>Work</b>", volume: "5-20", ramp: 30 });
    await api("alarm.skip", { alarm: (await api("alarm.list"))[0].alarm });
    await api("alarm.disable", { alarm: (await api("alarm.list"))[0].alarm });
    const row = `[data-key='edit ${(await api("alarm.list"))[0].alarm}']`;
    await page.until(`document.querySelector("${row}") && ${isOffAndSkipped}`);
    await click(page, row);
    await page.until("document.querySelector('dialog[open] input[type=time]').value === '06:45'");
    await page.value("document.querySelector('dialog input[type=time]').value = '07:15'");
    await click(page, "dialog .wide");
    await until(async () => (await alarms()).join() === "07:15 mon,wed <b>Work</b> 5-20 disabled");
    assert.equal((await api("alarm.list"))[0].ramp, 30);
    assert.ok((await api("alarm.list"))[0].skipped);
    await page.until(`${hasEntry("default")} && !document.querySelector('dialog')`);
    // A call holds the music, and gives it back.
    await until(async () => (await status()) === "playing");
    await click(page, "[data-key=hold]");
    await until(async () => (await status()) !== "playing");
    await page.until("document.querySelector('[data-key=hold]').hidden && document.querySelector('[data-key^=end]')");
    await click(page, "[data-key^=end]");
    await until(async () => (await status()) === "playing");
    await page.until("!document.querySelector('[data-key=hold]').hidden");
    return {};
  },

  /** An owner invites a guest, who opens the link, is held to what was granted, and loses it again. */
  async join(page) {
    await page.emulate({ width: 390, height: 844 });
    await show(page, "settings");
    await signIn(page, "segue-settings", secret);
    await page.until("document.querySelector(\"[title='Add a client']\")?.checkVisibility()");
    await click(page, "[title='Add a client']");
    await page.until("document.querySelector('dialog[open]')");
    await type(page, "dialog input[type=text]", "anna");
    await click(page, "dialog [data-key='Bed & Bath']");
    await page.value(`{
      const [songs, volume] = document.querySelectorAll("dialog input[type=number]");
      [songs.value, volume.value] = ["5", "60"];
      document.querySelector("dialog select").value = "midnight";
    }`);
    await click(page, "dialog[open] [type=submit]");
    await page.until("document.querySelector('dialog[open] input[readonly]') && document.querySelectorAll('dialog').length === 1");
    // This page's own address is nobody else's, and the server has no other one.
    const link = await page.value("document.querySelector('dialog input[readonly]').value");
    assert.match(link, /^https:\/\/music\.test\/#\/join\/[0-9a-f]{32}$/);
    assert.ok(await page.value("document.querySelector('dialog svg.qr path').getAttribute('d').length > 1000"));
    await click(page, "dialog [title=Close]");
    const invitation = `${address}#/join/${link.split("/").at(-1)}`;
    // A messenger looks at the link, and a page that is loaded again shows it again.
    assert.equal((await fetch(invitation)).status, 200);
    const guest = await browser.open();
    await guest.emulate({ width: 390, height: 844 });
    for (let round = 0; round < 2; round += 1) {
      await guest.goTo("about:blank");
      await guest.goTo(invitation);
      await guest.until("document.querySelector('dialog[open] .wide')");
    }
    const text = await guest.value("document.querySelector('dialog').textContent");
    for (const part of ["anna", "See and listen", "Bed & Bath", "until", "5 songs", "at most 60 %"]) assert.ok(text.includes(part), `${part} in ${text}`);
    await click(guest, "dialog[open] .wide");
    await guest.until("document.querySelector('.toast')?.textContent.includes('anna')");
    assert.ok(!(await guest.value("location.href")).includes("join"));
    const { cookies } = await guest.send("Network.getCookies", { urls: [address] });
    assert.deepEqual(cookies.map(({ name, httpOnly, sameSite, secure }) => [name, httpOnly, sameSite, secure]), [["segue", true, "Strict", false]]);
    assert.equal(await guest.value("document.cookie"), "");
    // It is anna, also when it is loaded again, and in rooms.
    await show(guest, "settings");
    await guest.until(hasEntry("anna"));
    assert.equal(await guest.value("document.querySelector('segue-settings form').hidden"), true);
    const call = (method, params) => guest.value(
      `document.querySelector("segue-settings").link.call(${JSON.stringify(method)}, ${JSON.stringify(params)})`);
    await call("setvol", { volume: 90 });
    assert.equal((await call("status")).volume, 60);
    await assert.rejects(call("partition", { name: "default" }), /permission/);
    for (let count = 0; count < 5; count += 1) await call("add", { uri: "0/0.flac" });
    await assert.rejects(call("add", { uri: "0/0.flac" }));
    // The link has been used.
    const late = await browser.open();
    await late.goTo(invitation);
    await late.until("document.querySelector('dialog[open]')?.textContent.includes('used already')");
    await late.goTo("about:blank");
    // The owner limits a room, whoever asks.
    await page.value("location.hash = '#/rooms'");
    await page.until("document.querySelector('[data-key=\"limit Bed & Bath\"]')?.checkVisibility()");
    await click(page, '[data-key="limit Bed & Bath"]');
    await page.until("document.querySelector('dialog[open] [data-key=hours]')");
    await type(page, "dialog [data-key=volume]", "35");
    await type(page, "dialog [data-key=alarms]", "70");
    await click(page, "dialog[open] [type=submit]");
    await page.until("!document.querySelector('dialog[open]')");
    await until(async () => (await call("status")).volume === 35);
    await call("setvol", { volume: 50 });
    assert.equal((await call("status")).volume, 35);
    await click(page, '[data-key="limit Bed & Bath"]');
    await page.until("document.querySelector('dialog[open] [data-key=volume]')?.value === '35'");
    assert.equal(await page.value("document.querySelector('dialog[open] [data-key=alarms]').value"), "70");
    await page.value("document.querySelector('dialog[open] [data-key=volume]').value = ''");
    await click(page, "dialog[open] [type=submit]");
    await page.until("!document.querySelector('dialog[open]')");
    await call("setvol", { volume: 50 });
    assert.equal((await call("status")).volume, 50);
    await page.value("location.hash = '#/settings'");
    // The owner sees it, and what it was refused, and takes all back.
    await page.until(hasEntry("anna"));
    await click(page, "[data-key=anna]");
    await page.until("document.querySelector('dialog[open]')?.textContent.includes('partition')");
    assert.ok(await page.value("document.querySelector('dialog[open]').textContent.includes('127.0.0.1')"));
    await click(page, "dialog[open] [data-key=revoke]");
    await guest.until("document.querySelector('#forbidden form')");
    await page.until("!document.querySelector('dialog[open]')");
    await click(page, "[data-key=anna]");
    await page.until("document.querySelector('dialog[open]')");
    await click(page, "dialog[open] [data-key=forget]");
    // Forgotten, it is one of all who come from there.
    await guest.send("Page.bringToFront");
    await guest.until(`${isOpen} && !document.documentElement.classList.contains("forbidden")`);
    const left = await guest.send("Network.getCookies", { urls: [address] });
    assert.deepEqual(left.cookies, []);
    return {};
  },

  /** A page without rights asks for them, shows the code, and is let in; it signs out, asks again, and is denied. */
  async ask(page) {
    await page.emulate({ width: 390, height: 844 });
    await page.goTo(address);
    const ask = async (name) => {
      await page.until("document.querySelector('#forbidden [data-key=ask]')");
      await page.value("document.querySelector('#forbidden input').value = ''");
      await type(page, "#forbidden input", name);
      await click(page, "#forbidden [type=submit]");
    };
    await ask("phone");
    await page.until("document.querySelector('dialog[open] .code')");
    console.log(`code ${(await page.value("document.querySelector('.code').textContent")).replace(" ", "")}`);
    await page.until(`!document.querySelector("dialog") && !document.documentElement.classList.contains("forbidden") && ${isOpen}`);
    await page.until("document.querySelector('h1')?.textContent.length > 0");
    await show(page, "rooms");
    await page.until("document.querySelectorAll('segue-rooms .card').length === 2");
    await show(page, "settings");
    await page.until(hasEntry("phone"));
    await click(page, "[data-key='sign out']");
    await ask("other");
    await page.until("document.querySelector('dialog[open] .code')");
    console.log("again");
    await page.until("!document.querySelector('dialog') && document.querySelector('.toast.error')?.textContent.includes('denied')");
    await ask("third");
    await page.until("document.querySelector('.toast.error')?.textContent.includes('does not want this client')");
    assert.equal(await page.value("document.querySelector('#forbidden [type=submit]').disabled"), false);
    return {};
  },

  /** An owner is told that a client asks for pictures, and then for a song, and chooses them; a third client goes away. */
  async pick(page) {
    await page.emulate({ width: 390, height: 844 });
    await show(page, "settings");
    await signIn(page, "segue-settings", secret);
    await page.until(hasEntry("owner"));
    console.log("ready");
    const tile = (number) => `document.querySelectorAll(".pick")[${number}]`;
    const badges = "[...document.querySelectorAll('.pick')].map((one) => one.querySelector('.badge').textContent).join()";
    const count = (text) => `document.querySelector("segue-pick footer p").textContent === ${JSON.stringify(text)}`;
    await page.until("document.querySelector('#asked a')?.checkVisibility()");
    const asked = await page.value("document.querySelector('#asked span').textContent");
    assert.match(asked, /asks for up to 3 pictures$/);
    await click(page, "#asked a");
    await page.until("document.querySelectorAll('.pick').length === 6");
    assert.equal(await page.value("document.querySelector('#asked').hidden"), true);
    assert.equal(await page.value("document.querySelector('.prompt').textContent"), "“<b>For the kitchen</b>”");
    assert.equal(await page.value("document.querySelector('segue-pick header p').textContent"), "It will see only what you choose.");
    await page.until("document.querySelectorAll('.pick .cover.shown').length === 6");
    await page.value(`${tile(4)}.click()`);
    await page.until(count("1 of 3 chosen"));
    // The keys of a grid: one item is in the order of Tab, the arrows lead to the others.
    assert.equal(await page.value("document.querySelectorAll('.pick[tabindex=\"0\"]').length"), 1);
    await page.value(`${tile(0)}.focus()`);
    await page.press("ArrowRight");
    await page.press("Enter");
    await page.until(`${badges} === ",2,,,1,"`);
    await page.press("ArrowDown");
    await page.until("document.activeElement === document.querySelectorAll('.pick')[1 + getComputedStyle(document.querySelector('.picks')).gridTemplateColumns.split(' ').length]");
    await page.value(`${tile(1)}.click()`);
    await page.until(`${badges} === ",,,,1,"`);
    // From the one that was pressed last.
    await page.value(`${tile(3)}.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey: true }))`);
    await page.until("document.querySelector('.toast')?.textContent === 'At most 3 can be chosen.'");
    await page.value(`${tile(1)}.click()`);
    await page.value(`${tile(2)}.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey: true }))`);
    await page.until(`${badges} === ",2,3,,1," && ${count("3 of 3 chosen")}`);
    // The same by a long press, the click of which counts for nothing.
    await page.value(`${tile(2)}.click(), ${tile(1)}.click(), ${tile(1)}.click()`);
    await page.until(`${badges} === ",2,,,1,"`);
    await page.value(`${tile(2)}.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }))`);
    await page.until(`${badges} === ",2,3,,1,"`);
    await page.value(`${tile(2)}.dispatchEvent(new PointerEvent("pointerup", { bubbles: true })), ${tile(2)}.click()`);
    await page.until(`${badges} === ",2,3,,1,"`);
    assert.deepEqual(await page.value("[...document.querySelectorAll('.pick[aria-selected=true]')].length"), 3);
    await page.value(`${tile(1)}.click()`);
    await click(page, "[title=Larger]");
    await page.until("document.querySelector('.pick').clientWidth > 150");
    const [bottom, top] = await page.value(`[${tile(0)}.getBoundingClientRect().bottom, ${tile(2)}.getBoundingClientRect().top]`);
    assert.ok(top > bottom, `rows overlap: ${top} before ${bottom}`);
    writeFileSync(`${folder}/pick.png`, Buffer.from(await page.screenshot(), "base64"));
    const { nodes } = await page.send("Accessibility.getFullAXTree");
    const named = nodes.filter(({ ignored, role }) => !ignored && ["button", "option", "link"].includes(role.value));
    assert.deepEqual(named.filter(({ name }) => !name?.value), []);
    // A look at another view gives the request back, with what was chosen.
    await page.value("location.hash = '#/now'");
    await page.until("document.querySelector('#asked a')?.checkVisibility()");
    await click(page, "#asked a");
    await page.until(count("2 of 3 chosen"));
    await click(page, "segue-pick footer .wide");
    await page.until("document.querySelector('.toast')?.textContent.endsWith('gets 2') && location.hash === '#/now'");
    console.log("chose-pictures");
    await page.until("document.querySelector('#asked span')?.textContent.endsWith('asks for a song')");
    await click(page, "#asked a");
    await page.until("document.querySelectorAll('.pick').length > 5");
    writeFileSync(`${folder}/pick-songs.png`, Buffer.from(await page.screenshot(), "base64"));
    await type(page, "segue-pick .search", "CAN spoon");
    await page.press("Enter");
    await page.until("document.querySelectorAll('.pick').length === 1 && document.querySelector('.pick .title').textContent === 'Spoon'");
    await page.value(`${tile(0)}.click()`);
    await page.until("location.hash === '#/now'");
    console.log("chose-song");
    await page.until("document.querySelector('#asked span')?.textContent.endsWith('asks for up to 2 pictures and videos')");
    await click(page, "#asked a");
    await page.until("document.querySelectorAll('.pick .cover.shown').length === 7");
    assert.equal(await page.value("[...document.querySelectorAll('.pick .length')].map(({ textContent }) => textContent).join()"), "0:02");
    assert.equal(await page.value(`${tile(6)}.getAttribute("aria-label")`), "photos/film.mp4 · video · 0:02");
    const kind = (name) => `.kinds [data-key=${name}]`;
    assert.equal(await page.value("document.querySelectorAll('.kinds button').length"), 13);
    await click(page, kind("slomoVideos"));
    await page.until("document.querySelector('segue-pick .empty').checkVisibility()");
    assert.equal(await page.value(`document.querySelector(".kinds [aria-pressed=true]").dataset.key`), "slomoVideos");
    await click(page, kind("videos"));
    await page.until("document.querySelectorAll('.pick').length === 1 && document.querySelector('.pick .length')");
    await page.value(`${tile(0)}.click()`);
    await page.until(count("1 of 2 chosen"));
    writeFileSync(`${folder}/pick-kinds.png`, Buffer.from(await page.screenshot(), "base64"));
    await click(page, kind("allKinds"));
    await page.until("document.querySelectorAll('.pick .cover.shown').length === 7");
    assert.equal(await page.value(`${tile(6)}.querySelector(".badge").textContent`), "1");
    await page.value(`${tile(5)}.click()`);
    await page.until(count("2 of 2 chosen"));
    writeFileSync(`${folder}/pick-media.png`, Buffer.from(await page.screenshot(), "base64"));
    await click(page, "segue-pick footer .wide");
    await page.until("location.hash === '#/now'");
    console.log("chose-media");
    await page.until("document.querySelector('#asked a')?.checkVisibility()");
    await click(page, "#asked a");
    await page.until("document.querySelectorAll('.pick').length > 5");
    console.log("gone");
    await page.until("document.querySelector('.toast')?.textContent.endsWith('asks no more') && location.hash === '#/now'");
    return {};
  },

  /** A guest who sees a part of the library asks for more, with the page closed meanwhile, and elsewhere on the page. */
  async wishes(page) {
    await page.emulate({ width: 390, height: 844 });
    const enter = async () => {
      await show(page, "settings");
      await signIn(page, "segue-settings", secret);
      await page.until(hasEntry("guest"));
      await page.value("location.hash = '#/library'");
      await page.until("document.querySelector('segue-library [data-key=ask]')?.checkVisibility()");
    };
    const ask = async (words, limit) => {
      await click(page, "segue-library [data-key=ask]");
      await page.until("document.querySelector('dialog[open]')");
      await type(page, "dialog [data-key=prompt]", words);
      await page.value("document.querySelector('dialog [data-key=limit]').value = ''");
      await type(page, "dialog [data-key=limit]", String(limit));
      await click(page, "dialog [type=submit]");
      await page.until("!document.querySelector('dialog')");
    };
    const rows = (text) => `[...document.querySelectorAll("segue-library .entry > div")].map((one) => [...one.children].map((line) => line.textContent).join(": ")).join() === ${JSON.stringify(text)}`;
    await enter();
    await page.until(rows(""));
    await ask("To <b>dance</b>", 3);
    await page.until(rows("To <b>dance</b>: Waiting for the owner · Up to 3 songs"));
    writeFileSync(`${folder}/wishes.png`, Buffer.from(await page.screenshot(), "base64"));
    await page.goTo("about:blank");
    console.log("away");
    // The owner tells when it has answered by the volume, which others see as well.
    await until(async () => (await api("status")).volume === 41);
    await enter();
    await page.until(rows("To <b>dance</b>: You see more songs now. · Up to 3 songs"));
    await click(page, "segue-library .entry [data-key$=show]");
    await page.until("document.querySelectorAll('dialog .entry').length === 2");
    writeFileSync(`${folder}/wishes-songs.png`, Buffer.from(await page.screenshot(), "base64"));
    const length = (await api("status")).queue_length;
    await click(page, "dialog .entry button");
    await until(async () => (await api("status")).queue_length === length + 1);
    await click(page, "dialog [title=Close]");
    await click(page, "segue-library .entry [data-key$=end]");
    await page.until(rows(""));
    await ask("", 1);
    await page.until(rows("1 song: Waiting for the owner"));
    await click(page, "segue-library .entry [data-key$=end]");
    await page.until(rows(""));
    await ask("", 1);
    await page.value("location.hash = '#/now'");
    console.log("elsewhere");
    await page.until("document.querySelector('.toast')?.textContent === 'The owner has picked nothing.'");
    // What the guest sees by then is shown, without its asking.
    await page.value("location.hash = '#/library/artists'");
    const artists = "document.querySelectorAll('segue-library .row').length";
    await page.until(`${artists} > 0`);
    const before = await page.value(artists);
    console.log("artists");
    await page.until(`${artists} > ${before}`);
    await page.value("location.hash = '#/library'");
    // Once the library is not limited any more, there is nothing to ask for.
    await page.value("location.hash = '#/library'");
    await page.until(rows("1 song: The owner has picked nothing."));
    console.log("limited");
    await page.until("!document.querySelector('segue-library [data-key=ask]').checkVisibility()");
    return {};
  },

  /** An owner signs in, adds a client, gives it less, and takes all back; that client's page follows. */
  async settings(page) {
    await page.emulate({ width: 390, height: 844 });
    await show(page, "settings");
    await page.until(hasEntry("127.0.0.1"));
    assert.equal(await page.value("[...document.querySelectorAll('segue-settings .card')].at(-1).hidden"), true);
    await signIn(page, "segue-settings", "owner:none-such");
    await page.until("document.querySelector('.toast')");
    await signIn(page, "segue-settings", secret);
    await page.until(`${hasEntry("owner")} && document.querySelector("[title='Add a client']").checkVisibility()`);
    await click(page, "[title='Add a client']");
    await page.until("document.querySelector('dialog[open]')");
    await type(page, "dialog input[type=text]", "kid");
    await click(page, "dialog[open] [data-key='make password']");
    await page.until("document.querySelectorAll('dialog').length === 1 && document.querySelector('dialog input[readonly]')");
    const secretOfKid = await page.value("document.querySelector('dialog input[readonly]').value");
    await click(page, "dialog [title=Close]");
    const guest = await browser.open();
    await guest.emulate({ width: 390, height: 844 });
    await show(guest, "settings");
    await signIn(guest, "segue-settings", secretOfKid);
    await guest.until(`document.querySelector(".entry .title").textContent === "kid"`);
    assert.equal(await guest.value("document.querySelector('.entry .muted').textContent"), "See and listen · Add songs · Play");
    // Its pictures are asked for in its name.
    await api("play", { position: 2 });
    await guest.value("location.hash = '#/now'");
    await guest.until("document.querySelector('segue-now .cover.shown img')?.src.includes('ticket=')");
    const picture = await guest.value("document.querySelector('segue-now .cover img').src");
    assert.equal((await fetch(picture)).status, 200);
    // A page that is hidden is not told of a dialog's end before it is seen.
    const change = async (action) => {
      await page.until(hasEntry("kid"));
      await click(page, "[data-key=kid]");
      await page.until("document.querySelector('dialog[open]')");
      await page.value(`[...document.querySelectorAll("dialog[open] button")].find((one) => one.textContent === "${action}").click()`);
    };
    assert.equal(await guest.value("document.querySelector('.transport').hidden"), false);
    await change("Play");
    await click(page, "dialog[open] [type=submit]");
    await guest.until("document.querySelector('.transport').hidden");
    await page.until("!document.querySelector('dialog[open]')");
    await change("Revoke");
    await guest.until("document.querySelector('#forbidden form')");
    assert.ok([401, 403].includes((await fetch(picture)).status));
    assert.ok(!(await guest.value("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).includes(secretOfKid));
    await page.until("!document.querySelector('dialog[open]')");
    // A client that asks to be known, and shows a code.
    await page.until("document.querySelector('[data-key=\"pair tv\"]')");
    await click(page, '[data-key="pair tv"]');
    await page.until("document.querySelector('dialog[open] input[inputmode=numeric]')");
    await type(page, "dialog[open] input[inputmode=numeric]", code);
    await click(page, "dialog[open] [type=submit]");
    await page.until(`${hasEntry("tv")} && !document.querySelector('dialog[open]') && !document.querySelector('[data-key="pair tv"]')`);
    // Grants that do not hold at this time are kept, and so is what the sheet does not show.
    const told = async (name) => (await page.value(`document.querySelector("segue-settings").link.call("clients.list")`)).find(({ client }) => client === name);
    const hour = new Date().getHours();
    const hours = `${String((hour + 2) % 24).padStart(2, "0")}:00-${String((hour + 3) % 24).padStart(2, "0")}:00`;
    await page.value(`document.querySelector("segue-settings").link.call("clients.set", { client: "kid",
      permissions: ["read", "add", "no-network"], hours: "${hours}", zone: ["all", "Bed & Bath=read"], volume: ["any", "40", "Bed & Bath=20"] })`);
    await show(page, "settings");
    await signIn(page, "segue-settings", secret);
    await page.until(hasEntry("kid"));
    await click(page, "[data-key=kid]");
    await page.until("document.querySelector('dialog[open] [data-key=add][aria-pressed=true]')");
    assert.ok(await page.value("document.querySelector('dialog').textContent.includes('Bed & Bath (See and listen)')"));
    await click(page, "dialog[open] [data-key=player]");
    await page.value("document.querySelector('dialog [data-key=volume]').value = ''");
    await click(page, "dialog[open] [type=submit]");
    await page.until("!document.querySelector('dialog[open]')");
    const kid = await told("kid");
    assert.deepEqual([kid.granted, kid.zones, kid.volumes, kid.hours], ["read,add,player,no-network", ["Bed & Bath=read"], ["Bed & Bath=20"], hours]);
    // A language and a scheme are this device's.
    const choose = async (place, value) => {
      await page.value(`{ const all = document.querySelectorAll("segue-settings select"); all[${place}].value = "${value}"; all[${place}].dispatchEvent(new Event("change")); }`);
    };
    await choose(0, "de");
    await page.until("document.querySelector('segue-settings h1').textContent === 'Einstellungen' && document.querySelector('nav span').textContent === 'Jetzt'");
    await page.until(hasEntry("owner"));
    const ground = "getComputedStyle(document.body).backgroundColor";
    const light = await page.value(ground);
    await choose(1, "dark");
    assert.notEqual(await page.value(ground), light);
    await show(page, "settings");
    await page.until("document.querySelector('segue-settings h1').textContent === 'Einstellungen'");
    assert.notEqual(await page.value(ground), light);
    // The password went with the page.
    await page.until(hasEntry("127.0.0.1"));
    await choose(0, "en");
    guest.complaints = guest.complaints.filter((text) => !/40[13]/.test(text));
    assert.deepEqual(guest.complaints, []);
    return {};
  },

  /** A page of an address without rights signs in, hears and sees, until its password is another. */
  async strangers(page) {
    await page.emulate({ width: 390, height: 844 });
    await page.goTo(address);
    await signIn(page, "#forbidden", secret);
    await page.until("document.querySelector('#forbidden').hidden && document.querySelector('segue-now .primary').checkVisibility()");
    await click(page, "segue-now .primary");
    await page.until("document.querySelector('segue-now .primary').title === 'Pause'");
    await page.until("document.querySelector('segue-now .cover.shown')");
    const button = "segue-now [title='Listen in this browser']";
    await page.until(`!document.querySelector("${button}").hidden`);
    await click(page, button);
    await page.value("location.hash = '#/rooms'");
    await page.until("document.querySelector('segue-rooms .card')?.textContent.includes('1 listener')");
    // Rooms act in its name, too.
    await page.value("{ const slider = document.querySelector('segue-rooms .volume input'); slider.value = 33; slider.dispatchEvent(new Event('input')); }");
    await page.until("document.querySelector('segue-rooms .volume input').value === '33'");
    await page.value("location.hash = '#/now'");
    await page.until("document.querySelector('segue-now .volume input').value === '33'");
    console.log("listening");
    await page.until("document.querySelector('#forbidden form')", 60);
    page.complaints = page.complaints.filter((text) => !/40[13]/.test(text));
    return {};
  },

  /** Chapters of the song: which one is heard, and going to another. */
  async chapters(page) {
    await page.emulate({ width: 390, height: 844 });
    await api("play", { position: 4 });
    await show(page, "now");
    const button = "segue-now [title='Chapters']";
    await page.until(`!document.querySelector("${button}").hidden`);
    await page.until("[...document.querySelectorAll('segue-now .titles p')].some((one) => one.textContent === 'One')");
    await click(page, button);
    await page.until("document.querySelector('dialog .choice[aria-pressed=true]')?.textContent === '0:00 · One'");
    await page.value("document.querySelectorAll('dialog .choice')[1].click()");
    await until(async () => (await api("status")).elapsed >= 100);
    await page.until("[...document.querySelectorAll('segue-now .titles p')].some((one) => one.textContent === '<b>Two</b>')");
    await api("next");
    await page.until(`document.querySelector("${button}").hidden`);
    return {};
  },

  /** The zone's stream is heard here, and the lock screen shows its song. */
  async listen(page) {
    await page.emulate({ width: 390, height: 844 });
    await api("play");
    await show(page, "now");
    assert.equal(await listeners(), "listeners=0");
    const button = "segue-now [title='Listen in this browser']";
    await page.until(`!document.querySelector("${button}").hidden`);
    // Three presses at once begin one stream.
    await page.value(`for (let press = 0; press < 3; press += 1) document.querySelector("${button}").click()`);
    await until(async () => (await listeners()) === "listeners=1");
    await page.until(`document.querySelector("${button}").ariaPressed === "true"`);
    await api("next");
    const { title } = await api("currentsong");
    await page.until(`navigator.mediaSession.metadata.title === ${JSON.stringify(title)}`);
    await click(page, button);
    await until(async () => (await listeners()) === "listeners=0");
    await page.until("navigator.mediaSession.metadata === null");
    return {};
  },

  /** The figures of `make bench`: a phone's visits, and a large library on a large screen. */
  async figures(page) {
    const rounds = 5;
    const firsts = [], agains = [], lives = [];
    let own = [];
    await page.send("Page.addScriptToEvaluateOnNewDocument", { source: `addEventListener("DOMContentLoaded", () => {
      const observer = new MutationObserver(() => {
        if (!(${isOpen}) || !document.querySelector("segue-now h1")?.textContent) return;
        observer.disconnect();
        requestAnimationFrame(() => (window.liveAt = performance.now()));
      });
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    })` });
    const visit = async () => {
      await page.goTo("about:blank");
      page.requests = [];
      await page.goTo(address);
      await page.until("window.liveAt && performance.getEntriesByName('first-contentful-paint').length");
      return { paint: await page.value("performance.getEntriesByName('first-contentful-paint')[0].startTime"), live: await page.value("window.liveAt") };
    };
    await page.emulate(phone);
    for (let round = 0; round < rounds; round += 1) {
      await page.send("Network.clearBrowserCache");
      const first = await visit();
      if (round === 0) own = page.requests.filter(({ url }) => !/\/(art|api)\//.test(new URL(url).pathname));
      firsts.push(first.paint);
      lives.push(first.live);
      agains.push((await visit()).paint);
    }
    await page.emulate({ width: 1440, height: 900 });
    const changes = [];
    for (let round = 0; round < 100; round += 1) {
      const volume = (round % 90) + 5;
      const seen = page.value(`new Promise((done) => {
        const look = () => document.querySelector(".volume input").value === "${volume}" ? done(Date.now()) : requestAnimationFrame(look);
        look();
      })`);
      const start = Date.now();
      await api("setvol", { volume });
      changes.push((await seen) - start);
      // Changes within 50 ms are told together.
      await new Promise((done) => setTimeout(done, 60));
    }
    await page.value("location.hash = '#/library'");
    await page.until("document.querySelector('.search')");
    const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
    const searches = [];
    for (const words of ["s", "so", "son", "song", "song 7", "song 77", "album", "artist 1"]) {
      const times = [];
      for (let round = 0; round < rounds; round += 1) {
        times.push(await page.value(`new Promise((done) => {
          const field = document.querySelector(".search");
          const list = document.querySelector("segue-library segue-list");
          for (const row of list.querySelectorAll(".title")) row.textContent = "";
          field.value = ${JSON.stringify(words)};
          const start = performance.now();
          field.dispatchEvent(new Event("input"));
          const look = () => list.querySelector(".title")?.textContent ? done(performance.now() - start) : setTimeout(look, 1);
          look();
        })`));
        await new Promise((done) => setTimeout(done, 400));
      }
      searches.push(median(times));
    }
    const count = await page.value("document.querySelector('segue-library segue-list').count");
    for (let step = 0; step < 20; step += 1) {
      await page.value(`document.querySelector("segue-library segue-list").scrollTop = ${(step * count * 64) / 20}`);
      await new Promise((done) => setTimeout(done, 50));
    }
    await page.send("HeapProfiler.collectGarbage");
    const { usedSize } = await page.send("Runtime.getHeapUsage");
    // Songs without a picture are no fault.
    page.complaints = page.complaints.filter((text) => !/404/.test(text));
    return {
      requests: own.length, kilobytes: own.reduce((sum, { bytes }) => sum + bytes, 0) / 1000,
      paint: median(firsts), live: median(lives), again: median(agains),
      change: changes.sort((a, b) => a - b)[98], search: Math.max(...searches),
      heap: usedSize / 1e6, nodes: await page.value("document.querySelectorAll('*').length"), songs: count,
    };
  },

  /** The page is opened while the server is away: it says so, shows nothing old, and goes on when the server is back. */
  async offline(page) {
    await page.emulate({ width: 390, height: 844 });
    await api("play");
    await show(page, "now");
    await page.until("document.querySelector('segue-now .primary').title === 'Pause'");
    const title = await page.value("document.querySelector('segue-now h1').textContent");
    await page.until("navigator.serviceWorker.getRegistration().then((one) => (window.isReady = Boolean(one?.active))) && window.isReady", 30);
    assert.deepEqual((await page.send("Page.getInstallabilityErrors")).installabilityErrors, []);
    console.log("ready");
    await page.until('document.documentElement.dataset.status === "lost"', 60);
    await page.goTo(address);
    await page.until("!document.querySelector('#banner').hidden && document.querySelector('segue-now h1')");
    assert.notEqual(await page.value("document.querySelector('segue-now h1').textContent"), title);
    await page.value("window.isSame = true; location.hash = '#/settings'");
    await page.until("document.querySelector('segue-settings h1')");
    console.log("lost");
    await page.until(isOpen, 60);
    assert.equal(await page.value("window.isSame"), true);
    await page.value("location.hash = '#/now'");
    await page.until(`document.querySelector("segue-now h1").textContent === ${JSON.stringify(title)}`);
    page.complaints = page.complaints.filter((text) => !/ERR_|WebSocket connection/.test(text));
    return {};
  },

  /** The server goes away and comes back, between two lines from standard input. */
  async restart(page) {
    await page.emulate(phone);
    await api("play");
    await show(page, "now");
    const listen = "segue-now [title='Listen in this browser']";
    await page.until(`!document.querySelector("${listen}").hidden`);
    await click(page, listen);
    await until(async () => (await listeners()) === "listeners=1");
    await page.value("window.isSame = true");
    console.log("ready");
    await page.until('document.documentElement.dataset.status === "lost"', 60);
    await page.until("!document.querySelector('#banner').hidden");
    console.log("lost");
    await page.until(isOpen, 60);
    assert.equal(await page.value("window.isSame"), true);
    const volume = (await api("getvol")).volume;
    await page.until(`document.querySelector("segue-now .volume input").value === "${volume}"`);
    // It listens on.
    await until(async () => (await listeners()) === "listeners=1");
    await page.until(`document.querySelector("${listen}").ariaPressed === "true"`);
    // The browser has to say that the server was away; nothing else.
    page.complaints = page.complaints.filter((text) => !/ERR_|WebSocket connection/.test(text));
    return {};
  },
};

async function inZone(zone, method) {
  const response = await fetch(new URL(`api?zone=${encodeURIComponent(zone)}`, address), {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method }),
  });
  return (await response.json()).result;
}

const browser = new Browser(`${folder}/profile`);
try {
  const page = await browser.open();
  const measured = await scenarios[scenario](page);
  assert.deepEqual(page.complaints, []);
  console.log(JSON.stringify(measured));
} finally {
  await browser.close();
}
