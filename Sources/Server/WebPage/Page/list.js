// A list of any length: only the rows that can be seen are elements.

import { h } from "./ui.js";

/** Rows beyond either edge of what is seen. */
const margin = 8;
/** How close to an edge a dragged row makes the list scroll, and by how much in a frame, in pixels. */
const edge = 56, edgeStep = 10;

/** Milliseconds in which the server has told that a row is gone. */
const removalTime = 2000;

export class VirtualList extends HTMLElement {
  #count = 0;
  /** The rows by their keys. */
  #rows = new Map();
  #top = 0;
  #drag = null;
  #frame = 0;
  /** The row that the keys act on: its place, and its key, with which it moves. */
  #focused = 0;
  #focusedKey;
  /** When that row was removed by a key: the next one in its place gets the focus. */
  #removedAt = -Infinity;

  /**
   * @param {object} source `rowHeight` in pixels; `make()` makes a row's element; `key(place)` says which row it is, so that
   * one that moves keeps its element, and `placeOf(key)` where that is; `update(row, place)`; `seen(start, end)` is told what
   * is seen; `press(place)`, `remove(place)` and `move(key, to)` are what can be done with a row, if at all.
   */
  constructor(source, label) {
    super();
    this.source = source;
    this.setAttribute("role", "list");
    this.setAttribute("aria-label", label);
    this.sizer = h("div", { class: "sizer", role: "presentation" });
    this.addEventListener("scroll", () => this.#schedule(), { passive: true });
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("pointerdown", (event) => this.#beginDrag(event));
    this.addEventListener("focusin", (event) => {
      const row = event.target.closest("[data-place]");
      if (row) this.#setFocused(Number(row.dataset.place));
    });
    this.observer = new ResizeObserver(() => this.#schedule());
  }

  connectedCallback() {
    if (!this.sizer.isConnected) this.append(this.sizer);
    this.scrollTop = this.#top;
    this.observer.observe(this);
    this.#render();
  }

  disconnectedCallback() {
    this.observer.disconnect();
    if (this.#drag) this.#endDrag(false);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  /** How many rows there are. */
  set count(count) {
    this.#count = count;
    this.#focused = Math.min(this.#focused, Math.max(0, count - 1));
    this.sizer.style.height = `${count * this.source.rowHeight}px`;
    this.#render();
    const hasLostFocus = document.activeElement === document.body && performance.now() - this.#removedAt < removalTime;
    if (hasLostFocus && count > 0) this.#focusOn(this.#focused);
  }

  get count() {
    return this.#count;
  }

  /** Draws again what is seen. */
  refresh() {
    this.#render();
  }

  /** Makes a row visible, in the middle where it was not. */
  reveal(place) {
    const { rowHeight } = this.source;
    const [top, bottom] = [place * rowHeight, (place + 1) * rowHeight];
    if (top >= this.scrollTop && bottom <= this.scrollTop + this.clientHeight) return;
    this.scrollTop = top - (this.clientHeight - rowHeight) / 2;
    this.#render();
  }

  #schedule() {
    this.#top = this.scrollTop;
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#render();
    });
  }

  /** The places whose rows are elements: those that are seen, and those with the focus or under the pointer. */
  #places() {
    const { rowHeight } = this.source;
    const first = Math.max(0, Math.floor(this.scrollTop / rowHeight) - margin);
    const last = Math.min(this.#count, Math.ceil((this.scrollTop + this.clientHeight) / rowHeight) + margin);
    const places = new Set();
    for (let place = first; place < last; place += 1) places.add(place);
    if (this.contains(document.activeElement) && this.#focused < this.#count) places.add(this.#focused);
    if (this.#drag) places.add(this.#drag.from);
    return { first, last, places: [...places].sort((a, b) => a - b) };
  }

  #render() {
    if (!this.isConnected) return;
    const { source } = this;
    const moved = this.#focusedKey === undefined ? -1 : source.placeOf?.(this.#focusedKey) ?? -1;
    if (moved >= 0) this.#focused = moved;
    if (this.#drag) {
      this.#drag.from = source.placeOf(this.#drag.key);
      if (this.#drag.from < 0) this.#endDrag(false);
    }
    const { first, last, places } = this.#places();
    const rows = new Map();
    for (const place of places) {
      const key = source.key(place);
      if (key === undefined || rows.has(key)) continue;
      const row = this.#rows.get(key) ?? this.#make();
      rows.set(key, row);
      if (key !== this.#drag?.key) row.style.transform = `translateY(${place * source.rowHeight}px)`;
      row.dataset.place = place;
      row.setAttribute("aria-setsize", this.#count);
      row.setAttribute("aria-posinset", place + 1);
    }
    for (const [key, row] of this.#rows) if (!rows.has(key)) row.remove();
    this.#rows = rows;
    this.#order();
    this.#setFocused(this.#focused);
    for (const row of rows.values()) source.update(row, Number(row.dataset.place));
    source.seen?.(first, last);
  }

  #make() {
    const row = this.source.make();
    row.classList.add("row");
    row.setAttribute("role", "listitem");
    return row;
  }

  /** Puts the rows into the document in their order, in which they are read; one with the focus or a pointer is not moved. */
  #order() {
    let next = this.sizer.firstChild;
    for (const row of this.#rows.values()) {
      if (row.contains(document.activeElement) || row === this.#drag?.row) {
        while (next && next !== row) {
          const after = next.nextSibling;
          this.sizer.append(next);
          next = after;
        }
      }
      if (row === next) next = row.nextSibling;
      else this.sizer.insertBefore(row, next);
    }
  }

  // Keys

  /** Has Tab reach a row and its buttons. */
  #setFocused(place) {
    this.#focused = place;
    this.#focusedKey = this.source.key(place);
    for (const row of this.#rows.values()) {
      const index = Number(row.dataset.place) === place ? 0 : -1;
      if (row.tabIndex === index && row.hasAttribute("tabindex")) continue;
      row.tabIndex = index;
      for (const button of row.querySelectorAll("button")) button.tabIndex = index;
    }
  }

  #focusOn(place) {
    this.#setFocused(place);
    this.reveal(place);
    [...this.#rows.values()].find((row) => Number(row.dataset.place) === place)?.focus({ preventScroll: true });
  }

  #key(event) {
    const row = event.target;
    if (!row.dataset?.place || event.ctrlKey || event.metaKey) return;
    const place = Number(row.dataset.place);
    const page = Math.max(1, Math.floor(this.clientHeight / this.source.rowHeight) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.#count, End: this.#count };
    const { press, remove, move, key } = this.source;
    if (event.key in steps) {
      const next = Math.min(Math.max(0, place + steps[event.key]), this.#count - 1);
      if (event.altKey && move && next !== place) move(key(place), next);
      this.#focusOn(next);
    } else if (event.key === "Enter" && press) press(place);
    else if (event.key === "Delete" && remove) {
      this.#removedAt = performance.now();
      remove(place);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Dragging by a row's handle

  #beginDrag(event) {
    const handle = event.target.closest(".grip");
    const row = handle?.closest("[data-place]");
    if (!row || !this.source.move || event.button > 0 || this.#drag) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const from = Number(row.dataset.place);
    const listeners = new AbortController();
    const drag = {
      row, from, to: from, key: this.source.key(from), listeners, box: this.getBoundingClientRect(),
      y: event.clientY, offset: event.clientY - row.getBoundingClientRect().top, hasMoved: false,
    };
    this.#drag = drag;
    row.classList.add("dragged");
    const { signal } = listeners;
    handle.addEventListener("pointermove", (event) => {
      drag.hasMoved = true;
      drag.y = event.clientY;
    }, { signal });
    handle.addEventListener("pointerup", () => this.#endDrag(drag.hasMoved), { signal });
    for (const name of ["pointercancel", "lostpointercapture"]) {
      handle.addEventListener(name, () => this.#endDrag(false), { signal });
    }
    const follow = () => {
      if (this.#drag !== drag) return;
      this.#follow(drag);
      requestAnimationFrame(follow);
    };
    follow();
  }

  /** Puts the dragged row under the pointer, and the others aside. */
  #follow(drag) {
    const { rowHeight } = this.source;
    if (drag.y < drag.box.top + edge) this.scrollTop -= edgeStep;
    if (drag.y > drag.box.bottom - edge) this.scrollTop += edgeStep;
    const place = drag.y - drag.box.top - drag.offset + this.scrollTop;
    const top = Math.min(Math.max(0, place), (this.#count - 1) * rowHeight);
    drag.row.style.transform = `translateY(${top}px)`;
    drag.to = Math.round(top / rowHeight);
    for (const other of this.#rows.values()) {
      if (other === drag.row) continue;
      const place = Number(other.dataset.place);
      const shift = place > drag.from && place <= drag.to ? -1 : place < drag.from && place >= drag.to ? 1 : 0;
      other.style.transform = `translateY(${(place + shift) * rowHeight}px)`;
    }
  }

  #endDrag(isDropped) {
    const drag = this.#drag;
    this.#drag = null;
    drag.listeners.abort();
    drag.row.classList.remove("dragged");
    if (isDropped && drag.to !== drag.from) this.source.move(drag.key, drag.to);
    if (isDropped || drag.from >= 0) this.#render();
  }
}

customElements.define("segue-list", VirtualList);
