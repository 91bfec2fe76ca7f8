// A run in the interpreter: the grid, and every access as heat maps over the tensors.

const TILE = 8; // numbers of a tile: program, site, tensor, first element, count, rows, stride, out of bounds

class RunView {
  constructor(app) {
    this.app = app;
    this.program = -1;
    this.site = -1;
    this.root = $("view-run");
    this.left = el("div", { class: "pane" });
    this.right = el("div", { class: "pane" });
    this.left.style.flex = "0 0 460px";
    this.root.append(this.left, this.right);
    this.info = el("output", { id: "element", "aria-live": "polite" });
  }

  update() {
    const run = this.run = this.app.model.run;
    if (!run || run.error) {
      this.left.replaceChildren(el("p", { class: run ? "bad" : "" }, run ? run.error : "The kernel was not run."));
      this.right.replaceChildren();
      return;
    }
    this.programs = run.grid[0] * run.grid[1] * run.grid[2];
    if (this.program >= this.programs) this.program = -1;
    if (this.site >= run.sites.length) this.site = -1;
    this.bad = new Map((run.faults || []).map((f) => [f.program, f]));
    this.work = new Float64Array(Math.min(this.programs, 1 << 20));
    const t = run.tiles || [];
    for (let i = 0; i < t.length; i += TILE) if (t[i] < this.work.length) this.work[t[i]] += t[i + 4] * t[i + 5];
    this.drawLeft();
    this.drawRight();
  }

  gridText(p) {
    const [x, y] = this.run.grid;
    return "(" + p % x + ", " + Math.floor(p / x) % y + ", " + Math.floor(p / x / y) + ")";
  }

  drawLeft() {
    const run = this.run;
    const grid = el("canvas", { tabIndex: 0, role: "img", id: "grid",
      onclick: (e) => this.pick(this.programAt(e)),
      onpointermove: (e) => this.gridInfo.textContent = this.aboutProgram(this.programAt(e)),
      onkeydown: (e) => this.gridKey(e) });
    this.grid = grid;
    this.gridInfo = el("output", { id: "program", "aria-live": "polite" });
    const rows = run.sites.map((s, i) => el("tr", { "data-site": i, "aria-selected": String(i === this.site) },
      el("td", {}, el("button", { onclick: () => { this.site = this.site === i ? -1 : i; this.update(); } }, s.what + " " + s.place)),
      el("td", { class: "n" }, s.lanes.toLocaleString("en")),
      el("td", { class: "n" }, s.lanes ? (100 * s.active / s.lanes).toFixed(1) + " %" : "–"),
      el("td", {}, s.link.length ? el("button", { onclick: () => this.app.stages.showLine(s.link[s.link.length - 1]) }, "line " + s.link[s.link.length - 1]) : "")));
    const faults = (run.faults || []).slice(0, 20).map((f) => el("li", {}, el("button", { class: "fault",
      onclick: () => { if (f.link.length) this.app.stages.showLine(f.link[f.link.length - 1]); } },
      "program " + this.gridText(f.program) + ": " + f.text)));
    put(this.left, el("h2", {}, "Grid " + run.grid.join(" × ") + ", " + this.programs + (this.programs === 1 ? " program" : " programs")),
      el("p", {}, "Run in the interpreter in " + ms(run.took) + ". Darker programs access more elements" +
        (faults.length ? "; red ones went wrong." : ".")),
      el("div", { class: "bar" }, el("button", { "aria-pressed": String(this.program < 0), onclick: () => this.pick(-1) }, "all programs")),
      grid, this.gridInfo,
      faults.length ? el("h2", { class: "bad" }, (run.faults || []).length + (run.faults.length === 1 ? " program" : " programs") + " ended by a fault") : null,
      faults.length ? el("ul", { class: "out" }, ...faults) : null,
      ...this.findings(),
      el("h2", {}, "Accesses"),
      el("table", {}, el("thead", {}, el("tr", {}, ...["operation", "lanes", "not masked", "source"].map((t) => el("th", { scope: "col" }, t)))),
        el("tbody", {}, ...rows)),
      run.dropped ? el("p", { class: "bad" }, run.dropped + " accesses are not shown: there are too many.") : null);
    this.paintGrid();
  }

