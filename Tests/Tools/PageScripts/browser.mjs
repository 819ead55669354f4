// Chromium, driven by its DevTools protocol through two pipes.

import { spawn } from "node:child_process";

/** A phone of some years ago: its screen, its network and its processor. */
export const phone = { width: 390, height: 844, scale: 3, slowness: 4, kilobytesPerSecond: 1250, latency: 40 };

export class Browser {
  #process;
  #lastID = 0;
  #waiting = new Map();
  #listeners = [];
  #rest = "";

  /** @param {string} profile A folder of its own. */
  constructor(profile) {
    this.#process = spawn("chromium", [
      "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", `--user-data-dir=${profile}`,
      "--disable-background-networking", "--disable-component-update", "--no-first-run", "--lang=en-GB",
      "--autoplay-policy=no-user-gesture-required", "--mute-audio", "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.#process.stdio[4].setEncoding("utf8").on("data", (text) => this.#receive(text));
    this.ended = new Promise((done) => this.#process.on("exit", done));
  }

  #receive(text) {
    const messages = (this.#rest + text).split("\0");
    this.#rest = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error) waiting?.fail(new Error(message.error.message));
      else if (waiting) waiting.done(message.result);
      else for (const listener of this.#listeners) listener(message);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#lastID;
    this.#process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((done, fail) => this.#waiting.set(id, { done, fail }));
  }

  onEvent(listener) {
    this.#listeners.push(listener);
  }

  /** Opens an empty page. */
  async open() {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId);
    for (const domain of ["Page", "Runtime", "Network", "Log", "Performance", "Audits"]) await page.send(`${domain}.enable`);
    return page;
  }

  async close() {
    this.#process.kill();
    await this.ended;
  }
}

export class Page {
  /** Whatever the page has to complain about: exceptions, errors in its console, violations of its policy. */
  complaints = [];
  requests = [];
  #browser;
  #session;
  #waiting = [];

  constructor(browser, session) {
    this.#browser = browser;
    this.#session = session;
    const sizes = new Map();
    browser.onEvent(({ method, params, sessionId }) => {
      if (sessionId !== session) return;
      if (method === "Runtime.exceptionThrown") this.complaints.push(params.exceptionDetails.exception?.description ?? "exception");
      if (method === "Log.entryAdded" && params.entry.level === "error") this.complaints.push(`${params.entry.text} ${params.entry.url ?? ""}`);
      if (method === "Runtime.consoleAPICalled" && params.type === "error") this.complaints.push(JSON.stringify(params.args));
      if (method === "Audits.issueAdded" && params.issue.code === "ContentSecurityPolicyIssue") this.complaints.push(JSON.stringify(params.issue));
      if (method === "Network.requestWillBeSent") sizes.set(params.requestId, { url: params.request.url, bytes: 0 });
      if (method === "Network.loadingFinished" && sizes.has(params.requestId)) {
        this.requests.push({ ...sizes.get(params.requestId), bytes: params.encodedDataLength });
      }
      this.#waiting = this.#waiting.filter((waiting) => waiting.method !== method || (waiting.done(params), false));
    });
  }

  send(method, params) {
    return this.#browser.send(method, params, this.#session);
  }

  event(method) {
    return new Promise((done) => this.#waiting.push({ method, done }));
  }

  async goTo(url) {
    const loaded = this.event("Page.loadEventFired");
    await this.send("Page.navigate", { url });
    await loaded;
  }

  /** The value of an expression in the page. */
  async value(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is true; the page itself looks at each change of its document, and of its state. */
  async until(expression, seconds = 20) {
    await this.value(`new Promise((done, fail) => {
      const isTrue = () => { try { return ${expression} } catch { return false } };
      if (isTrue()) return done();
      const end = (then) => { observer.disconnect(); clearInterval(timer); clearTimeout(limit); then(); };
      const look = () => isTrue() && end(done);
      const observer = new MutationObserver(look);
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      const timer = setInterval(look, 50);
      const limit = setTimeout(() => end(() => fail(new Error("not in time: " + ${JSON.stringify(expression)}))), ${seconds * 1000});
    })`);
  }

  async emulate({ width, height, scale = 1, slowness = 1, kilobytesPerSecond = -1, latency = 0, isDark = false, features = [] }) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: width < 600 });
    await this.send("Emulation.setTouchEmulationEnabled", { enabled: width < 600 });
    await this.send("Emulation.setCPUThrottlingRate", { rate: slowness });
    const throughput = kilobytesPerSecond < 0 ? -1 : kilobytesPerSecond * 1000;
    await this.send("Network.emulateNetworkConditions", { offline: false, latency, downloadThroughput: throughput, uploadThroughput: throughput });
    const scheme = { name: "prefers-color-scheme", value: isDark ? "dark" : "light" };
    await this.send("Emulation.setEmulatedMedia", { features: [scheme, ...features] });
  }

  async press(key, modifiers = 0) {
    const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
    const windowsVirtualKeyCode = { Tab: 9, Enter: 13 }[key];
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, text, modifiers, windowsVirtualKeyCode });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, modifiers });
  }

  /** A PNG of the screen, in base64. */
  async screenshot() {
    return (await this.send("Page.captureScreenshot", { format: "png" })).data;
  }
}
