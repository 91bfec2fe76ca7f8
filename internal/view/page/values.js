// The values of one program's variables, line by line: ranges, histograms, NaN and infinities.

const short = (x) => {
  if (Number.isInteger(x) && Math.abs(x) < 1e7) return x.toLocaleString("en");
  return Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(2) : x.toPrecision(4);
};

class ValuesView {
  constructor(app) {
    this.app = app;
    this.root = $("view-values");
    this.names = new CodeList("Values in the order in which they came to be", "");
    this.names.numbers = false;
    this.names.oncurrent = (i) => this.draw(i);
    this.names.decorate = (i) => (this.list[i] && (this.list[i].nan || this.list[i].inf) ? "del" : "");
    this.head = el("div", { class: "head" });
    this.bar = el("div", { class: "bar" });
    this.pane = el("div", { class: "pane" });
    this.root.append(el("div", { class: "column values" }, this.head, this.bar, this.names.el), this.pane);
  }

  update() {
    const v = this.values = this.app.model.values;
    this.list = v ? v.list : [];
    put(this.head, el("h2", {}, v ? "Program " + this.programText(v.program) : "Values"),
      v && !v.error ? el("span", { class: "note" }, v.list.length + " values" + (v.cut ? ", and more" : "")) : null);
    this.drawBar();
    this.names.setLines(this.list.map((x) => "line " + String(x.line).padEnd(4) + x.name.padEnd(14) + " " + this.range(x) +
      (x.time ? "  (" + (x.time + 1) + ". time)" : "")));
    if (!v || v.error) this.pane.replaceChildren(el("p", { class: v ? "bad" : "" }, v ? v.error : "The kernel was not run."));
    else if (this.list.length) this.names.move(v.nan >= 0 ? v.nan : Math.min(Math.max(0, this.names.current), this.list.length - 1));
    else this.pane.replaceChildren(el("p", {}, "No variable had a value."));
  }

  programText(p) {
    const run = this.app.model.run;
    if (!run || run.error) return String(p);
    const [x, y] = run.grid;
    return "(" + p % x + ", " + Math.floor(p / x) % y + ", " + Math.floor(p / x / y) + ")";
  }

  drawBar() {
    const v = this.values, parts = [];
    if (this.app.model.live && v) {
      const input = el("input", { type: "number", min: 0, value: v.program, id: "values-program" });
      input.addEventListener("change", () => this.app.fetchValues(Number(input.value)));
      parts.push(el("label", {}, "program ", input));
    }
    for (const [kind, name] of [["nan", "NaN"], ["inf", "infinity"]]) {
      if (v && v[kind] >= 0) parts.push(el("button", { class: "first", onclick: () => { this.names.move(v[kind]); this.names.el.focus(); } }, "first " + name + ": line " + this.list[v[kind]].line));
    }
    if (v && !v.error && !parts.some((p) => p.className === "first")) parts.push(el("span", {}, "no NaN, no infinity"));
    put(this.bar, ...parts);
  }

  range(x) {
    const n = (x.shape || []).reduce((a, b) => a * b, 1);
    if (!x.shape) return x.first[0];
    let text = x.nan + x.inf === n ? "" : x.low === x.high ? "all " + short(x.low) : short(x.low) + " to " + short(x.high);
    if (x.nan) text += (text ? ", " : "") + x.nan + " NaN";
    if (x.inf) text += (text ? ", " : "") + x.inf + " infinite";
    return text;
  }

  draw(i) {
    const x = this.list[i];
    if (!x) return;
    const n = (x.shape || []).reduce((a, b) => a * b, 1);
    const rows = [["elements", n.toLocaleString("en")], ["least", short(x.low)], ["largest", short(x.high)], ["mean", short(x.mean)],
      ["zeros", (x.zeros || 0).toLocaleString("en")]];
    if (x.nan) rows.push(["NaN", x.nan.toLocaleString("en")]);
    if (x.inf) rows.push(["infinite", x.inf.toLocaleString("en")]);
    put(this.pane, el("h2", {}, x.name + ": " + x.type),
      el("p", {}, "made by ", el("button", { onclick: () => this.app.stages.showLine(x.line) }, "line " + x.line), x.time ? " for the " + (x.time + 1) + ". time" : ""),
      x.at ? el("p", { class: "bad" }, "The first " + (x.nan ? "NaN" : "infinity") + " is at (" + x.at.join(", ") + ").") : null,
      el("table", {}, el("tbody", {}, ...rows.map(([k, t]) => el("tr", {}, el("th", { scope: "row" }, k), el("td", { class: "n" }, t))))),
      x.bins ? this.histogram(x) : null,
      el("p", { class: "encoding" }, (n > x.first.length ? "begins with " : "") + x.first.join(", ")));
  }

  /** histogram draws how many elements lie where between the least and the largest. */
  histogram(x) {
    const c = el("canvas", { role: "img", tabIndex: 0, class: "histogram", "aria-label": "histogram of " + x.name + " from " + short(x.low) + " to " + short(x.high) });
    const w = 640, h = 160, scale = window.devicePixelRatio || 1, most = Math.max(...x.bins), step = w / x.bins.length;
    c.width = w * scale; c.height = h * scale;
    c.style.width = w + "px"; c.style.height = h + "px";
    const g = c.getContext("2d");
    g.scale(scale, scale);
    g.fillStyle = "hsl(215 70% 55%)";
    x.bins.forEach((n, i) => { if (n) g.fillRect(i * step, h - Math.max(1, n / most * (h - 6)), step - 1, Math.max(1, n / most * (h - 6))); });
    const info = el("output", { "aria-live": "polite" });
    let at = 0;
    const tell = (i) => {
      at = Math.max(0, Math.min(x.bins.length - 1, i));
      const width = (x.high - x.low) / x.bins.length;
      info.textContent = short(x.low + at * width) + " to " + short(x.low + (at + 1) * width) + ": " + x.bins[at].toLocaleString("en") + " elements";
    };
    c.addEventListener("pointermove", (e) => tell(Math.floor((e.clientX - c.getBoundingClientRect().left) / step)));
    c.addEventListener("keydown", (e) => { const d = { ArrowRight: 1, ArrowLeft: -1 }[e.key]; if (d) { e.preventDefault(); tell(at + d); } });
    return el("div", {}, c, el("p", { class: "axis" }, el("span", {}, short(x.low)), el("span", {}, "most: " + most.toLocaleString("en") + " elements"), el("span", {}, short(x.high))), info);
  }

  search(query) {
    this.names.query = query || null;
    const found = [];
    if (query) this.names.lines.forEach((t, i) => { if (this.names.matches(t)) found.push([this.names, i]); });
    this.names.redraw();
    return found;
  }
}
