// The parts that all views are made of: elements, icons, words, numbers, sheets.
//
// Text comes into the page by `append` and `textContent` alone, so what stands in a tag is never markup.

import { LostError, TooLongError } from "./link.js";

// Words

export const english = {
  now: "Now", queue: "Queue",
  play: "Play", pause: "Pause", previous: "Previous", next: "Next", position: "Position", volume: "Volume",
  shuffle: "Shuffle", repeat: "Repeat", repeatAll: "Repeat: all", repeatOne: "Repeat: this song", repeatOff: "Repeat: off",
  favourite: "Favourite", lyrics: "Lyrics", speed: "Speed", tracks: "Audio track", automatic: "Automatic",
  sleep: "Sleep timer", off: "Off", minutes: "{n} minutes", endofsong: "At the end of the song",
  endofqueue: "At the end of the queue", sleepsAt: "Sleeps at {time}", sleepsAfterSong: "Sleeps after this song",
  sleepsAfterQueue: "Sleeps after the queue", sleepsAfterChapter: "Sleeps after this chapter",
  ofDuration: "{elapsed} of {duration}", live: "Live", room: "Room", rooms: "Rooms", nothing: "Nothing is playing",
  emptyQueue: "The queue is empty", emptyHint: "Songs that are added play one after another.",
  noLyrics: "There are no lyrics of this song.", close: "Close", more: "More about {title}", unknown: "Untitled",
  playNext: "Play next", remove: "Remove", moveTop: "Move to the top", clear: "Clear",
  save: "Save as playlist", saveName: "Name of the playlist", saved: "Saved as “{name}”",
  exists: "There is a playlist “{name}”. Replace it?", replace: "Replace", cleared: "{n} songs removed",
  removed: "“{title}” removed", undo: "Undo", undone: "The queue is as it was", songs: "{n} songs",
  songsOne: "1 song", addedBy: "Added by {name}", lost: "The server cannot be reached. Trying again in {n} s.",
  connecting: "Connecting …", forbidden: "This device may not see what is played here.",
  forbiddenHint: "Ask the server’s owner for access, or sign in with a password.",
  announcing: "Announcement: {text}", announcingSound: "An announcement is played", alarm: "An alarm rings",
  offline: "The server cannot be reached.", space: "Space", keys: "Keyboard", keySpace: "Play or pause",
  keyArrows: "10 seconds back or on",
  keyPlus: "Louder or quieter", keyNext: "Next or previous", keyViews: "Views", mono: "mono", stereo: "stereo",
  channels: "{n} channels", drag: "Move", cancel: "Cancel", library: "Library", search: "Search",
  searchHint: "Songs, artists, albums, or an address", back: "Back", add: "Add to the queue", added: "“{title}” added",
  artists: "Artists", albums: "Albums", genres: "Genres", playlists: "Playlists", folders: "Folders", recent: "Recently added",
  nothingFound: "There is nothing here", toAlbum: "To the album", toArtist: "To the artist", keySearch: "Search",
  address: "An address", outputs: "Outputs", moveHere: "Continue here", choose: "Choose", chosen: "Chosen",
  listen: "Listen in this browser", streamEnded: "The stream has ended.",
  house: "House", announce: "Announce", announceHint: "A text, or the address of a sound", alarms: "Alarms",
  addAlarm: "Add an alarm", noAlarms: "There are no alarms.", once: "Once", daily: "Daily", days: "Days", time: "Time",
  name: "Name", alarmSound: "Sound", alarmSoundHint: "A bell, or a song, folder, playlist or address", skipped: "Not next time",
  snoozed: "Snoozing", snooze: "Snooze", stop: "Stop", sessions: "Who is heard", active: "active", inactive: "not active",
  interrupted: "interrupted", interruptedBy: "interrupted by {name}", quieter: "{n} dB quieter", muted: "muted",
  chapters: "Chapters", chapterNumber: "Chapter {n}", endofchapter: "At the end of the chapter", listeners: "{n} listeners",
  listenersOne: "1 listener", hold: "Hold for a call", holding: "A call, held by this page", endHold: "End",
  editAlarm: "Change", saveAlarm: "Save",
  tooLong: "That is too long.", settings: "Settings", signIn: "Sign in", signOut: "Sign out", secret: "Password",
  signedOut: "The password does not hold any more.", device: "This device", language: "Language", theme: "Appearance",
  light: "Light", dark: "Dark", health: "Is all well?", allWell: "All is well.",
  clients: "Clients", addClient: "Add a client", problems: "Problems", noProblems: "All files could be read.",
  andMore: "and {n} more", update: "Update", resume: "Go on", paused: "paused", updating: "The library is updated",
  updatingNow: "Updating: {n} %", updated: "updated {time}", answer: "Answer", asksToPair: "“{name}” asks to be known",
  codeHint: "It shows a code of six digits.", code: "Code", allow: "Allow", allowed: "“{name}” is known now", deny: "Deny",
  rightPick: "Ask for pictures, videos and songs",
  rightRead: "See and listen", rightAddOnly: "Add at the end", rightAdd: "Add songs",
  rightPlayer: "Play", rightControl: "Library and playlists", rightOutputs: "Outputs and rooms", rightOwner: "Settings and clients",
  mayDo: "What it may do", roomsHint: "Only in these rooms; in all, if none is chosen", validity: "Until",
  ceiling: "Highest volume it sets, in percent", noEnd: "No end", forAnHour: "For an hour", untilMidnight: "Until midnight",
  forAWeek: "For a week", until: "until {time}", songsAtMost: "up to {n} songs",
  looksOnAt: "only looks on at {hours}", megabytesAtMost: "up to {n} MB an hour",
  withoutCommands: "without {names}", atMost: "at most {n} %", connected: "connected",
  lastUsed: "last seen {time}", denied: "denied", nothingAllowed: "nothing allowed", since: "since {time}",
  saveGrant: "Save", newSecret: "New password", revoke: "Revoke", forget: "Forget", songLimit: "Most songs in the queue",
  invite: "Invite", makeSecret: "Make a password", invitation: "Invitation", accept: "Accept",
  inviteHint: "Scan this with the other device, or send it the link. It counts once, within a day.",
  noPage: "Other machines do not reach this page: web.listen in segued.toml lets them.",
  invitationHint: "Whoever accepts is known to the server by this name, on this device.",
  invitationOver: "The invitation was used already, or is over. The server’s owner can make another one.",
  knownAs: "This device is “{name}” now", deviceName: "Name of this device", askAccess: "Ask for access",
  askHint: "Tell the server’s owner this code. It allows “{name}” in the settings of its page, or by segue clients allow.",
  wasDenied: "The server’s owner has denied it.", notAnswered: "The server’s owner has not answered in time, or with other codes.",
  limit: "Limit", limitOf: "Limit of {name}", roomCeiling: "Highest volume, whoever asks, in percent",
  alarmCeiling: "Alarms may be louder, up to percent",
  limitHours: "At these times of day; all day, if none is given",
  refusedLast: "refused {time}", codeImage: "QR code of the link",
  requests: "Requests", nobodyAsks: "No client asks for anything.", video: "video",
  kinds: "Kinds", allKinds: "All", images: "Pictures", videos: "Videos", livePhotos: "Live Photos",
  motionPhotos: "Motion photos", panoramas: "Panoramas", bursts: "Bursts", depthEffectPhotos: "With depth",
  animatedImages: "Animated", screenshots: "Screenshots", slomoVideos: "Slow motion", timelapseVideos: "Time-lapse",
  screenRecordings: "Screen recordings",
  ownerAnswers: "Only the server’s owner answers what is asked for.", done: "Done", giveNothing: "Give nothing",
  asksPicture: "“{name}” asks for a picture", asksPictures: "“{name}” asks for up to {n} pictures",
  asksVideo: "“{name}” asks for a video", asksVideos: "“{name}” asks for up to {n} videos",
  asksMedium: "“{name}” asks for a picture or video", asksMedia: "“{name}” asks for up to {n} pictures and videos",
  asksSong: "“{name}” asks for a song", asksSongs: "“{name}” asks for up to {n} songs",
  asksLibrarySong: "“{name}” asks for a song for its library",
  asksLibrarySongs: "“{name}” asks for up to {n} songs for its library",
  onlyChosen: "It will see only what you choose.", asStored: "It gets pictures as they are stored.",
  libraryGets: "It will see what you choose from now on, beside what it sees already.",
  asksNoMore: "“{name}” asks no more", chosenOf: "{n} of {most} chosen", tooMany: "At most {n} can be chosen.",
  moreSongs: "More songs", askForMore: "Ask for more songs", newSongs: "New songs", show: "Show",
  partHint: "You see a part of the library. Its owner can pick more songs for you.", wishOne: "1 song",
  wishSeveral: "Up to {n} songs", wishWords: "Words to the owner", wishLimit: "How many songs at most", ask: "Ask",
  wishWaiting: "Waiting for the owner", wishChoosing: "The owner is choosing", takeBack: "Take back", dismiss: "Dismiss",
  wishMost: "{n} requests are open already.",
  wishDone: "You see more songs now.", wishCancelled: "The owner has picked nothing.", wishExpired: "Nobody has answered.",
  given: "“{name}” gets {n}", nowSees: "“{name}” now sees {n} more", smaller: "Smaller", larger: "Larger",
  secretHint: "It is shown this once. Sign in with it on the other device, or give it to a client of MPD.",
  clearError: "Clear", switchOn: "Switch on {name}", playElsewhere: "Play to the default device",
  findVolume: "It plays at a volume of 0: nothing can be heard.",
  findNoOutput: "This room has no output.", findNoOutputAdvice: "Declare one in the server’s configuration.",
  findOutputsOff: "All outputs of this room are off.", findSilent: "{name} plays silently.",
  findSilentAdvice: "Declare an output for your sound server in the server’s configuration.",
  findMuted: "{name} is muted in the sound server: nothing can be heard.",
  findSinkQuiet: "{name} is at 0 % in the sound server: nothing can be heard.",
  findEmpty: "The library is empty.", findEmptyAdvice: "Put music into the music folder, and update.",
  findPaused: "The library is paused: it does not see what has changed.",
  findNoBus: "The server finds no message bus (D-Bus): media keys and desktops do not reach it.",
  findNoBusAdvice: "Run it as a service of your session: systemctl --user restart segued",
  findForeign: "The server does not reach its sound server, so it does not see other programs’ sound.",
};

