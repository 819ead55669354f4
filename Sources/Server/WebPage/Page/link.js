// The connection to the server: one WebSocket with JSON-RPC, and the values that it tells (segue-api(7)).

/** A method that has failed, with the number that MPD's protocol has for the reason. */
export class MethodError extends Error {
  constructor({ message, data }) {
    super(message);
    this.ack = data?.ack;
  }
}

/** The connection is lost, or was not there. */
export class LostError extends Error {}

/** A message is longer than the server takes. */
export class TooLongError extends Error {}

/** How many songs of the queue are known at a time. */
const mostSongs = 2_000;

/** The order of a queue's entries, kept by the edits that the server tells. */
export class Queue {
  version = 0;
  /** Songs by the ids of their entries, as far as they have been asked for. */
  songs = new Map();
  /** The ids of the entries, in the order that is shown. */
  ids = [];
  #told = [];
  /** Moves that the server has not told yet. */
  #moves = [];

  /**
   * Takes the value of the topic `queue`.
   * @returns {boolean} Whether it followed on what was known; if not, the whole has to be asked for.
   */
  apply(value) {
    const ids = this.#told;
    if (value.ids) {
      this.#told = value.ids;
      this.songs.clear();
    } else {
      if (value.after !== this.version) return false;
      const { replace, move, changed } = value;
      if (replace) {
        const start = replace.position - 1;
        this.#told = [...ids.slice(0, start), ...replace.ids, ...ids.slice(start + replace.count)];
      }
      if (move) ids.splice(move.to - 1, 0, ...ids.splice(move.position - 1, move.count));
      for (const id of changed ?? []) this.songs.delete(id);
    }
    this.version = value.queue_version;
    // A value that is told after the response has the move in it.
    this.#moves = this.#moves.filter((move) => !move.isDone);
    this.#show();
    return true;
  }

  /** Takes songs; those that were asked for first are forgotten for them. */
  keep(songs) {
    for (const song of songs) this.songs.set(song.id, song);
    for (const id of this.songs.keys()) {
      if (this.songs.size <= mostSongs) break;
      this.songs.delete(id);
    }
  }

  /** Shows a move of an entry at once; `request` is what carries it out. */
  async move(id, to, request) {
    const move = { id, to, isDone: false };
    this.#moves.push(move);
    this.#show();
    try {
      await request;
      move.isDone = true;
    } catch (error) {
      this.#moves = this.#moves.filter((one) => one !== move);
      this.#show();
      throw error;
    }
  }

  #show() {
    this.ids = this.#moves.length ? [...this.#told] : this.#told;
    for (const { id, to } of this.#moves) {
      const place = this.ids.indexOf(id);
      if (place >= 0) this.ids.splice(to, 0, ...this.ids.splice(place, 1));
    }
  }
}

const topics = [
  "player", "queue", "mixer", "options", "outputs", "artwork", "why", "sleep", "permissions", "announcements", "stickers",
  "playlists", "zones", "sessions", "timers", "library", "routes", "pairing", "picker", "requests",
];

/** Milliseconds; a password may have to wait for others that were wrong. */
const retryDelay = 1000, connectPatience = 4000, patience = 8000, checkPatience = 2000, provisionalTime = 1000,
  passwordPatience = 40_000;
/** The number of the error that a secret is not right. */
export const wrongPassword = 3;
/** The length of a message that the server surely takes. */
export const mostBytes = 60_000;

/** A WebSocket for methods, and for what the server tells; one that is lost is made again. */
export class Wire extends EventTarget {
  /** "connecting", "open", "lost", or "closed" for good. */
  status = "connecting";
  /** When the next attempt begins, in milliseconds since 1970. */
  retriesAt = 0;
  /** Whether the connection is needed although nobody sees the page, as while it is listened to. */
  isNeeded = false;
  /** The name and the secret of a client, or a password of the server's; kept nowhere else. */
  secret = null;
  #socket = null;
  #lastID = 0;
  #waiting = new Map();
  #retry = 0;
  #overdue = 0;

  /** @param {string} base The address of the page. */
  constructor(base) {
    super();
    this.base = base;
  }

  /** Called when the connection is there, before others may use it. */
  async begin() {}

  /** Called with what the server tells. */
  take() {}

  // Connecting

