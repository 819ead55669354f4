// Listening in this browser: the stream of one of the zone's outputs, and the keys of the lock screen.

import { seek, setPlaying, streamOf } from "./now.js";
import { pictureOf, showError, t, titleOf, toast } from "./ui.js";

/** The actions of a headset's keys and of the lock screen. */
const actionNames = ["play", "pause", "nexttrack", "previoustrack", "seekto"];

/** Listens to the zone that is chosen. */
export class Listener extends EventTarget {
  #audio = new Audio();
  #address = null;
  #isHeard = false;
  #link;

  /** @param {import("./link.js").Link} link */
  constructor(link) {
    super();
    this.#link = link;
    this.#audio.addEventListener("error", () => {
      if (this.#address === null) return;
      this.stop();
      toast(t("streamEnded"));
    });
    this.#audio.addEventListener("ended", () => this.stop());
    this.#audio.addEventListener("playing", () => (this.#isHeard = true));
    // The browser has paused it, for a call or another page.
    this.#audio.addEventListener("pause", () => this.#isHeard && this.stop());
    link.on(["player", "outputs"], () => this.#follow());
    // The stream has ended with the server, and is there again with it.
    link.addEventListener("status", () => link.status === "open" && this.isListening && this.#begin());
  }

  get isListening() {
    return this.#address !== null;
  }

  start() {
    this.#begin();
    this.#showSession();
    this.dispatchEvent(new Event("change"));
  }

  stop() {
    this.#address = null;
    this.#isHeard = false;
    this.#audio.pause();
    this.#audio.removeAttribute("src");
    this.#audio.load();
    const { mediaSession } = navigator;
    if (mediaSession) {
      mediaSession.metadata = null;
      mediaSession.playbackState = "none";
      for (const name of actionNames) mediaSession.setActionHandler(name, null);
    }
    this.dispatchEvent(new Event("change"));
  }

  #begin() {
    const { zone, values } = this.#link;
    const extension = streamOf(values.outputs);
    if (!extension) {
      this.stop();
      return toast(t("streamEnded"));
    }
    this.#isHeard = false;
    this.#address = `stream/${encodeURIComponent(zone)}.${extension}`;
    this.#audio.src = this.#address;
    this.#audio.play().catch((error) => {
      // Another beginning, or an end, has come in between.
      if (error.name === "AbortError" || !this.isListening) return;
      this.stop();
      showError(error);
    });
  }

  /** The chosen zone is another one, or its stream. */
  #follow() {
    if (!this.isListening) return;
    const { zone, values } = this.#link;
    const extension = streamOf(values.outputs);
    if (this.#address !== `stream/${encodeURIComponent(zone)}.${extension}`) this.#begin();
    this.#showSession();
  }

  #showSession() {
    const { mediaSession } = navigator;
    const { player } = this.#link.values;
    if (!mediaSession || !this.isListening) return;
    const song = player?.song;
    const picture = song ? pictureOf("song", song.file, 512) : null;
    mediaSession.metadata = new MediaMetadata({
      title: song ? titleOf(song) : "", artist: song?.artist ?? "", album: song?.album ?? "",
      artwork: picture ? [{ src: new URL(picture, document.baseURI).href }] : [],
    });
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