let words = english;
/** The server's own sentences, which are English, in another language: by their kind and reason. */
let sentences = {};
export let language = "en";

/** Takes the first of these languages that the page has. */
export async function chooseLanguage(preferred) {
  const known = preferred.map((tag) => tag.split("-")[0]).find((name) => name === "en" || name === "de") ?? "en";
  // Without the table, English is better than nothing.
  const table = known === "de" ? await import("./de.js").catch(() => null) : null;
  words = table?.default ?? english;
  sentences = table?.sentences ?? {};
  language = table ? known : "en";
  document.documentElement.lang = language;
}

/** A text in the language of the page, with values in the places of their names. */
export function t(key, values = {}) {
  return fillIn(words[key] ?? english[key] ?? key, values);
}

/** A sentence of the server's in the language of the page; `null` where the page has none for its reason. */
export function sentenceOf(kind, reason, values = {}) {
  const text = sentences[`${kind} ${reason}`];
  return text === undefined ? null : fillIn(text, values);
}

function fillIn(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** A number of songs. */
export function songCount(count) {
  return count === 1 ? t("songsOne") : t("songs", { n: count.toLocaleString(language) });
}

/** Seconds as 3:04, or 1:02:03. */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "";
  const whole = Math.max(0, Math.floor(seconds));
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** A time of the day, from seconds since 1970. */
export function clockTime(seconds) {
  return new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" }).format(seconds * 1000);
}

/** A date and a time, from a text of ISO 8601. */
export function dateTime(text) {
  return new Date(text).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
}

/** A song's title; where it has none, the last part of its address. */
export function titleOf(song) {
  return song?.title ?? song?.tags?.name?.[0] ?? song?.file?.split("/").filter(Boolean).at(-1) ?? t("unknown");
}

/** Parts of a line, as far as there are any; one that is written from right to left does not turn the others around. */
export function joined(...parts) {
  const turns = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;
  return parts.filter(Boolean).map((part) => (turns.test(part) ? `\u2068${part}\u2069` : part)).join(" · ");
}

/** An address, not words to search for, nor to speak. */
export const address = /^[a-z][a-z0-9+.-]*:\/\/\S+$/i;

// Elements

/**
 * Makes an element.
 * @param {object} attributes Those that begin with "on" are functions to call at an event.
 * @param {...(Node | string | null)} children
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Paths in a square of 24. */
const icons = {
  play: "M8 5v14l11-7z!",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z!",
  next: "M6 5l9 7-9 7zM16 5h2.5v14H16z!",
  previous: "M18 5l-9 7 9 7zM5.5 5H8v14H5.5z!",
  shuffle:
    "M3 7h3.5c4.5 0 6.5 10 11 10H21M18 14l3 3-3 3M3 17h3.5c1.7 0 3-1.5 4-3.3M13.5 10.3C14.5 8.5 15.8 7 17.5 7H21M18 4l3 3-3 3",
  repeat: "M4 12V10a4 4 0 0 1 4-4h12M17 3l3 3-3 3M20 12v2a4 4 0 0 1-4 4H4M7 21l-3-3 3-3",
  one: "M4 12V10a4 4 0 0 1 4-4h12M17 3l3 3-3 3M20 12v2a4 4 0 0 1-4 4H4M7 21l-3-3 3-3M11 10.5l1.5-1V15",
  heart: "M12 20s-7.5-4.6-7.5-10A4.2 4.2 0 0 1 12 7.5 4.2 4.2 0 0 1 19.5 10c0 5.4-7.5 10-7.5 10z",
  lyrics: "M4 6h16M4 10.5h11M4 15h16M4 19.5h8",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  gauge: "M4.5 18a9 9 0 1 1 15 0M12 14l4-5",
  chapters: "M4 6h3M4 12h3M4 18h3M11 6h9M11 12h9M11 18h9",
  tracks: "M4 9v6M8 6v12M12 3v18M16 7v10M20 10v4",
  volume: "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4 4 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11",
  mute: "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 10l5 5M21 10l-5 5",
  queue: "M4 6h11M4 11h11M4 16h7M15 15v6l5-3z",
  note: "M9 18V5l11-2v13M9 18a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM20 16a3 3 0 1 1-6 0 3 3 0 0 1 6 0z",
  more: "M12 5.5v.01M12 12v.01M12 18.5v.01",
  grip: "M5 9h14M5 15h14",
  down: "M6 9l6 6 6-6",
  close: "M6 6l12 12M18 6L6 18",
  trash: "M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13",
  edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  save: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
  check: "M5 12.5l4.5 4.5L19 7.5",
  add: "M12 5v14M5 12h14",
  less: "M5 12h14",
  back: "M15 5l-7 7 7 7",
  disc: "M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0zM14 12a2 2 0 1 1-4 0 2 2 0 0 1 4 0z",
  person: "M16 8a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM4.5 20a7.5 7.5 0 0 1 15 0",
  folder: "M3 18V6h6l2 2.5h10V18z",
  tag: "M4 4h8l8 8-8 8-8-8zM8.5 8.5v.01",
  clock: "M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0zM12 7v5l3.5 2",
  radio: "M4 10h16v10H4zM6 10l12-6M15.5 15v.01M8 15h3",
  headphones: "M4 15v-3a8 8 0 0 1 16 0v3M4 15a2 2 0 0 1 4 0v3a2 2 0 0 1-4 0zM16 15a2 2 0 0 1 4 0v3a2 2 0 0 1-4 0z",
  gear:
    "M15 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM10.5 3.5h3l.6 2.4 2 1.1 2.4-.7 1.5 2.6-1.8 1.7v2.8l1.8 1.7-1.5 2.6-2.4-.7-2 1.1" +
    "-.6 2.4h-3l-.6-2.4-2-1.1-2.4.7L4 15.1l1.8-1.7v-2.8L4 8.9l1.5-2.6 2.4.7 2-1.1z",
  warning: "M12 4l9 16H3zM12 10v4.5M12 17.3v.01",
  house: "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
  room: "M5 4h14v16H5zM15 14.5a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM12 8v.01",
  keyboard: "M3 6.5h18v11H3zM7 10.5v.01M11 10.5v.01M15 10.5v.01M8 14h8",
};

/** An icon; the text beside it, or the name of its button, says the same. */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  const shape = icons[name];
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", shape.endsWith("!") ? "icon solid" : "icon");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", shape.replace("!", ""));
  svg.append(path);
  return svg;
}

