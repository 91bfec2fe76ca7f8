// What each line costs on a simulated GPU, how far that is from what a card can do, and the pipeline as a chart.

const bytesText = (n) => (n >= 1048576 ? (n / 1048576).toFixed(1) + " MiB" : n >= 1024 ? (n / 1024).toFixed(1) + " KiB" : n + " B");
const si = (x) => { // 1.5e12 is 1.5 T
  for (const [unit, f] of [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]]) if (x >= f) return (x / f).toPrecision(3) + " " + unit;
  return x.toPrecision(3) + " ";
};

const chartKinds = { load: ["load", "hsl(215 70% 55%)"], store: ["store", "hsl(30 85% 50%)"], copy: ["copy to shared memory", "hsl(190 70% 45%)"],
  product: ["product", "hsl(130 50% 42%)"], wait: ["wait", "hsl(0 70% 55%)"], barrier: ["barrier", "hsl(280 50% 55%)"] };

/** laned makes one bar of what one wait ends, and gives bars that overlap lanes of their own; waits have the last. */
function laned(chart) {
  const marks = [], groups = new Map(), free = new Map();
  const lanes = { memory: 0, product: 0 };
  for (const m of chart.marks) {
    const key = [m.warp, m.kind, m.line, m.to].join();
    const spans = m.to > m.from + 1 && (m.kind === "copy" || m.kind === "load" || m.kind === "product");
    const g = spans ? groups.get(key) : null;
    if (g) { g.count++; continue; }
    const bar = { ...m, count: 1, lane: -1 };
    if (spans) groups.set(key, bar);
    marks.push(bar);
  }
  for (const m of marks) {
    if (m.kind === "wait" || m.kind === "barrier") continue;
    m.part = m.kind === "product" ? "product" : "memory";
    const key = m.part + m.warp, ends = free.get(key) || [];
    free.set(key, ends);
    let lane = ends.findIndex((t) => t <= m.from);
    if (lane < 0) lane = ends.length;
    ends[lane] = m.to;
    m.lane = lane;
    lanes[m.part] = Math.max(lanes[m.part], lane + 1);
  }
  const all = lanes.memory + lanes.product;
  for (const m of marks) m.lane = !m.part ? all : m.part === "product" ? lanes.memory + m.lane : m.lane;
  return { warps: chart.warps, marks, lanes: all, cut: chart.cut };
}

class CostView {
  constructor(app) {
    this.app = app;
    this.root = $("view-cost");
    this.pane = el("div", { class: "pane" });
    this.root.append(this.pane);
  }

  update() {
    const c = this.cost = this.app.model.cost;
    if (!c || c.error) {
      put(this.pane, el("p", { class: c ? "bad" : "" }, c ? c.error : "The kernel was not run."), this.scopes(), c ? this.cpu() : null);
      return;
    }
    this.total = {};
    for (const l of c.lines) for (const [k, v] of Object.entries(l)) if (typeof v === "number") this.total[k] = (this.total[k] || 0) + v;
    put(this.pane, el("h2", {}, "Where the time goes: " + c.device),
      el("p", {}, "The simulator ran all programs in " + ms(c.took) + " and counted; it knows no time. Instructions are those of " + (c.piece === 32 ? "warps of PTX" : "waves") + ". A sector is " + c.piece + " bytes of global memory; a line that needs more of them than its bytes fill wastes the rest."),
      this.table(), this.roofline(), this.chart(), this.scopes(), this.cpu());
  }