  /** findings lists races, reads of what nobody wrote and NaN, with a button for each line. */
  findings() {
    const list = this.run.findings || [];
    if (!list.length) return [el("p", {}, "No races between programs, no read of what nobody wrote, no NaN in what was stored.")];
    const line = (place, link) => el("button", { class: "finding", onclick: () => { if (link && link.length) this.app.stages.showLine(link[link.length - 1]); } }, place);
    return [el("h2", { class: "bad" }, "Findings"), el("ul", { class: "out" }, ...list.map((f) => el("li", { "data-kind": f.kind },
      el("p", {}, f.kind + ": " + f.text), f.place ? line(f.place, f.link) : null, f.otherPlace ? line(f.otherPlace, f.otherLink) : null,
      f.kind === "NaN" && this.app.model.values ? el("button", { onclick: () => this.app.show("values") }, "values") : null)))];
  }

  paintGrid() {
    const run = this.run, c = this.grid;
    this.gcols = run.grid[0] > 1 && (run.grid[1] > 1 || run.grid[2] > 1) ? run.grid[0] : Math.min(this.programs, Math.max(8, Math.ceil(Math.sqrt(this.programs))));
    this.gcell = Math.max(2, Math.min(26, Math.floor(420 / this.gcols)));
    const rows = Math.ceil(this.work.length / this.gcols);
    const w = this.gcols * this.gcell, h = Math.min(rows * this.gcell, 8000), scale = window.devicePixelRatio || 1;
    c.width = w * scale; c.height = h * scale;
    c.style.width = w + "px"; c.style.height = h + "px";
    const g = c.getContext("2d");
    g.scale(scale, scale);
    let most = 1;
    for (const v of this.work) most = Math.max(most, v);
    const gap = this.gcell > 5 ? 1 : 0;
    this.work.forEach((v, p) => {
      const x = p % this.gcols * this.gcell, y = Math.floor(p / this.gcols) * this.gcell;
      g.fillStyle = this.bad.has(p) ? "#d00020" : "hsl(215 70% " + (88 - 48 * v / most) + "%)";
      g.fillRect(x, y, this.gcell - gap, this.gcell - gap);
      if (p === this.program) { g.strokeStyle = "#000"; g.lineWidth = 2; g.strokeRect(x + 1, y + 1, this.gcell - 2 - gap, this.gcell - 2 - gap); }
    });
    c.setAttribute("aria-label", "Grid of " + this.programs + " programs, " + this.bad.size + " with faults; arrow keys choose one");
    this.gridInfo.textContent = this.aboutProgram(this.program);
  }

  aboutProgram(p) {
    if (p < 0 || p >= this.programs) return "";
    return "program " + this.gridText(p) + ": " + (this.work[p] || 0).toLocaleString("en") + " elements accessed" +
      (this.bad.has(p) ? "; " + this.bad.get(p).text : "");
  }

  programAt(e) {
    const r = this.grid.getBoundingClientRect();
    const x = Math.floor((e.clientX - r.left) / this.gcell), y = Math.floor((e.clientY - r.top) / this.gcell);
    const p = y * this.gcols + x;
    return x >= 0 && x < this.gcols && p >= 0 && p < this.programs ? p : -1;
  }

  pick(p) {
    this.program = p === this.program ? -1 : p;
    this.update();
    this.grid.focus();
  }