/** A button that shows an icon only. */
export function iconButton(name, label, onclick, attributes = {}) {
  return h("button", { type: "button", "aria-label": label, title: label, onclick, ...attributes }, icon(name));
}

/** Gives a button another icon and name, if they are others. */
export function setButton(button, name, label, isPressed) {
  if (isPressed !== undefined) button.setAttribute("aria-pressed", String(isPressed));
  if (button.dataset.icon === name && button.title === label) return;
  button.dataset.icon = name;
  button.title = label;
  button.setAttribute("aria-label", label);
  button.replaceChildren(icon(name));
}

/** Sets a text, without work for the browser where it is the same. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * A range whose filled part is drawn by the style sheet.
 *
 * Its `isHeld` is true while a pointer has it: then nothing else moves it. It has an event `release` after that.
 */
export function slider(label, attributes = {}) {
  const input = h("input", { type: "range", "aria-label": label, ...attributes });
  input.isHeld = false;
  input.addEventListener("input", () => fill(input));
  input.addEventListener("pointerdown", () => (input.isHeld = !input.disabled));
  const release = () => {
    if (!input.isHeld) return;
    input.isHeld = false;
    // `change` comes before it.
    setTimeout(() => input.dispatchEvent(new Event("release")));
  };
  for (const name of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) input.addEventListener(name, release);
  return input;
}