  /** cpu tells in which lines the host's processors were found. */
  cpu() {
    const t = this.cost.cpu;
    if (!t) return null;
    const title = el("h2", {}, "Where the time goes: this machine's processors");
    if (t.error) return el("div", { id: "cpu-time" }, title, el("p", { class: "bad" }, t.error));
    const all = t.samples || 1, most = t.lines.length ? t.lines[0].samples : 1;
    const rows = t.lines.map((l) => {
      const own = l.link.length && l.link[0] === 0, bar = el("span", { class: "share", "aria-hidden": "true" });
      bar.style.width = Math.round(90 * l.samples / most) + "px";
      const file = l.link.length ? this.app.model.files[l.link[0]] : null;
      const source = file ? (file.text.split("\n")[l.link[1] - 1] || "").trim() : "";
      return el("tr", { "data-time": l.place },
        el("td", {}, own ? el("button", { onclick: () => this.app.stages.showLine(l.link[1]) }, "line " + l.link[1]) : l.place),
        el("td", { class: "code" }, source.length > 70 ? source.slice(0, 69) + "…" : source),
        el("td", { class: "n" }, bar, (100 * l.samples / all).toFixed(1) + " %"),
        el("td", { class: "n" }, (t.took * l.samples / all).toPrecision(3)),
        el("td", { class: "n" }, l.samples.toLocaleString("en")));
    });
    const heads = ["place", "source", "share", "µs of a launch", "samples"];
    return el("div", { id: "cpu-time" }, title,
      el("p", {}, "The kernel ran " + t.launches.toLocaleString("en") + " times as native code, " + t.took.toPrecision(3) + " µs each. Every " + t.period + " µs of its time a thread was interrupted: " +
        t.samples.toLocaleString("en") + " times in the kernel, " + t.other.toLocaleString("en") + " times elsewhere, in launches and waits. Code is optimized: what belongs to several lines counts for one of them."),
      el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, ...rows)));
  }

  table() {
    const t = this.total, most = Math.max(1, ...this.cost.lines.map((l) => l.issued));
    const cell = (text, bad) => el("td", { class: "n" + (bad ? " bad" : "") }, text);
    const rows = this.cost.lines.map((l) => {
      const own = l.link.length && l.link[0] === 0, bar = el("span", { class: "share", "aria-hidden": "true" });
      bar.style.width = Math.round(90 * l.issued / most) + "px";
      const source = own ? (this.app.model.files[0].text.split("\n")[l.link[1] - 1] || "").trim() : "";
      return el("tr", { "data-place": l.place },
        el("td", {}, own ? el("button", { onclick: () => this.app.stages.showLine(l.link[1]) }, "line " + l.link[1]) : l.place),
        el("td", { class: "code" }, source.length > 70 ? source.slice(0, 69) + "…" : source),
        el("td", { class: "n" }, bar, l.issued.toLocaleString("en")),
        cell((100 * l.issued / t.issued).toFixed(1) + " %"),
        cell(l.loaded ? bytesText(l.loaded) : ""), cell(l.stored ? bytesText(l.stored) : ""),
        cell(l.sectors ? l.sectors.toLocaleString("en") + (l.sectors > l.least ? " (" + (l.sectors / l.least).toFixed(1) + "×)" : "") : "", l.sectors > 1.5 * l.least),
        cell(l.wavefronts ? l.wavefronts.toLocaleString("en") + (l.wavefronts > l.ideal ? " (" + (l.wavefronts - l.ideal).toLocaleString("en") + " by conflicts)" : "") : "", l.wavefronts > l.ideal),
        cell(l.products ? si(2 * l.products) : ""), cell(l.flops ? si(l.flops) : ""));
    });
    const heads = ["place", "source", "instructions", "share", "loaded", "stored", "sectors", "wavefronts of shared memory", "tensor cores, operations", "other operations"];
    return el("table", { id: "cost-lines" }, el("thead", {}, el("tr", {}, ...heads.map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, ...rows));
  }

  /** roofline draws what memory and arithmetic allow, and where the launch lies. */
  roofline() {
    const p = this.cost.peak, t = this.total, ops = 2 * t.products + t.flops, bytes = this.cost.piece * t.sectors;
    if (!p || !ops || !bytes) return null;
    const peak = t.products ? p.tensor : p.fp32, x = ops / bytes, bound = Math.min(peak, x * p.bytes);
    const least = Math.max(ops / peak, bytes / p.bytes) * 1e6;
    const text = x.toPrecision(3) + " operations a byte: at most " + si(bound) + "FLOP/s on an " + p.card + ", " +
      (100 * bound / peak).toPrecision(3) + " % of " + (t.products ? "its tensor cores" : "its fp32 units") + ", by " + (bound < peak ? "memory" : "arithmetic") +
      "; this launch takes " + least.toPrecision(2) + " µs at least, if nothing of it is in a cache.";
    const w = 640, h = 220, ns = "http://www.w3.org/2000/svg";
    const X = (v) => 50 + (Math.log10(v) + 2) / 6 * (w - 70), Y = (v) => h - 30 - (Math.log10(v) - 9) / 7 * (h - 45);
    const svg = document.createElementNS(ns, "svg");
    const add = (tag, attrs, label) => {
      const e = document.createElementNS(ns, tag);
      for (const [k, v] of Object.entries(attrs)) e.setAttribute(k, v);
      if (label !== undefined) e.textContent = label;
      svg.append(e);
    };
    for (const [k, v] of Object.entries({ width: w, height: h, role: "img", "aria-label": "Roofline: " + text, class: "roofline" })) svg.setAttribute(k, v);
    for (let e = -2; e <= 4; e++) {
      add("line", { x1: X(10 ** e), x2: X(10 ** e), y1: 15, y2: h - 30, class: "grid" });
      add("text", { x: X(10 ** e), y: h - 14, "text-anchor": "middle" }, 10 ** e);
    }
    for (let e = 9; e <= 15; e += 3) {
      add("line", { x1: 50, x2: w - 20, y1: Y(10 ** e), y2: Y(10 ** e), class: "grid" });
      add("text", { x: 46, y: Y(10 ** e) + 4, "text-anchor": "end" }, "1 " + "GTP"[(e - 9) / 3]);
    }
    add("text", { x: w / 2, y: h - 1, "text-anchor": "middle" }, "operations a byte");
    const ridge = peak / p.bytes;
    add("polyline", { points: [[0.01, 0.01 * p.bytes], [ridge, peak], [1e4, peak]].map(([a, b]) => X(a) + "," + Y(b)).join(" "), class: "roof" });
    add("circle", { cx: X(Math.max(0.01, Math.min(1e4, x))), cy: Y(Math.max(1e9, bound)), r: 5, class: "here" });
    return el("div", { id: "roofline" }, el("h2", {}, "Roofline"), el("p", {}, text), svg);
  }

  /** chart draws what the warps of the first block did, by the number of instructions. */
  chart() {
    if (!this.cost.chart || !this.cost.chart.marks.length) return null;
    const ch = laned(this.cost.chart), row = (ch.lanes + 1) * 9 + 8, left = 60, scale = window.devicePixelRatio || 1;
    const end = ch.marks.reduce((a, m) => Math.max(a, m.to), 0);
    const w = Math.min(16000, Math.max(900, Math.ceil(end * 1.5))), h = ch.warps * row + 4, unit = (w - left - 10) / end;
    const c = el("canvas", { role: "img", tabIndex: 0, id: "chart", "aria-label": "What " + ch.warps + " warps of the first block did: " + ch.marks.length + " copies, waits, products and barriers; arrow keys go through them" });
    c.width = w * scale; c.height = h * scale;
    c.style.width = w + "px"; c.style.height = h + "px";
    const g = c.getContext("2d");
    const box = (m) => [left + m.from * unit, m.warp * row + 3 + m.lane * 9, Math.max(1.5, (m.to - m.from) * unit - 0.5), 8];
    const paint = (chosen) => {
      g.setTransform(scale, 0, 0, scale, 0, 0);
      g.clearRect(0, 0, w, h);
      g.font = "12px sans-serif";
      const colour = getComputedStyle(document.body).color;
      for (let i = 0; i < ch.warps; i++) {
        g.fillStyle = colour;
        g.fillText("warp " + i, 4, i * row + row / 2 + 4);
        g.fillRect(left, i * row + row - 2, w - left, 0.5);
      }
      ch.marks.forEach((m, i) => {
        const [x, y, bw, bh] = box(m);
        g.fillStyle = chartKinds[m.kind][1];
        g.fillRect(x, y, bw, bh);
        if (i === chosen) { g.strokeStyle = colour; g.lineWidth = 2; g.strokeRect(x - 1, y - 1, bw + 2, bh + 2); }
      });
    };
    const info = el("output", { id: "mark", "aria-live": "polite" });
    let at = -1;
    const tell = (i) => {
      at = Math.max(0, Math.min(ch.marks.length - 1, i));
      const m = ch.marks[at];
      info.textContent = "warp " + m.warp + ": " + chartKinds[m.kind][0] + (m.line ? " of line " + m.line : "") + (m.count > 1 ? ", " + m.count + " instructions" : "") + ", from " + m.from + " to " + m.to;
      paint(at);
    };
    const find = (e) => {
      const r = c.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
      return ch.marks.findIndex((m) => { const [a, b, bw, bh] = box(m); return x >= a - 1 && x <= a + bw + 1 && y >= b && y <= b + bh; });
    };
    c.addEventListener("pointermove", (e) => { const i = find(e); if (i >= 0 && i !== at) tell(i); });
    c.addEventListener("click", (e) => { const i = find(e); if (i >= 0 && ch.marks[i].line) this.app.stages.showLine(ch.marks[i].line); });
    c.addEventListener("keydown", (e) => {
      const d = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (d) { e.preventDefault(); tell(at + d); }
      if (e.key === "Enter" && at >= 0 && ch.marks[at].line) this.app.stages.showLine(ch.marks[at].line);
    });
    paint(-1);
    const legend = Object.values(chartKinds).map(([name, colour]) => {
      const box = el("span", { class: "swatch", "aria-hidden": "true" });
      box.style.background = colour;
      return el("span", {}, box, name);
    });
    return el("div", {}, el("h2", {}, "The first block, warp by warp"),
      el("p", {}, "From left to right: instructions of each warp, " + end.toLocaleString("en") + " in all. A copy, a load or a product that is waited for reaches from its issue to that wait. Barriers and mbarriers have warps wait for each other; nothing else takes time." + (ch.cut ? " The rest is cut off." : "")),
      el("p", { class: "legend" }, ...legend), info, el("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "Chart of the first block" }, c));
  }

  /** scopes draws what the warps of one multiprocessor were in, as a recorded launch measured it. */
  scopes() {
    const s = this.app.model.scopes;
    if (!s || !s.bars.length) return null;
    const bars = [];
    for (let i = 0; i < s.bars.length; i += 7) {
      const [name, sm, block, warp, from, took, length] = s.bars.slice(i, i + 7);
      bars.push({ name, sm, block, warp, from, took, length });
    }
    const timed = s.unit === "cycles", unit = timed ? "µs" : "steps", time = (x) => (timed ? x.toPrecision(4) : Math.round(x * 1000)) + " " + unit;
    const colour = (n) => "hsl(" + (n * 137 + 215) % 360 + " 60% 48%)";
    const sms = [...new Set(bars.map((b) => b.sm))], choice = el("select", { id: "scope-sm", "aria-label": "Multiprocessor" },
      ...sms.map((n) => el("option", { value: String(n) }, "multiprocessor " + n)));
    const info = el("output", { id: "scope-mark", "aria-live": "polite" });
    const box = el("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "Chart of scopes" });
    const draw = () => {
      const mine = bars.filter((b) => b.sm === Number(choice.value));
      const rows = [...new Set(mine.map((b) => b.block + ":" + b.warp))], at = new Map(rows.map((r, i) => [r, i]));
      const ends = mine.map((b) => b.from + b.took), end = ends.reduce((a, x) => Math.max(a, x), 0) || 1;
      const open = new Map(); // scopes within scopes lie below them
      for (const b of mine) {
        const key = b.block + ":" + b.warp, around = (open.get(key) || []).filter((o) => o.from + o.took > b.from + b.took * 0.01);
        b.depth = around.length;
        open.set(key, [...around, b]);
      }
      const deep = mine.reduce((a, b) => Math.max(a, b.depth), 0) + 1, row = deep * 9 + 8, left = 130, scale = window.devicePixelRatio || 1;
      const w = 1100, h = rows.length * row + 24, x = (v) => left + v / end * (w - left - 10);
      const c = el("canvas", { role: "img", tabIndex: 0, id: "scopes", "aria-label": "Scopes of " + rows.length + " warps of multiprocessor " + choice.value + "; arrow keys go through them" });
      c.width = w * scale; c.height = h * scale;
      c.style.width = w + "px"; c.style.height = h + "px";
      const g = c.getContext("2d");
      const place = (b) => [x(b.from), at.get(b.block + ":" + b.warp) * row + 3 + b.depth * 9, Math.max(1.5, x(b.from + b.took) - x(b.from) - 0.5), 8];
      const paint = (chosen) => {
        g.setTransform(scale, 0, 0, scale, 0, 0);
        g.clearRect(0, 0, w, h);
        g.font = "12px sans-serif";
        const ink = getComputedStyle(document.body).color;
        g.fillStyle = ink;
        rows.forEach((r, i) => {
          const [block, warp] = r.split(":");
          g.fillText("block " + block + ", warp " + warp, 4, i * row + row / 2 + 4);
          g.fillRect(left, i * row + row - 2, w - left, 0.5);
        });
        for (let k = 0; k <= 4; k++) {
          g.textAlign = k === 4 ? "right" : "left";
          g.fillText(time(end * k / 4), x(end * k / 4), h - 6);
        }
        g.textAlign = "left";
        mine.forEach((b, i) => {
          const [bx, by, bw, bh] = place(b);
          g.fillStyle = colour(b.name);
          g.fillRect(bx, by, bw, bh);
          if (i === chosen) { g.strokeStyle = ink; g.lineWidth = 2; g.strokeRect(bx - 1, by - 1, bw + 2, bh + 2); }
        });
      };
      let now = -1;
      const tell = (i) => {
        now = Math.max(0, Math.min(mine.length - 1, i));
        const b = mine[now];
        info.textContent = s.names[b.name] + ": block " + b.block + ", warp " + b.warp + ", from " + time(b.from) + ", " + time(b.took) + (timed ? ", " + b.length.toLocaleString("en") + " cycles" : "");
        paint(now);
      };
      c.addEventListener("pointermove", (e) => {
        const r = c.getBoundingClientRect(), px = e.clientX - r.left, py = e.clientY - r.top;
        const i = mine.findLastIndex((b) => { const [bx, by, bw, bh] = place(b); return px >= bx - 1 && px <= bx + bw + 1 && py >= by && py <= by + bh; });
        if (i >= 0 && i !== now) tell(i);
      });
      c.addEventListener("keydown", (e) => {
        const d = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
        if (d) { e.preventDefault(); tell(now + d); }
      });
      paint(-1);
      info.textContent = "";
      box.replaceChildren(c);
    };
    choice.addEventListener("change", draw);
    draw();
    const legend = s.names.map((name, i) => {
      const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.background = colour(i);
      return el("span", {}, swatch, name);
    });
    const n = (v) => el("td", { class: "n" }, v);
    const rows = s.rows.map((r) => el("tr", { "data-scope": r.name }, el("td", {}, r.name), n(r.count.toLocaleString("en")), n(r.median.toLocaleString("en")),
      n(r.least.toLocaleString("en")), n(r.most.toLocaleString("en")), n(timed ? r.time.toPrecision(4) : "")));
    const heads = ["scope", "times, all launches", "median, " + s.unit, "least", "most", "median, µs"];
    return el("div", { id: "scope-chart" }, el("h2", {}, "Scopes, measured on " + s.device),
      el("p", {}, "The last of " + s.launches.toLocaleString("en") + " recorded launches" + (timed ? ", which took " + time(s.took) : "; a simulator counts steps") + ". A bar is what a warp spent in a scope; scopes within scopes lie below them."),
      el("table", { id: "scope-rows" }, el("thead", {}, el("tr", {}, ...heads.map((t) => el("th", { scope: "col" }, t)))), el("tbody", {}, ...rows)),
      el("p", { class: "legend" }, choice, ...legend), info, box);
  }

  search() { return []; }
}
