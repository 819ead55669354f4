// The song that plays: cover, titles, place in the song, volume, and the line that says what is going on.

import {
  View, clockTime, cover, duration, h, icon, iconButton, joined, language, sentenceOf, setButton, setSlider,
  setText, showCurrentPicture, showError, slider, t, titleOf,
} from "./ui.js";

/** The sides of covers in pixels, of which the screen's is one. */
const coverSizes = [400, 640, 1024];

/** Seconds by which an arrow key moves the place. */
const keyStep = 10;

/** Songs of these kinds are often heard at another speed, and so are those that are long. */
const spoken = /audiobook|podcast|speech|spoken|hörbuch|hörspiel/i, longSong = 20 * 60;

/** Causes that the rest of the view shows. */
const usual = new Set(["playing", "paused", "stopped", "queueempty", "queueended"]);

/** The listener in this browser, which goes on where the view is made anew. */
let listener = null;

class NowView extends View {
  topics = ["player", "options", "mixer", "artwork", "why", "sleep", "permissions", "announcements", "stickers", "outputs"];
  #lyrics = null;
  #wantsLyrics = false;
  #loading = null;
  #volume = latestOnly(
    (volume) => this.link.act("setvol", { volume }, "mixer", { volume }).catch(showError), () => this.#showVolume());
  #likes = new Map();
  /** Those of the song that plays, and the song and format that they were asked for of. */
  #chapters = { of: null, list: [] };
  #stickerRevision;
  #timer = 0;
  /** The song that played when a pointer took hold of its place. */
  #heldSong;