/** Sets a range, unless a pointer has it, and draws its filled part. */
export function setSlider(input, value, max = input.max) {
  if (input.isHeld) return;
  if (input.max !== String(max)) input.max = max;
  if (Number(input.value) !== value) input.value = value;
  fill(input);
}

function fill(input) {
  const share = input.max > 0 ? (input.value / input.max) * 100 : 0;
  input.style.setProperty("--share", `${share.toFixed(2)}%`);
}

/** A picture of a song, or a note where it has none. */
export function cover(address) {
  const image = h("img", { alt: "", decoding: "async", loading: "lazy" });
  const frame = h("div", { class: "cover" }, icon("note"), image);
  let isLate = false;
  image.addEventListener("load", () => frame.classList.add("shown"));
  image.addEventListener("error", () => {
    frame.classList.remove("shown");
    // A browser asks for what is hidden when it is seen, and a ticket may be over by then.
    if (!isLate && image.src.includes("ticket=")) load(frame.dataset.address);
    isLate = true;
  });
  const load = (address) => View.link.withTicket(address)
    .then((source) => frame.dataset.address === address && (image.src = source), () => {});
  frame.show = (next) => {
    if (frame.dataset.address === next) return;
    frame.dataset.address = next ?? "";
    isLate = false;
    if (next) {
      load(next);
    } else {
      image.removeAttribute("src");
    }
    // A large one is there until the next has come; a row that shows another song by now has none.
    if (!next || !frame.classList.contains("large")) frame.classList.remove("shown");
  };
  if (address) frame.show(address);
  return frame;
}

