// Who owns which element: layouts of TTGIR, drawn.

/** ownersOf returns, for each element in row-major order, its places: numbers of the layout's inputs. */
function ownersOf(layout) {
  const sizes = layout.bases.map((b) => 1 << b.v.length);
  const strides = [];
  let n = 1;
  for (let d = layout.shape.length - 1; d >= 0; d--) { strides[d] = n; n *= layout.shape[d]; }
  // what each bit of each input adds, as an index: coordinates are powers of two, so xor of indices is xor of coordinates
  const flat = layout.bases.map((b) => b.v.map((v) => v.reduce((s, c, d) => s + c * strides[d], 0)));
  const owners = new Array(n);
  const at = sizes.map(() => 0);
  const total = sizes.reduce((a, b) => a * b, 1);
  for (let i = 0; i < total; i++) {
    let e = 0;
    for (let d = 0; d < at.length; d++) for (let bit = 0; bit < flat[d].length; bit++) if (at[d] >> bit & 1) e ^= flat[d][bit];
    if (e < n) (owners[e] || (owners[e] = [])).push(at.slice());
    for (let d = 0; d < at.length && ++at[d] === sizes[d]; d++) at[d] = 0;
  }
  return owners;
}

/** vectorOf returns how many neighbours along the last dimension a thread holds in a row. */
function vectorOf(layout) {
  const regs = layout.bases.find((b) => b.name === "register");
  if (!regs) return 1;
  let n = 1;
  while (regs.v.some((v) => v[v.length - 1] === n && v.slice(0, -1).every((c) => c === 0))) n *= 2;
  return n;
}

const inputNames = { register: "register", lane: "thread", warp: "warp", block: "block", offset: "offset" };

class LayoutsView {
  constructor(app) {
    this.app = app;
    this.names = new CodeList("Layouts", "");
    this.names.numbers = false;
    this.names.oncurrent = (i) => this.draw(i);
    this.canvas = el("canvas", { tabIndex: 0, role: "img", id: "layout", onpointermove: (e) => this.point(e),
      onkeydown: (e) => this.key(e) });
    this.by = el("select", { id: "layout-by", onchange: () => this.paint() });
    this.info = el("output", { id: "owner", "aria-live": "polite" });
    this.about = el("p", {});
    this.encoding = el("p", { class: "encoding" });
    this.pane = el("div", { class: "pane" }, this.title = el("h2", {}), this.encoding, this.about,
      el("label", {}, "Colour by ", this.by), this.info, this.canvas,
      el("p", { class: "note" }, "Point at an element, or move with the arrow keys, to see who holds it."));
    this.empty = el("div", { class: "pane" }, el("p", {}, "This target has no TritonGPU layouts: choose a GPU as the target."));
    $("view-layouts").append(
      el("div", { class: "column narrow" }, el("div", { class: "head" }, el("h2", {}, "Layouts of TTGIR")), this.names.el),
      this.pane, this.empty);
  }

  update() {
    this.layouts = this.app.target ? this.app.target.layouts || [] : [];
    this.names.setLines(this.layouts.map((l) => l.shape.join("×").padEnd(9) + " " + l.alias + " (" + l.elems.join(", ") + ") ×" + l.uses));
    this.pane.hidden = !this.layouts.length;
    this.empty.hidden = !!this.layouts.length;
    if (this.layouts.length) this.names.move(Math.min(Math.max(0, this.names.current), this.layouts.length - 1));
  }

  draw(i) {
    const l = this.layouts[i];
    if (!l) return;
    this.layout = l;
    this.title.textContent = l.shape.join("×") + ", " + l.alias;
    this.encoding.textContent = l.text;
    const sizes = l.bases.map((b) => [b.name, 1 << b.v.length]);
    const total = sizes.reduce((s, [, n]) => s * n, 1), elems = l.shape.reduce((a, b) => a * b, 1);
    let text = l.shared ? sizes[0][1] + " places in shared memory" : sizes.filter(([n, k]) => n !== "block" || k > 1)
      .map(([n, k]) => k + " " + inputNames[n] + (k > 1 ? "s" : "")).join(", ");
    if (!l.shared && total > elems) text += "; each element is held " + total / elems + " times";
    if (!l.shared) {
      const v = vectorOf(l);
      text += "; a thread holds " + v + (v > 1 ? " neighbours" : " element") + " in a row" + (l.bits ? " (" + v * l.bits / 8 + " bytes of " + l.elem + ")" : "");
    }
    this.about.textContent = text + ".";
    this.tooLarge = total > 1 << 18;
    this.owners = this.tooLarge ? [] : ownersOf(l);
    const kinds = l.shared ? ["bank", "offset"] : sizes.filter(([, k]) => k > 1).map(([n]) => n);
    this.by.replaceChildren(...kinds.map((k) => el("option", { value: k }, inputNames[k] || k)));
    if (!l.shared && kinds.includes("lane")) this.by.value = "lane";
    const last = l.shape[l.shape.length - 1] || 1;
    this.cols = l.shape.length < 2 ? Math.min(last, 64) : last;
    this.rows = Math.ceil(elems / this.cols);
    this.at = 0;
    this.paint();
  }