  /** A connection that was lost while nobody saw the page, or without the network, is made when that is over. */
  #wake = (event) => {
    if (!document.hidden && (event.type !== "pageshow" || event.persisted)) this.check();
  };

  #followPage(follows) {
    const change = follows ? "addEventListener" : "removeEventListener";
    document[change]("visibilitychange", this.#wake);
    for (const name of ["online", "pageshow"]) window[change](name, this.#wake);
  }

  open() {
    // The same listener is not added twice.
    this.#followPage(true);
    clearTimeout(this.#retry);
    clearTimeout(this.#overdue);
    this.#socket?.close();
    this.#failAll();
    const socket = new WebSocket(new URL("api/ws", this.base).href.replace(/^http/, "ws"), "segue.v1");
    this.#socket = socket;
    const lose = () => socket === this.#socket && this.#lose();
    // A host that is switched off neither takes a connection nor refuses it.
    this.#overdue = setTimeout(() => {
      lose();
      socket.close();
    }, connectPatience);
    socket.onopen = () => {
      clearTimeout(this.#overdue);
      // Where others have guessed passwords, the server looks at this one later.
      this.#become("connecting");
      this.begin().then(() => socket === this.#socket && this.#become("open"), () => socket.close());
    };
    socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
    socket.onclose = lose;
  }

  /** Ends the connection for good. */
  close() {
    this.#followPage(false);
    clearTimeout(this.#retry);
    clearTimeout(this.#overdue);
    const socket = this.#socket;
    this.#socket = null;
    this.#failAll();
    socket?.close();
    this.#become("closed");
  }

  /** Makes sure that the connection still is one: after sleep, it may be gone without having been told. */
  async check() {
    if (this.status !== "open") return this.open();
    try {
      await this.call("ping", undefined, checkPatience);
    } catch {
      // `call` has begun anew.
    }
  }

  /**
   * Waits for the connection, if it is being made.
   * @throws {LostError}
   */
  async whenOpen() {
    if (this.status === "open") return;
    const listening = new AbortController();
    await new Promise((done, fail) => {
      setTimeout(() => fail(new LostError("There is no connection to the server.")), connectPatience);
      this.addEventListener("status", () => this.status === "open" && done(), { signal: listening.signal });
    }).finally(() => listening.abort());
  }

  #lose() {
    clearTimeout(this.#overdue);
    this.#socket = null;
    this.#failAll();
    this.retriesAt = Date.now() + retryDelay;
    clearTimeout(this.#retry);
    // A page that nobody sees connects again when it is seen.
    if (!document.hidden || this.isNeeded) this.#retry = setTimeout(() => this.open(), retryDelay);
    this.#become("lost");
  }

  #failAll() {
    const error = new LostError("The connection to the server was lost.");
    for (const waiting of this.#waiting.values()) waiting.fail(error);
    this.#waiting.clear();
  }

  #become(status) {
    this.status = status;
    this.dispatchEvent(new Event("status"));
  }

  // Methods

  /**
   * Carries out a method.
   * @throws {MethodError | LostError}
   */
  async call(method, params, time = patience) {
    const request = this.#prepare(method, params);
    this.#post(request.message, [request], time);
    return request.result;
  }

  /**
   * Carries out methods, one after another; the result of one that fails is its error.
   * @throws {LostError}
   */
  async batch(requests, time = patience) {
    const prepared = requests.map(([method, params]) => this.#prepare(method, params));
    const withErrors = prepared.map(({ result }) =>
      result.catch((error) => {
        if (error instanceof LostError) throw error;
        return error;
      }));
    this.#post(prepared.map(({ message }) => message), prepared, time);
    return Promise.all(withErrors);
  }

  /**
   * Carries out methods that begin a connection, as the client whose secret is known.
   * @returns {Promise<any[]>} The results of `requests`, without that of the password.
   */
  async beginWith(requests) {
    if (this.secret === null) return this.batch(requests);
    const [entered, ...results] = await this.batch([["password", { password: this.secret }], ...requests], passwordPatience);
    if (entered instanceof Error) {
      // Where others have guessed from the same address, no secret is looked at for a while.
      if (entered.ack !== wrongPassword) throw entered;
      this.forgetSecret();
    }
    return results;
  }

  /** The secret is another one by now, or taken back. */
  forgetSecret() {
    this.secret = null;
    this.dispatchEvent(new Event("signedout"));
  }

  #prepare(method, params) {
    if (this.#socket?.readyState !== WebSocket.OPEN) throw new LostError("There is no connection to the server.");
    const id = ++this.#lastID;
    const result = new Promise((done, fail) => this.#waiting.set(id, { done, fail }));
    return { id, message: { jsonrpc: "2.0", id, method, params }, result };
  }

  /** Sends a message, and connects again where the server does not answer it. */
  #post(message, requests, time) {
    const socket = this.#socket;
    const text = JSON.stringify(message);
    if (text.length > mostBytes / 3 && new TextEncoder().encode(text).length > mostBytes) {
      for (const { id } of requests) this.#answer(id, (waiting) => waiting.fail(new TooLongError()));
      return;
    }
    const overdue = setTimeout(() => {
      if (socket !== this.#socket) return;
      this.#lose();
      socket.close();
      this.open();
    }, time);
    Promise.allSettled(requests.map(({ result }) => result)).then(() => clearTimeout(overdue));
    socket.send(text);
  }

  #answer(id, answer) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting) answer(waiting);
  }

  #receive(message) {
    for (const one of Array.isArray(message) ? message : [message]) {
      if (one.method === "changed") {
        this.take(one.params);
        continue;
      }
      this.#answer(one.id, ({ done, fail }) => (one.error ? fail(new MethodError(one.error)) : done(one.result)));
    }
  }
}

/** Milliseconds after which a ticket, which is good for a minute, is made anew. */
const ticketAge = 30_000;

/** The page's own connection, in one zone, and the values that the server tells of it. */
export class Link extends Wire {
  /** How often the page has become another client. */
  changes = 0;
  /** The chosen zone, and the one that the server has chosen without that. */
  zone = null;
  queue = new Queue();
  /** The values of topics, as they are shown, and as they were told last. */
  values = {};
  #told = {};
  /** Effects of methods, by topic, that the server has not told yet. */
  #effects = {};
  #refreshing = null;
  /** The entries whose songs are asked for. */
  #asked = new Set();
  /** How far the server's clock is ahead, in seconds. */
  #clockOffset = 0;
  #chosen;
  #ticket = { made: -Infinity, text: null };

  /** @param {string} base The address of the page. */
  constructor(base, chosenZone = null) {
    super(base);
    this.#chosen = chosenZone;
  }

  async begin() {
    this.#ticket = { made: -Infinity, text: null };
    this.#takeRest(await this.beginWith(this.#firstRequests));
  }

  get #firstRequests() {
    const watch = ["watch", { topics }];
    return this.#chosen === null ? [watch] : [["partition", { name: this.#chosen }], watch];
  }

  /** Takes the results of the first requests. */
  #takeRest(results) {
    const values = results.at(-1);
    if (values instanceof Error) throw values;
    // A zone that is gone is not entered, and the client stays in the listener's.
    if (results.length > 1 && results[0] instanceof Error) this.#chosen = null;
    this.#takeAll(values);
  }

  #takeAll({ at, values }) {
    this.#clockOffset = at - Date.now() / 1000;
    this.zone = values.find((item) => item.zone)?.zone ?? this.zone;
    this.#effects = {};
    this.#told = Object.fromEntries(values.map(({ topic, value }) => [topic, value]));
    this.values = { ...this.#told };
    this.queue.apply(this.#told.queue ?? { ids: [], queue_version: 0 });
    for (const topic of topics) this.#show(topic);
  }

  /** Enters a zone, and forgets what was known of the one before. */
  async enter(zone) {
    const [entered, values] = await this.batch([["partition", { name: zone }], ["watch", { topics }]]);
    if (entered instanceof Error) throw entered;
    if (values instanceof Error) throw values;
    this.#chosen = zone;
    this.#takeAll(values);
  }

  // The client that the page acts for

  /**
   * Acts for a named client, or with the rights of a password of the server's, as long as the page is open.
   * @throws {MethodError | LostError}
   */
  async signIn(secret) {
    await this.whenOpen();
    await this.call("password", { password: secret }, passwordPatience);
    this.secret = secret;
    this.changes += 1;
    this.#takeRest(await this.batch(this.#firstRequests));
    this.dispatchEvent(new Event("status"));
  }

  /**
   * Makes this browser the client that an invitation is for, until it signs out: it gets a cookie, which scripts do not see.
   * @throws {MethodError | LostError}
   */
  async accept(invitation) {
    await this.#changeCookie({
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ invitation }),
    });
    this.#actAnew();
  }

  /** Acts for its address again. */
  async signOut() {
    if (this.secret === null) await this.#changeCookie({ method: "DELETE" });
    this.#actAnew();
  }

  async #changeCookie(request) {
    const signal = AbortSignal.timeout(passwordPatience);
    const response = await fetch(new URL("api/cookie", this.base), { ...request, signal }).catch(() => {
      throw new LostError("The server cannot be reached.");
    });
    if (response.ok) return;
    // 410 stands for an invitation that is over.
    const ack = response.status === 410 ? wrongPassword : undefined;
    throw new MethodError({ message: (await response.text()).trim(), data: { ack } });
  }

  /** Connects anew, as another client. */
  #actAnew() {
    this.secret = null;
    this.changes += 1;
    this.open();
  }

  /**
   * An address of a picture or a stream, for the client that the page acts for: the browser asks for it by itself, and
   * would be a stranger.
   */
  async withTicket(address) {
    if (this.secret === null) return address;
    if (performance.now() - this.#ticket.made > ticketAge) {
      const ticket = { made: performance.now(), text: this.call("ticket").then(({ ticket }) => ticket) };
      this.#ticket = ticket;
      ticket.text.catch(() => (ticket.made = -Infinity));
    }
    return `${address}${address.includes("?") ? "&" : "?"}ticket=${await this.#ticket.text}`;
  }

  // Values

  /**
   * Has a function called with each of these topics that changes.
   * @returns {() => void} What ends that.
   */
  on(names, then) {
    const listener = (event) => then(event.type);
    for (const name of names) this.addEventListener(name, listener);
    return () => names.forEach((name) => this.removeEventListener(name, listener));
  }

  take({ topic, zone, value }) {
    if (zone && zone !== this.zone) return;
    if (topic === "queue" && value && !this.queue.apply(value)) return this.refresh();
    const hadRights = this.#told.permissions?.length > 0;
    this.#told[topic] = value;
    if (topic === "permissions" && hadRights && !value?.length) this.#checkClient();
    // A value that is told after the response has the effect in it.
    this.#effects[topic] = this.#effects[topic]?.filter((mark) => !mark.isDone);
    this.#show(topic);
  }

  /** Finds out whether the client has no rights now, or its secret is not right any more. */
  async #checkClient() {
    // A cookie that counts no more leaves the rights of the address.
    if (this.secret === null) return this.#actAnew();
    try {
      await this.call("password", { password: this.secret }, passwordPatience);
    } catch (error) {
      if (error.ack === wrongPassword) this.forgetSecret();
    }
  }

  /** Asks for all values anew. */
  refresh() {
    this.#refreshing ??= this.call("watch", { topics }).then((values) => this.#takeAll(values), () => {})
      .finally(() => (this.#refreshing = null));
  }

  /** Whether the client has a right in the zone. */
  may(right) {
    return this.values.permissions?.includes(right) ?? false;
  }

  /** The server's time, in seconds since 1970. */
  get now() {
    return Date.now() / 1000 + this.#clockOffset;
  }

  /** Where in the song the zone is, in seconds. */
  get elapsed() {
    const { progress, duration } = this.values.player ?? {};
    if (!progress) return 0;
    const elapsed = progress.elapsed + Math.max(0, this.now - progress.at) * progress.speed;
    return Math.min(elapsed, duration ?? Infinity);
  }

  /**
   * Carries out a method whose effect is shown at once, and is taken back if the server tells otherwise.
   * @param {object} effect Members of the topic's value.
   */
  async act(method, params, topic, effect) {
    const mark = { effect, isDone: false };
    this.#effects[topic] = [...(this.#effects[topic] ?? []), mark];
    this.#show(topic);
    const end = () => {
      this.#effects[topic] = this.#effects[topic]?.filter((one) => one !== mark);
      this.#show(topic);
    };
    try {
      await this.call(method, params);
      mark.isDone = true;
      // The server does not tell a value that is as it was.
      setTimeout(end, provisionalTime);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Has a topic's value, with the effects that the server has not told yet, shown. */
  #show(topic) {
    const effects = this.#effects[topic] ?? [];
    const told = this.#told[topic];
    this.values[topic] = effects.length ? Object.assign({}, told, ...effects.map(({ effect }) => effect)) : told;
    this.dispatchEvent(new Event(topic));
  }

  // Songs

  /**
   * Asks for the songs at places of the queue that are not known yet.
   * @param {number} start Counted from 0.
   * @returns {Promise<boolean>} Whether any has come.
   */
  async fetchSongs(start, end) {
    const { ids, songs } = this.queue;
    const missing = (place) => !songs.has(ids[place]) && !this.#asked.has(ids[place]);
    let first = Math.max(0, start), last = Math.min(end, ids.length);
    while (first < last && !missing(first)) first += 1;
    while (last > first && !missing(last - 1)) last -= 1;
    if (first === last) return false;
    const asked = ids.slice(first, last);
    const wanted = asked.filter((id) => !songs.has(id));
    asked.forEach((id) => this.#asked.add(id));
    try {
      const list = await this.call("playlistinfo", { position: first + 1, count: last - first });
      this.queue.keep(list);
      return wanted.some((id) => songs.has(id));
    } finally {
      asked.forEach((id) => this.#asked.delete(id));
    }
  }
}