/** The bytes of an address that a server surely takes. */
const addressBytes = 4000;

/** The address of a picture of a song or of what a filter selects; `null` where it would be too long. */
export function pictureOf(kind, uri, size) {
  const address = `art/${kind}?uri=${encodeURIComponent(uri)}&size=${size}`;
  return address.length <= addressBytes ? address : null;
}

/**
 * Shows the picture of the song that plays.
 * @param {import("./link.js").Link} link
 */
export function showCurrentPicture(frame, link, size) {
  const { player, artwork } = link.values;
  if (!player?.song) return frame.show(null);
  // The server may tell either of the two first.
  if (artwork?.id !== player.id) return;
  frame.show(`art/current?zone=${encodeURIComponent(link.zone)}&size=${size}&of=${artwork.id}.${artwork.revision}`);
}

// Sheets and messages

/** Opens a sheet, which closes by its button, by Escape, or by a press beside it. */
export function sheet(title, ...children) {
  const heading = h("h2", { id: "sheet-title", dir: "auto" }, title);
  const dialog = h("dialog", { class: "sheet", "aria-labelledby": "sheet-title" },
    h("div", { class: "head" }, heading, iconButton("close", t("close"), () => dialog.close())), ...children);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    // The control that had opened it may be gone by now.
    if (document.activeElement === document.body) focusHeading();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Where a keyboard goes on after a change of views. */
export function focusHeading() {
  const heading = document.querySelector("main h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
}

/** Hides a control or shows it; a keyboard that was there goes on beside it. */
export function setHidden(control, isHidden) {
  const hadFocus = control === document.activeElement;
  control.hidden = isHidden;
  if (hadFocus && isHidden) focusBeside(control);
}

function focusBeside(place) {
  const others = [...(place.closest("section")?.querySelectorAll("button, input, select") ?? [])];
  const other = others.find((one) => one.checkVisibility());
  if (other) other.focus();
  else focusHeading();
}

/** A row of a sheet that does something, and closes it. */
export function choice(name, label, action, isChosen) {
  return h("button", {
    type: "button", class: "choice", "aria-pressed": isChosen === undefined ? null : String(isChosen),
    onclick: (event) => {
      event.target.closest("dialog").close();
      action();
    },
  }, icon(isChosen ? "check" : name), label);
}

/** Seconds for which a message stays. */
const messageTime = 8;

/** Shows a message for a while, with a button that does something. */
export function toast(text, action, run, kind = "") {
  endToast();
  // A message behind an open sheet would not be seen.
  const place = document.querySelector("dialog[open]") ?? document.getElementById("toasts");
  const message = h("div", { class: `toast ${kind}`, role: "status" }, h("span", { dir: "auto" }, text));
  const end = () => message.remove();
  if (action) {
    message.append(h("button", { type: "button", onclick: () => {
      end();
      run();
    } }, action));
  }
  place.append(message);
  setTimeout(end, messageTime * 1000);
}

/** Takes the message away: what it offers is not to be done any more. */
export function endToast() {
  document.querySelector(".toast")?.remove();
}

/** Says why something was not done. */
export function showError(error) {
  toast(errorText(error), undefined, undefined, "error");
}

/** Says what went wrong: the server's sentence, and before it what it means in another language. */
export function errorText(error) {
  if (error instanceof LostError) return t("offline");
  if (error instanceof TooLongError) return t("tooLong");
  const meaning = sentenceOf("error", error.ack);
  return meaning ? `${meaning} (${error.message})` : error.message;
}

/** Takes away a message of what has been done since, or is over. */
export function endErrors() {
  document.querySelector(".toast.error")?.remove();
}

/** Replaces what an element has, and gives the focus to what had it before: both have the same `data-key`. */
export function replaceKeepingFocus(place, ...children) {
  const { activeElement } = document;
  const key = place.contains(activeElement) ? activeElement.dataset.key : undefined;
  place.replaceChildren(...children);
  if (key === undefined) return;
  const next = [...place.querySelectorAll("[data-key]")].find((element) => element.dataset.key === key);
  const other = next ?? place.querySelector("button");
  if (other) other.focus();
  else focusBeside(place);
}

// Views

/** A view of the connection: it is built once, and updated by the topics that it names, while it is shown. */
export class View extends HTMLElement {
  /** @type {import("./link.js").Link} */
  static link;
  topics = [];
  #end;

  get link() {
    return View.link;
  }

  connectedCallback() {
    if (!this.firstChild) this.build();
    this.#end = this.link.on(this.topics, (topic) => this.update(topic));
    this.update();
    this.shown?.();
  }

  disconnectedCallback() {
    this.#end();
    this.hiddenAway?.();
  }
}
