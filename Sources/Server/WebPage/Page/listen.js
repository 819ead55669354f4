// Listening in this browser: the stream of one of the zone's outputs, and the keys of the lock screen.

import { seek, setPlaying, streamOf } from "./now.js";
import { pictureOf, showError, t, titleOf, toast } from "./ui.js";

/** The actions of a headset's keys and of the lock screen. */
const actionNames = ["play", "pause", "nexttrack", "previoustrack", "seekto"];

/** Milliseconds after the end of a stream in which the connection tells whether the server is away. */
const grace = 3000;

/** Listens to the zone that is chosen. */
export class Listener extends EventTarget {
  #audio = new Audio();
  #address = null;
  #isHeard = false;
  /** The texts and the picture that the lock screen has. */
  #shown = null;
  #link;
  #grace = 0;

  /** @param {import("./link.js").Link} link */
  constructor(link) {
    super();
    this.#link = link;
    this.#audio.addEventListener("error", () => this.#wait());
    this.#audio.addEventListener("ended", () => this.#wait());
    this.#audio.addEventListener("playing", () => (this.#isHeard = true));
    // The browser has paused it, for a call or another page; a stream that ends pauses as well.
    this.#audio.addEventListener("pause", () => this.#isHeard && !this.#audio.ended && this.stop());
    link.on(["player", "outputs"], () => this.#follow());
    // The stream has ended with the server, and is there again with it.
    link.addEventListener("status", () => link.status === "open" && this.isListening && this.#begin());
  }

  /** The stream has ended: by itself, or with the server, which the connection then tells. */
  #wait() {
    if (this.#address === null) return;
    this.#isHeard = false;
    clearTimeout(this.#grace);
    this.#grace = setTimeout(() => {
      if (this.#link.status !== "open" || this.#isHeard || !this.isListening) return;
      this.stop();
      toast(t("streamEnded"));
    }, grace);
  }

  get isListening() {
    return this.#address !== null;
  }

  start() {
    this.#link.isNeeded = true;
    this.#begin();
    this.#showSession();
    this.dispatchEvent(new Event("change"));
  }

  stop() {
    this.#link.isNeeded = false;
    this.#address = null;
    this.#isHeard = false;
    clearTimeout(this.#grace);
    this.#audio.pause();
    this.#audio.removeAttribute("src");
    this.#audio.load();
    const { mediaSession } = navigator;
    if (mediaSession) {
      mediaSession.metadata = null;
      this.#shown = null;
      mediaSession.playbackState = "none";
      for (const name of actionNames) mediaSession.setActionHandler(name, null);
    }
    this.dispatchEvent(new Event("change"));
  }

  #begin() {
    const { zone, values } = this.#link;
    const extension = streamOf(values.outputs);
    this.#isHeard = false;
    clearTimeout(this.#grace);
    if (!extension) {
      // A server that has just begun may still be opening its output.
      this.#address = "";
      return this.#wait();
    }
    const address = `stream/${encodeURIComponent(zone)}.${extension}`;
    this.#address = address;
    this.#link.withTicket(address).then((source) => {
      if (this.#address !== address) return;
      this.#audio.src = source;
      return this.#audio.play();
    }).catch((error) => {
      // Another beginning, or an end, has come in between.
      if (error.name === "AbortError" || this.#address !== address) return;
      // There is no stream, or no server; a browser that may not play says so at once.
      if (error.name !== "NotAllowedError") return this.#wait();
      this.stop();
      showError(error);
    });
  }

  /** The chosen zone is another one, or its stream. */
  #follow() {
    if (!this.isListening) return;
    const { zone, values } = this.#link;
    const extension = streamOf(values.outputs);
    if (this.#address !== (extension ? `stream/${encodeURIComponent(zone)}.${extension}` : "")) this.#begin();
    this.#showSession();
  }

  #showSession() {
    const { mediaSession } = navigator;
    const { player } = this.#link.values;
    if (!mediaSession || !this.isListening) return;
    const song = player?.song;
    const picture = song ? pictureOf("song", song.file, 512) : null;
    const texts = { title: song ? titleOf(song) : "", artist: song?.artist ?? "", album: song?.album ?? "" };
    const shown = JSON.stringify([texts, picture]);
    if (shown !== this.#shown) {
      this.#shown = shown;
      const metadata = mediaSession.metadata = new MediaMetadata(texts);
      const show = (source) => (metadata.artwork = [{ src: new URL(source, document.baseURI).href }]);
      if (picture) this.#link.withTicket(picture).then(show, () => {});
    }
    mediaSession.playbackState = player?.state === "playing" ? "playing" : "paused";
    const link = this.#link;
    const send = (method) => () => link.call(method).catch(showError);
    const actions = {
      play: () => setPlaying(link, true), pause: () => setPlaying(link, false),
      nexttrack: send("next"), previoustrack: send("previous"),
      seekto: ({ seekTime }) => seek(link, seekTime).catch(showError),
    };
    for (const name of actionNames) mediaSession.setActionHandler(name, link.may("player") ? actions[name] : null);
  }
}
