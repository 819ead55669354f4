// The library, as lists of items that can be opened, played and added.
//
// An item has a kind, a title and details; `requests(position)` are the methods that add it to a queue, and `path` is where it
// is opened.

import { address, duration, joined, pictureOf, songCount, t, titleOf } from "./ui.js";

/** The longest text that is searched for, in characters. */
export const mostWords = 200;
/** How many songs are asked for at once, and how many of those that were added last are looked through. */
const pageSize = 100, recentSongs = 1000;
/** How many of the songs of a shelf are known at a time, in pages. */
const mostPages = 20;
/** How many artists and albums stand before the songs that a search has found. */
const mostArtists = 4, mostAlbums = 8;

/** A text in a filter (segue-protocol(7), FILTERS). */
export function quoted(text) {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

/** A filter that selects songs for which all of these hold. */
export function all(...conditions) {
  return conditions.length === 1 ? `(${conditions[0]})` : `(${conditions.map((one) => `(${one})`).join(" AND ")})`;
}

const is = (tag, value) => `${tag} == ${quoted(value)}`;

/** A place in the page, of parts that may have any signs. */
export function pathOf(...parts) {
  return parts.map(encodeURIComponent).join("/");
}

// Items

export function songItem(song) {
  return {
    kind: "song", key: `song ${song.file}`, title: titleOf(song), song,
    detail: joined(song.artist, song.album), time: duration(song.duration),
    picture: pictureOf("song", song.file, 96), requests: (position) => [["add", { uri: song.file, position }]],
  };
}

function found(filter, sort) {
  return (position) => [["findadd", { filter, sort, position }]];
}

function albumItem({ album, albumartist, date }) {
  const filter = all(is("album", album), is("albumartist", albumartist ?? ""));
  return {
    kind: "album", key: `album ${album}\n${albumartist}`, title: album, path: pathOf("album", album, albumartist ?? ""),
    detail: joined(albumartist, date?.slice(0, 4)),
    picture: pictureOf("filter", filter, 96), requests: found(filter),
  };
}

function artistItem(name) {
  return {
    kind: "artist", key: `artist ${name}`, title: name, path: pathOf("artist", name),
    requests: found(all(is("albumartist", name))),
  };
}

function genreItem(name) {
  return {
    kind: "genre", key: `genre ${name}`, title: name, path: pathOf("genre", name),
    requests: found(all(is("genre", name))),
  };
}

function playlistItem(name) {
  return {
    kind: "playlist", key: `playlist ${name}`, title: name, path: pathOf("playlist", name),
    requests: (position) => [["load", { name, position }]],
  };
}

function folderItem(uri) {
  return {
    kind: "folder", key: `folder ${uri}`, title: uri.split("/").at(-1), path: pathOf("folder", uri),
    requests: (position) => [["add", { uri, position }]],
  };
}

/** An entry of `lsinfo`: a folder, a playlist or a song. */
function entryItem(entry) {
  if (entry.file) return songItem(entry);
  if (entry.directory) return folderItem(entry.directory);
  return playlistItem(entry.playlist);
}

/** An address of a stream, an episode or a playlist elsewhere. */
function addressItem(uri) {
  const isPlaylist = /\.(m3u8?|pls|xspf|asx)(\?|$)/i.test(uri) && !/\.m3u8(\?|$)/i.test(uri);
  return {
    kind: "address", key: "address", title: uri, detail: t("address"),
    requests: (position) => [isPlaylist ? ["load", { name: uri, position }] : ["add", { uri, position }]],
  };
}

// Shelves

/**
 * A list of items, all at once or by pages.
 *
 * It keeps what the server has sent, and makes items of what is seen: ten thousand albums are a megabyte.
 */
class Shelf {
  count = 0;
  /** Items in front of the others. */
  before = [];
  /** Finds how many songs there are in all, and the artists and albums before them, for a search. */
  complete = null;
  #rows = [];
  #asked = new Set();

  /**
   * @param {(row: object) => object} make Makes an item of a row.
   * @param {object} parts `item` is what the whole can be played and added by; `page(offset, limit)` are rows that are asked
   * for when they are seen.
   */
  constructor(title, make, { item = null, page = null } = {}) {
    Object.assign(this, { title, make, item, page });
  }

  /** The item at a place; `undefined` where it has not come yet. */
  at(place) {
    if (place < this.before.length) return this.before[place];
    const row = this.#rows[place - this.before.length];
    return row && this.make(row);
  }

  /** Takes all rows. */
  take(rows) {
    this.#rows = rows;
    this.count = rows.length;
    return this;
  }

  /** Takes the items before pages, how many rows are in these, and the first page. */
  begin(before, count, first) {
    this.before = before;
    this.count = before.length + count;
    this.#rows = [];
    this.#asked.clear();
    this.#put(0, first);
    return this;
  }

  #put(number, rows) {
    const start = (page) => page * pageSize;
    rows.forEach((row, index) => (this.#rows[start(number) + index] = row));
    this.#asked.add(number);
    if (this.#asked.size <= mostPages) return;
    const [oldest] = this.#asked;
    this.#asked.delete(oldest);
    for (let place = start(oldest); place < start(oldest + 1); place += 1) delete this.#rows[place];
  }

  /** Asks for the pages that places are on; tells whether any has come. */
  async fetch(start, end) {
    if (!this.page) return false;
    const first = Math.max(0, Math.floor((start - this.before.length) / pageSize));
    const last = Math.floor((Math.min(end, this.count) - 1 - this.before.length) / pageSize);
    const missing = [];
    for (let number = first; number <= last; number += 1) if (!this.#asked.has(number)) missing.push(number);
    missing.forEach((number) => this.#asked.add(number));
    await Promise.all(missing.map(async (number) => {
      try {
        this.#put(number, await this.page(number * pageSize, pageSize));
      } catch (error) {
        this.#asked.delete(number);
        throw error;
      }
    }));
    return missing.length > 0;
  }
}

/** The shelves of the first level: their names in addresses, and their icons. */
export const shelves = {
  artists: "person", albums: "disc", playlists: "queue", genres: "tag", folders: "folder", recent: "clock",
};

/**
 * Opens a shelf.
 * @param {import("./link.js").Link} link
 * @param {string} path As `pathOf` makes it.
 */
export async function open(link, path) {
  const [kind, first = "", second = ""] = partsOf(path);
  const list = async (type, filter, group) => {
    const rows = await link.call("list", { type, filter, group });
    return rows.filter((row) => row[type]);
  };
  const songs = async (title, filter, item, before = []) => {
    const page = (offset, limit) => link.call("find", { filter, offset, limit });
    const [{ songs: count }, rows] = await Promise.all([link.call("count", { filter }), page(0, pageSize)]);
    return new Shelf(title, songItem, { item, page }).begin(before, count, rows);
  };
  switch (kind) {
    case "artists":
      return new Shelf(t("artists"), (row) => artistItem(row.albumartist)).take(await list("albumartist"));
    case "albums": return new Shelf(t("albums"), albumItem).take(await list("album", undefined, ["albumartist"]));
    case "genres": return new Shelf(t("genres"), (row) => genreItem(row.genre)).take(await list("genre"));
    case "playlists":
      return new Shelf(t("playlists"), (row) => playlistItem(row.playlist)).take(await link.call("listplaylists"));
    case "folders": return new Shelf(t("folders"), entryItem).take(await link.call("lsinfo", { uri: "" }));
    case "recent": return new Shelf(t("recent"), (item) => item).take(await recent(link));
    case "folder": {
      const item = folderItem(first);
      return new Shelf(item.title, entryItem, { item }).take(await link.call("lsinfo", { uri: first }));
    }
    case "playlist": {
      const item = playlistItem(first);
      return new Shelf(item.title, songItem, { item }).take(await link.call("listplaylistinfo", { name: first }));
    }
    case "genre": return songs(first, all(is("genre", first)), genreItem(first));
    case "album": {
      const item = albumItem({ album: first, albumartist: second });
      return songs(item.title, all(is("album", first), is("albumartist", second)), item);
    }
    case "artist": {
      const filter = all(is("albumartist", first));
      const albums = await list("album", filter, ["albumartist", "date"]);
      return songs(first, filter, artistItem(first), distinct(albums.map(albumItem)));
    }
    default: return new Shelf(t("library"), songItem);
  }
}

function partsOf(path) {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return [];
  }
}

function distinct(items) {
  return [...new Map(items.map((item) => [item.key, item])).values()];
}

/** The albums, and the songs without one, that were added last. */
async function recent(link) {
  const filter = all(`added-since ${quoted("1970-01-01T00:00:00Z")}`);
  const songs = await link.call("find", { filter, sort: "-added", limit: recentSongs });
  return distinct(songs.map((song) => {
    const artist = song.tags?.albumartist?.[0] ?? song.tags?.artist?.[0];
    return song.album && artist ? albumItem({ album: song.album, albumartist: artist }) : songItem(song);
  }));
}

/** A filter that selects songs with all of these words, wherever they have them. */
export function wordsFilter(words) {
  return all(...words.split(/\s+/).map((word) => `any contains ${quoted(word)}`));
}

/**
 * Searches for words.
 * @returns {Promise<Shelf>} The first songs; `complete` finds the rest.
 */
export async function search(link, words) {
  if (address.test(words)) return new Shelf(t("search"), addressItem).take([words]);
  const filter = wordsFilter(words);
  const page = (offset, limit) => link.call("search", { filter, offset, limit });
  const first = await page(0, pageSize);
  const shelf = new Shelf(t("search"), songItem, { page });
  shelf.complete = async () => {
    const named = (tag) => all(`${tag} contains_ci ${quoted(words)}`);
    const [{ songs: count }, artists, albums] = await Promise.all([
      link.call("searchcount", { filter }),
      link.call("list", { type: "albumartist", filter: named("albumartist") }),
      link.call("list", { type: "album", filter: named("album"), group: ["albumartist"] }),
    ]);
    const before = [
      ...artists.filter((row) => row.albumartist).slice(0, mostArtists).map((row) => artistItem(row.albumartist)),
      ...albums.filter((row) => row.album).slice(0, mostAlbums).map(albumItem),
    ];
    shelf.begin(before, count, first);
  };
  return shelf.begin([], first.length, first);
}

// Actions

/** Plays an item now, behind the song that plays, and then goes on with the queue. */
export async function play(link, item) {
  const { position } = link.values.player ?? {};
  const results = await link.batch([["status"], ...item.requests(position ? "+0" : undefined), ["status"]]);
  failed(results);
  const [before, after] = [results[0], results.at(-1)];
  // An item without songs plays nothing, and the song that plays goes on.
  if (after.queue_length <= before.queue_length) throw new Error(t("nothingFound"));
  await link.call("play", { position: (before.position ?? before.queue_length) + 1 });
}

/** Adds an item to the queue. */
export async function add(link, item, isNext) {
  const { position } = link.values.player ?? {};
  failed(await link.batch(item.requests(isNext && position ? "+0" : undefined)));
}

function failed(results) {
  const error = results.find((result) => result instanceof Error);
  if (error) throw error;
}

/** How much is on a shelf, as a sentence. */
export function summaryOf(shelf) {
  return shelf.page && !shelf.before.length ? songCount(shelf.count) : "";
}