  gridKey(e) {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.gcols, ArrowUp: -this.gcols }[e.key];
    if (step) {
      e.preventDefault();
      const p = this.program < 0 ? 0 : this.program + step;
      if (p >= 0 && p < this.programs) { this.program = p; this.update(); this.grid.focus(); }
    } else if (e.key === "Escape") { this.pick(-1); }
  }

  /** counts adds up the accesses of the chosen program and operation. */
  counts() {
    const run = this.run, t = run.tiles || [];
    const maps = run.tensors.map((x) => {
      const n = x.shape.reduce((a, b) => a * b, 1);
      return { n, loads: new Uint32Array(n), stores: new Uint32Array(n), out: new Map() };
    });
    for (let i = 0; i < t.length; i += TILE) {
      if (this.program >= 0 && t[i] !== this.program || this.site >= 0 && t[i + 1] !== this.site) continue;
      const m = maps[t[i + 2]], what = run.sites[t[i + 1]].what;
      for (let r = 0; r < t[i + 5]; r++) {
        const start = t[i + 3] + r * t[i + 6];
        for (let e = start; e < start + t[i + 4]; e++) {
          if (e < 0 || e >= m.n || t[i + 7]) {
            if (!m.out.has(e)) m.out.set(e, []);
            const list = m.out.get(e);
            if (list.length < 4) list.push([t[i], t[i + 1]]);
            continue;
          }
          if (what !== "store") m.loads[e]++;
          if (what !== "load") m.stores[e]++;
        }
      }
    }
    return maps;
  }

  drawRight() {
    const maps = this.counts();
    const what = this.program < 0 ? "all programs" : "program " + this.gridText(this.program);
    const site = this.site < 0 ? "all operations" : this.run.sites[this.site].what + " " + this.run.sites[this.site].place;
    this.right.replaceChildren(el("h2", {}, "Tensors: " + what + ", " + site), this.info,
      ...this.run.tensors.map((t, i) => this.tensor(t, maps[i])));
  }

  tensor(t, m) {
    let loaded = 0, stored = 0, most = 0;
    for (let i = 0; i < m.n; i++) {
      if (m.loads[i]) loaded++;
      if (m.stores[i]) stored++;
      most = Math.max(most, m.loads[i], m.stores[i]);
    }
    const head = t.name + ": " + t.type + "[" + t.shape.join("×") + "]";
    const about = "loaded " + loaded.toLocaleString("en") + ", stored " + stored.toLocaleString("en") + " of " + m.n.toLocaleString("en") +
      " elements; an element at most " + most + (most === 1 ? " time" : " times");
    const box = el("div", { class: "tensor", "data-tensor": t.name }, el("h2", {}, head), el("p", {}, about + "."));
    if (m.out.size) box.append(this.outside(t, m));
    if (loaded) box.append(this.heat(t, m, m.loads, "loads", 215));
    if (stored) box.append(this.heat(t, m, m.stores, "stores", 30));
    return box;
  }

  /** outside lists ranges of elements out of bounds. */
  outside(t, m) {
    const all = [...m.out.keys()].sort((a, b) => a - b);
    const ranges = [];
    for (const e of all) {
      const last = ranges[ranges.length - 1];
      if (last && e === last[1] + 1) last[1] = e; else ranges.push([e, e]);
    }
    const items = ranges.slice(0, 10).map(([a, b]) => {
      const [p, s] = m.out.get(a)[0], site = this.run.sites[s];
      const text = (a === b ? "index " + a : "indices " + a + " to " + b) + " of " + t.name + ", which has " + m.n +
        " elements: " + site.what + " at " + site.place + ", program " + this.gridText(p);
      return el("li", {}, el("button", { class: "oob", onclick: () => { if (site.link.length) this.app.stages.showLine(site.link[site.link.length - 1]); } }, text));
    });
    return el("div", {}, el("p", { class: "bad" }, all.length + (all.length === 1 ? " element" : " elements") + " out of bounds"),
      el("ul", { class: "out" }, ...items, ranges.length > 10 ? el("li", {}, "and " + (ranges.length - 10) + " more ranges") : null));
  }

  heat(t, m, counts, what, hue) {
    const last = t.shape.length > 1 ? t.shape[t.shape.length - 1] : Math.min(m.n, m.n <= 4096 ? 128 : 512);
    const cols = Math.max(1, last), rows = Math.ceil(m.n / cols);
    // elements beyond the end take cells of their own behind it, elements before it a row above
    const after = Math.min([...m.out.keys()].reduce((a, e) => Math.max(a, e - m.n + 1), 0), 4 * cols);
    const before = Math.min([...m.out.keys()].reduce((a, e) => Math.max(a, -e), 0), 4 * cols);
    const top = Math.ceil(before / cols), all = top + Math.ceil((m.n + after) / cols);
    const width = Math.max(420, this.right.clientWidth - 40);
    const sx = Math.max(1, Math.ceil(cols / width)), sy = Math.max(1, Math.ceil(all / 420));
    const cell = Math.max(1, Math.min(12, Math.floor(width / cols), Math.floor(420 / Math.min(all, 420))));
    const w = Math.ceil(cols / sx), h = Math.ceil(all / sy);
    const bins = new Float64Array(w * h), sums = new Uint32Array(w * h);
    let most = 0;
    for (let e = 0; e < m.n; e++) {
      const b = Math.floor((Math.floor(e / cols) + top) / sy) * w + Math.floor(e % cols / sx);
      bins[b] += counts[e];
      sums[b]++;
    }
    for (let b = 0; b < bins.length; b++) if (sums[b]) { bins[b] /= sums[b]; most = Math.max(most, bins[b]); }
    const c = el("canvas", { role: "img", class: "heat", tabIndex: 0, "data-what": what,
      "aria-label": what + " of " + t.name + ", " + (m.out.size ? m.out.size + " elements out of bounds in red" : "all in bounds") });
    c.width = w * cell; c.height = h * cell;
    const g = c.getContext("2d");
    for (let b = 0; b < bins.length; b++) {
      if (!sums[b]) continue;
      g.fillStyle = bins[b] === 0 ? "hsl(0 0% 92%)" : "hsl(" + hue + " 75% " + (most === 1 ? 55 : 78 - 45 * bins[b] / most) + "%)";
      g.fillRect(b % w * cell, Math.floor(b / w) * cell, cell, cell);
    }
    g.fillStyle = "#d00020";
    for (const e of m.out.keys()) {
      const at = e + top * cols;
      if (at < 0 || at >= all * cols) continue;
      g.fillRect(Math.floor(at % cols / sx) * cell, Math.floor(Math.floor(at / cols) / sy) * cell, Math.max(cell, 2), Math.max(cell, 2));
    }
    let cursor = 0;
    const show = (e) => {
      const i = e - top * cols;
      if (m.out.has(i)) { this.info.textContent = t.name + "[" + i + "]: out of bounds"; return; }
      if (i < 0 || i >= m.n) return;
      const at = t.shape.length > 1 ? Math.floor(i / cols) + ", " + i % cols : i;
      this.info.textContent = t.name + "[" + at + "]: " + m.loads[i] + " loads, " + m.stores[i] + " stores";
    };
    c.addEventListener("pointermove", (e) => {
      const r = c.getBoundingClientRect();
      show(Math.floor((e.clientY - r.top) / cell) * sy * cols + Math.floor((e.clientX - r.left) / cell) * sx);
    });
    c.addEventListener("keydown", (e) => {
      const step = { ArrowRight: sx, ArrowLeft: -sx, ArrowDown: cols * sy, ArrowUp: -cols * sy }[e.key];
      if (!step) return;
      e.preventDefault();
      cursor = Math.max(0, Math.min(all * cols - 1, cursor + step));
      show(cursor);
    });
    return el("div", {}, el("p", {}, what + (sx * sy > 1 ? ", " + sx * sy + " elements for each point" : "") + ":"), c);
  }

  search() { return []; }
}