  build() {
    const { link } = this;
    const act = (method, params, topic, effect) => link.act(method, params, topic, effect).catch(showError);
    this.cover = cover();
    this.cover.classList.add("large");
    this.heading = h("h1", { dir: "auto" });
    this.artist = h("p", { class: "artist", dir: "auto" });
    this.album = h("p", { class: "muted", dir: "auto" });
    this.chapter = h("p", { class: "muted", dir: "auto" });
    this.position = slider(t("position"), { min: 0, max: 0, step: 0.1, class: "position" });
    this.position.addEventListener("pointerdown", () => (this.#heldSong = link.values.player?.id));
    this.position.addEventListener("input", () => this.#showPlace(Number(this.position.value)));
    this.position.addEventListener("change", () => this.#seek(Number(this.position.value)));
    this.position.addEventListener("release", () => {
      this.#heldSong = undefined;
      this.#followPlace();
    });
    this.position.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -keyStep, ArrowRight: keyStep, ArrowDown: -keyStep, ArrowUp: keyStep }[event.key];
      if (!step) return;
      event.preventDefault();
      this.#seek(link.elapsed + step);
    });
    this.elapsed = h("span");
    this.duration = h("span");
    const button = (name, label, action) => iconButton(name, label, action);
    this.shuffle = button("shuffle", t("shuffle"), () => {
      const random = !link.values.options?.random;
      act("random", { state: random }, "options", { random });
    });
    this.previous = button("previous", t("previous"), () => link.call("previous").catch(showError));
    this.play = button("play", t("play"), () => togglePlay(link));
    this.play.className = "primary";
    this.next = button("next", t("next"), () => link.call("next").catch(showError));
    this.repeat = button("repeat", t("repeat"), () => this.#cycleRepeat());
    this.volume = slider(t("volume"), { min: 0, max: 100 });
    this.volume.addEventListener("input", () => this.#volume.send(Number(this.volume.value)));
    this.volume.addEventListener("release", () => this.#showVolume());
    this.volumeIcon = h("span", { class: "volume-icon" }, icon("volume"));
    this.volumeRow = h("div", { class: "volume" }, this.volumeIcon, this.volume);
    this.favourite = button("heart", t("favourite"), () => this.#toggleFavourite());
    this.lyricsButton = button("lyrics", t("lyrics"), () => this.#toggleLyrics());
    this.speed = button("gauge", t("speed"), () => this.#choose("chooseSpeed"));
    this.chaptersButton = button("chapters", t("chapters"), () => this.#choose("chooseChapter", this.#chapters.list));
    this.tracks = button("tracks", t("tracks"), () => this.#choose("chooseTrack"));
    this.listen = button("headphones", t("listen"), () => this.#toggleListening());
    this.sleep = button("moon", t("sleep"), () => this.#choose("chooseSleep", this.#chapters.list));
    listener?.addEventListener("change", () => this.#showListening());
    this.lines = h("div", { class: "lines" });
    this.transport = h("div", { class: "transport" }, this.shuffle, this.previous, this.play, this.next, this.repeat);
    this.stage = h("div", { class: "stage" }, this.cover);
    this.append(
      this.stage,
      h("div", { class: "details" },
        h("div", { class: "titles" }, h("div", {}, this.heading, this.artist, this.album, this.chapter), this.favourite),
        h("div", { class: "progress" }, this.position, h("div", { class: "times muted" }, this.elapsed, this.duration)),
        this.transport,
        this.volumeRow,
        h("div", { class: "extras" }, this.lyricsButton, this.chaptersButton, this.speed, this.tracks, this.listen, this.sleep),
        this.lines));
  }

  hiddenAway() {
    clearTimeout(this.#timer);
    this.#lyrics?.stop();
  }

  update(topic) {
    const { player, options, sleep } = this.link.values;
    const changed = (...topics) => !topic || topics.includes(topic);
    if (changed("player", "artwork")) this.#showSong(player);
    if (changed("player")) this.#askForChapters(player);
    if (changed("player", "options", "permissions")) this.#showState(player, options);
    if (changed("mixer", "permissions")) this.#showVolume();
    if (changed("player", "stickers", "permissions")) this.#showFavourite(player?.song);
    if (changed("outputs")) this.#showListening();
    setButton(this.sleep, "moon", t("sleep"), Boolean(sleep?.at ?? sleep?.after));
    this.sleep.hidden = !this.link.may("player");
    this.#showLines();
  }

  // The song

  #showSong(player) {
    const { link } = this;
    const song = player?.song;
    setText(this.heading, song ? titleOf(song) : t("nothing"));
    setText(this.artist, song?.artist ?? "");
    const date = song?.tags?.date?.[0]?.slice(0, 4);
    setText(this.album, joined(song?.album ?? song?.tags?.name?.[0], date));
    const size = coverSizes.find((size) => size >= this.stage.clientWidth * devicePixelRatio) ?? coverSizes.at(-1);
    showCurrentPicture(this.cover, link, size);
    this.classList.toggle("idle", !song);
    if (!song && this.#lyrics) this.#toggleLyrics();
    this.#lyrics?.show(song);
  }

  #showState(player, options) {
    const mayPlay = this.link.may("player");
    const isPlaying = player?.state === "playing";
    setButton(this.play, isPlaying ? "pause" : "play", t(isPlaying ? "pause" : "play"));
    const repeatName = !options?.repeat ? "repeatOff" : options.single === "off" ? "repeatAll" : "repeatOne";
    setButton(this.repeat, repeatName === "repeatOne" ? "one" : "repeat", t(repeatName), Boolean(options?.repeat));
    setButton(this.shuffle, "shuffle", t("shuffle"), Boolean(options?.random));
    this.transport.hidden = !mayPlay;
    this.position.disabled = !mayPlay || !player?.duration;
    const speed = options?.speed ?? 1;
    const speedName = speed === 1 ? t("speed") : `${t("speed")}: ${speed.toLocaleString(language)}×`;
    setButton(this.speed, "gauge", speedName, speed !== 1);
    const song = player?.song;
    const isSpoken = song?.tags?.genre?.some((genre) => spoken.test(genre)) || player?.duration > longSong;
    this.speed.hidden = !mayPlay || !(isSpoken || speed !== 1);
    this.tracks.hidden = !mayPlay || !song;
    this.lyricsButton.hidden = !song;
    this.chaptersButton.hidden = this.#chapters.list.length < 2;
    this.#followPlace();
  }

  // Chapters

  /** A song that has been opened has a format, and then its chapters are known. */
  async #askForChapters(player) {
    const of = player?.song && player.audio ? `${player.id} ${player.audio} ${player.song.file}` : null;
    if (of === this.#chapters.of) return;
    this.#chapters = { of, list: [] };
    if (of) {
      const list = await this.link.call("chapters").catch(() => null);
      if (of !== this.#chapters.of) return;
      this.#chapters = { of: list ? of : null, list: list ?? [] };
    }
    this.chaptersButton.hidden = this.#chapters.list.length < 2;
    this.#showChapter(this.link.elapsed);
  }

  #showChapter(elapsed) {
    const { list } = this.#chapters;
    setText(this.chapter, list.length < 2 ? "" : chapterAt(list, elapsed)?.title ?? "");
  }

  // The place in the song

  #followPlace() {
    clearTimeout(this.#timer);
    const { player } = this.link.values;
    const elapsed = this.link.elapsed;
    if (!this.position.isHeld) {
      setSlider(this.position, elapsed, player?.duration ?? 0);
      this.#showPlace(elapsed);
    }
    const speed = player?.progress?.speed ?? 0;
    if (speed === 0 || !this.isConnected) return;
    // At the next whole second of the song.
    this.#timer = setTimeout(() => this.#followPlace(), ((1 - (elapsed % 1)) / speed) * 1000 + 5);
  }

  #showPlace(elapsed) {
    const { player } = this.link.values;
    const total = player?.duration;
    setText(this.elapsed, player?.song ? duration(elapsed) : "");
    setText(this.duration, total ? duration(total) : player?.stream?.live ? t("live") : "");
    const place = { elapsed: duration(elapsed), duration: duration(total) };
    this.#showChapter(elapsed);
    this.position.setAttribute("aria-valuetext", total ? t("ofDuration", place) : place.elapsed);
  }

  #seek(seconds) {
    // The song that was under the pointer may be over.
    const isOver = this.#heldSong !== undefined && this.#heldSong !== this.link.values.player?.id;
    if (!isOver) seek(this.link, seconds).catch(showError);
  }

  // Volume

  #showVolume() {
    const volume = this.link.values.mixer?.volume;
    this.volumeRow.hidden = volume === undefined || !this.link.may("player");
    if (volume === undefined || this.#volume.isBusy) return;
    setSlider(this.volume, volume);
    this.volumeIcon.replaceChildren(icon(volume === 0 ? "mute" : "volume"));
  }

  // Options

  #cycleRepeat() {
    const { repeat, single } = this.link.values.options ?? {};
    const next = !repeat ? { repeat: true, single: "off" } : single === "off" ? { repeat: true, single: "on" }
      : { repeat: false, single: "off" };
    const { link } = this;
    Promise.all([
      link.act("repeat", { state: next.repeat }, "options", next),
      link.call("single", { state: next.single === "on" }),
    ]).catch(showError);
  }

  /** Opens one of the sheets, which most people open rarely. */
  async #choose(name, ...more) {
    try {
      const choices = await import("./choices.js");
      await choices[name](this.link, ...more);
    } catch (error) {
      showError(error);
    }
  }

  // Favourites are songs whose sticker `like` is 2, as in other clients of MPD.

  async #showFavourite(song) {
    const { link } = this;
    this.favourite.hidden = !song || !link.may("control");
    if (this.favourite.hidden) return;
    const { revision } = link.values.stickers ?? {};
    if (revision !== this.#stickerRevision) this.#likes.clear();
    this.#stickerRevision = revision;
    if (!this.#likes.has(song.file)) {
      this.#likes.set(song.file, false);
      const values = await link.call("sticker.get", { type: "song", uri: song.file, name: "like" }).catch(() => []);
      this.#likes.set(song.file, values[0]?.value === "2");
    }
    if (song.file !== link.values.player?.song?.file) return;
    setButton(this.favourite, "heart", t("favourite"), this.#likes.get(song.file));
  }

  async #toggleFavourite() {
    const { link } = this;
    const file = link.values.player?.song?.file;
    const isLiked = !this.#likes.get(file);
    this.#likes.set(file, isLiked);
    setButton(this.favourite, "heart", t("favourite"), isLiked);
    const where = { type: "song", uri: file, name: "like" };
    try {
      if (isLiked) await link.call("sticker.set", { ...where, value: "2" });
      else await link.call("sticker.delete", where);
    } catch (error) {
      this.#likes.delete(file);
      this.#showFavourite(link.values.player?.song);
      showError(error);
    }
  }

  // Lyrics

  async #toggleLyrics() {
    this.#wantsLyrics = !this.#wantsLyrics;
    const module = await import("./lyrics.js").catch(showError);
    if (!module || this.#wantsLyrics === (this.#lyrics !== null)) return;
    if (this.#lyrics) {
      this.#lyrics.remove();
      this.#lyrics = null;
    } else {
      this.#lyrics = new module.Lyrics();
      this.stage.append(this.#lyrics);
      this.#lyrics.show(this.link.values.player?.song);
    }
    this.classList.toggle("with-lyrics", this.#wantsLyrics);
    setButton(this.lyricsButton, "lyrics", t("lyrics"), this.#wantsLyrics);
  }

  // Listening here

  #showListening() {
    const isListening = listener?.isListening ?? false;
    this.listen.hidden = !streamOf(this.link.values.outputs) && !isListening;
    setButton(this.listen, "headphones", t("listen"), isListening);
  }

  async #toggleListening() {
    this.#loading ??= import("./listen.js").then(({ Listener }) => {
      listener ??= new Listener(this.link);
      listener.addEventListener("change", () => this.#showListening());
    });
    try {
      await this.#loading;
    } catch (error) {
      this.#loading = null;
      return showError(error);
    }
    if (listener.isListening) listener.stop();
    else listener.start();
  }

  // The lines below

  #showLines() {
    const lines = linesOf(this.link.values);
    if (lines.join("\n") === this.lines.dataset.text) return;
    this.lines.dataset.text = lines.join("\n");
    this.lines.replaceChildren(...lines.map((line) => h("p", { class: "muted", dir: "auto" }, line)));
  }
}

/**
 * Sends values one after another: while one is on its way, only the latest wish is kept.
 * @param {(value) => Promise} send Does not fail.
 * @param {() => void} ended Called when all are sent.
 */
export function latestOnly(send, ended) {
  const wishes = { isBusy: false, async send(value) {
    wanted = value;
    if (wishes.isBusy) return;
    wishes.isBusy = true;
    while (wanted !== null) {
      const next = wanted;
      wanted = null;
      await send(next);
    }
    wishes.isBusy = false;
    ended();
  } };
  let wanted = null;
  return wishes;
}

/** Why a zone is silent or quiet, where that is not to be seen otherwise. */
export function causesOf(why) {
  return (why ?? []).filter(({ reason, by }) => by || !usual.has(reason)).map(causeText);
}

/** A cause, as `why` tells it, in the language of the page. */
function causeText(cause) {
  const { reason, by, gain } = cause;
  const values = {
    ...cause, who: sessionText(cause), n: Math.abs(gain).toLocaleString(language),
    by: by && (cause.session ? sessionText(cause) : sentenceOf("by", by) ?? by),
  };
  return sentenceOf("why", reason, values) ?? cause.cause[0].toUpperCase() + cause.cause.slice(1);
}

function sessionText({ kind, name, class: importance }) {
  const title = kind !== "system" ? kind : name === importance ? `a ${importance}` : importance;
  return sentenceOf("who", title, { name }) ?? sentenceOf("who", "other", { name });
}

/** The sentences about a zone's state. */
export function linesOf({ player, why, sleep, announcements }) {
  const lines = causesOf(why);
  if (player?.alarm !== undefined) lines.unshift(t("alarm"));
  const announcement = announcements?.find(({ state }) => state === "playing");
  if (announcement) lines.unshift(announcement.text ? t("announcing", announcement) : t("announcingSound"));
  if (sleep?.at) lines.push(t("sleepsAt", { time: clockTime(sleep.at) }));
  const ends = { endofsong: "sleepsAfterSong", queue: "sleepsAfterQueue", chapter: "sleepsAfterChapter" };
  if (ends[sleep?.after]) lines.push(t(ends[sleep.after]));
  if (player?.song && player.audio) lines.push(soundOf(player));
  return lines;
}

/** The way of the sound, such as "44.1 kHz · 16 bit · stereo". */
export function soundOf({ audio, song }) {
  const [rate, bits, channels] = (song?.format ?? audio).split(":");
  const names = { 1: t("mono"), 2: t("stereo") };
  return joined(
    Number(rate) ? `${(rate / 1000).toLocaleString(language)} kHz` : null,
    Number(bits) ? `${bits} bit` : bits === "f" ? "32 bit" : null,
    Number(channels) ? names[channels] ?? t("channels", { n: channels }) : null,
  );
}

/** The chapter at a place in seconds. */
export function chapterAt(chapters, elapsed) {
  return chapters.findLast(({ start }) => start <= elapsed) ?? chapters[0];
}

/** The ending of a zone's stream; `null` where no output makes one. */
export function streamOf(outputs) {
  const output = outputs?.find(({ plugin, enabled }) => plugin === "httpd" && enabled);
  return output?.attributes?.find((text) => text.startsWith("stream="))?.slice("stream=".length) ?? null;
}

/** Plays, or pauses what plays. */
export function togglePlay(link) {
  setPlaying(link, link.values.player?.state !== "playing");
}

/** Plays or pauses, and shows it at once. */
export function setPlaying(link, plays) {
  const { player, options } = link.values;
  const progress = player?.progress && { elapsed: link.elapsed, at: link.now, speed: plays ? options?.speed ?? 1 : 0 };
  const effect = { state: plays ? "playing" : "paused", progress };
  // From a stop, `play` begins the current song, and after the end of the queue its first one.
  link.act(plays ? "play" : "pause", plays ? undefined : { state: true }, "player", effect).catch(showError);
}

/** Goes to a place in the current song, in seconds. */
export function seek(link, seconds) {
  const { player } = link.values;
  const time = Math.min(Math.max(0, seconds), player?.duration ?? seconds);
  return link.act("seekcur", { time }, "player", { progress: { ...player?.progress, elapsed: time, at: link.now } });
}

customElements.define("segue-now", NowView);