  paint() {
    const l = this.layout;
    // all of it in sight if cells can still be told apart, and as wide as the pane else
    const wide = (Math.max(600, this.pane.clientWidth) - 40) / this.cols;
    const high = Math.max(8, (Math.max(400, this.pane.clientHeight) - 190) / this.rows);
    this.cell = Math.max(2, Math.min(30, Math.floor(Math.min(wide, high))));
    const c = this.canvas, scale = window.devicePixelRatio || 1;
    const w = this.cols * this.cell, h = Math.min(this.rows * this.cell, 16000);
    c.width = w * scale; c.height = h * scale;
    c.style.width = w + "px"; c.style.height = h + "px";
    const g = c.getContext("2d");
    g.scale(scale, scale);
    g.clearRect(0, 0, w, h);
    const by = this.by.value, input = l.bases.findIndex((b) => b.name === by);
    const n = by === "bank" ? 32 : 1 << (l.bases[Math.max(0, input)].v.length);
    const warp = l.bases.findIndex((b) => b.name === "warp");
    g.font = Math.max(8, Math.floor(this.cell / 3)) + "px sans-serif";
    g.textAlign = "center";
    g.textBaseline = "middle";
    this.owners.forEach((places, e) => {
      if (!places) return;
      const x = e % this.cols * this.cell, y = Math.floor(e / this.cols) * this.cell;
      const p = places[0];
      const v = by === "bank" ? this.bank(p) : p[Math.max(0, input)];
      const light = warp >= 0 && by !== "warp" ? 82 - 22 * p[warp] / Math.max(1, (1 << l.bases[warp].v.length) - 1) : 75;
      g.fillStyle = "hsl(" + Math.floor(v * 360 / n * (by === "register" ? 0.85 : 1)) + " 70% " + light + "%)";
      g.fillRect(x, y, this.cell > 4 ? this.cell - 1 : this.cell, this.cell > 4 ? this.cell - 1 : this.cell);
      if (this.cell >= 22) { g.fillStyle = "#000"; g.fillText(v, x + this.cell / 2, y + this.cell / 2); }
    });
    c.setAttribute("aria-label", this.title.textContent + ", coloured by " + (inputNames[by] || by) + ": " + this.about.textContent);
    this.show(this.at);
  }

  /** bank returns the bank of shared memory of 32 bits each in which a place lies. */
  bank(place) { return Math.floor(place[0] * (this.layout.bits || 32) / 32) % 32; }

  show(e) {
    if (this.tooLarge) { this.info.textContent = "Too large to be drawn."; return; }
    const l = this.layout, places = this.owners[e];
    if (!places) { this.info.textContent = ""; return; }
    this.at = e;
    const coords = [];
    for (let d = l.shape.length - 1, r = e; d >= 0; d--) { coords[d] = r % l.shape[d]; r = Math.floor(r / l.shape[d]); }
    const text = (p) => l.bases.map((b, i) => (b.name === "block" && b.v.length === 0 ? "" : inputNames[b.name] + " " + p[i])).filter(Boolean).join(", ");
    this.info.textContent = "element (" + coords.join(", ") + "): " + text(places[0]) + (l.shared ? ", bank " + this.bank(places[0]) : "") +
      (places.length > 1 ? "; and " + (places.length - 1) + " more" : "");
  }

  point(e) {
    const r = this.canvas.getBoundingClientRect();
    const x = Math.floor((e.clientX - r.left) / this.cell), y = Math.floor((e.clientY - r.top) / this.cell);
    if (x >= 0 && x < this.cols && y >= 0 && y < this.rows) this.show(y * this.cols + x);
  }

  key(e) {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.cols, ArrowUp: -this.cols }[e.key];
    if (!step) return;
    e.preventDefault();
    if (this.owners[this.at + step]) this.show(this.at + step);
  }

  search() { return []; }
}
