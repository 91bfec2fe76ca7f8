// Two kernels, configs or releases beside each other: figures, and every stage as a diff.

/** unnamed is a line without what two compilations number differently: values, registers, labels, metadata. */
const unnamed = (line) => line.replace(/%(\d|[A-Za-z_.$]+)[\w.$#:]*/g, (m, c) => "%" + (/^\d/.test(c) ? "" : c.replace(/_+$/, "")))
  .replace(/\$?\.?L[A-Z_]+\d[\w]*/g, "L").replace(/([!#])\d+/g, "$1");

const maxEdits = 1500;

/** diffOf aligns two lists: rows of an index into each, -1 where the other has a line that this one has not (Myers). */
function diffOf(a, b) {
  let start = 0, end = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const n = a.length - start - end, m = b.length - start - end, off = maxEdits + 1;
  const v = new Int32Array(2 * maxEdits + 3), trace = [];
  let found = -1;
  for (let d = 0; d <= Math.min(n + m, maxEdits) && found < 0; d++) {
    trace.push(v.slice(off - d - 1, off + d + 2));
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && v[off + k - 1] < v[off + k + 1]) ? v[off + k + 1] : v[off + k - 1] + 1;
      while (x < n && x - k < m && a[start + x] === b[start + x - k]) x++;
      v[off + k] = x;
      if (x >= n && x - k >= m) { found = d; break; }
    }
  }
  const middle = [];
  if (found < 0) { // too different: one text, then the other
    for (let i = 0; i < Math.max(n, m); i++) middle.push([i < n ? start + i : -1, i < m ? start + i : -1, true]);
  } else {
    let x = n, y = m;
    for (let d = found; d >= 0; d--) {
      const t = trace[d], at = (k) => t[k + d + 1], k = x - y;
      const prev = k === -d || (k !== d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
      const px = d ? at(prev) : 0, py = d ? px - prev : 0;
      while (x > px && y > py) middle.push([start + --x, start + --y, false]);
      if (d) { if (x > px) middle.push([start + --x, -1, true]); else middle.push([-1, start + --y, true]); }
    }
    middle.reverse();
  }
  const rows = [];
  for (let i = 0; i < start; i++) rows.push([i, i, false]);
  rows.push(...paired(middle));
  for (let i = end; i > 0; i--) rows.push([a.length - i, b.length - i, false]);
  return rows;
}

/** paired puts lines that only one side has beside lines that only the other has. */
function paired(rows) {
  const out = [];
  let left = [], right = [];
  const flush = () => {
    for (let i = 0; i < Math.max(left.length, right.length); i++) out.push([left[i] ?? -1, right[i] ?? -1, true]);
    left = []; right = [];
  };
  for (const [l, r, differs] of rows) {
    if (!differs) { flush(); out.push([l, r, false]); continue; }
    if (l >= 0) left.push(l);
    if (r >= 0) right.push(r);
  }
  flush();
  return out;
}

class BesideView {
  constructor(app) {
    this.app = app;
    this.root = $("view-beside");
    this.root.classList.add("stagesview");
    this.stage = "";
    this.form = el("form", { class: "bar", onsubmit: (e) => { e.preventDefault(); this.ask(); } });
    this.figures = el("div", { class: "figures", tabIndex: 0, role: "region", "aria-label": "Figures of both" });
    this.bar = el("div", { class: "bar", role: "group", "aria-label": "Stage to compare" });
    this.only = el("input", { type: "checkbox", id: "only", checked: true, onchange: () => this.compare() });
    this.count = el("span", { class: "note", id: "differences", role: "status" });
    this.lists = ["left", "right"].map((side, k) => {
      const list = new CodeList("", "mlir");
      list.el.id = "beside-" + side;
      list.number = (i) => (this.rows[i].gap || this.rows[i].at[k] < 0 ? "" : this.rows[i].at[k] + 1);
      list.decorate = (i) => { const r = this.rows[i]; return r.gap ? "gap" : r.at[k] < 0 ? "gap" : r.differs ? (k ? "add" : "del") : "same"; };
      return list;
    });
    this.lists.forEach((l, k) => {
      const other = this.lists[1 - k];
      l.el.addEventListener("scroll", () => {
        if (other.el.scrollTop !== l.el.scrollTop) other.el.scrollTop = l.el.scrollTop;
        if (other.el.scrollLeft !== l.el.scrollLeft) other.el.scrollLeft = l.el.scrollLeft;
      });
      l.oncurrent = (i) => { if (other.current !== i) other.move(i); };
    });
    this.heads = [el("h2", {}), el("h2", {})];
    this.columns = el("div", { class: "columns" }, ...this.lists.map((l, k) => el("div", { class: "column" }, el("div", { class: "head" }, this.heads[k]), l.el)));
    this.rows = [];
    this.build();
    this.root.append(this.form, this.figures, this.bar, this.columns);
  }

  /** build makes the form with which a reader chooses what to compare with; a file has none, as there is no compiler. */
  build() {
    const c = this.app.model.choices;
    this.form.hidden = !c;
    if (!c) return;
    const own = this.app.model.title.split(":").pop();
    this.kernel = el("select", { id: "beside-kernel" }, ...c.kernels.map((k) => el("option", { selected: k === own }, k)));
    this.config = el("input", { id: "beside-config", size: 34, placeholder: "BLOCK=64 num_warps=8", spellcheck: false, autocomplete: "off" });
    this.release = el("select", { id: "beside-triton" }, el("option", { value: "" }, "as it is"), ...c.releases.map((r) => el("option", {}, r)));
    this.form.append(el("label", {}, "Kernel ", this.kernel), el("label", {}, "Other values ", this.config), el("label", {}, "Triton ", this.release),
      el("button", { id: "beside-go", type: "submit" }, "Compare"),
      el("button", { id: "beside-keep", type: "button", onclick: () => this.keep() }, "Compare with the text as it is now"));
  }

  /** keep has what is shown now stay on the right, to be compared with what the reader edits. */
  keep() {
    const m = this.app.model;
    this.app.model.beside = structuredClone({ title: m.title, files: m.files, targets: m.targets, cost: m.cost, label: "as it was" });
    this.update();
  }

  async ask() {
    const q = new URLSearchParams({ kernel: this.kernel.value, config: this.config.value, triton: this.release.value });
    if (!this.app.abort) this.app.abort = new AbortController();
    this.app.say("compiling the other …");
    try {
      const m = await this.app.post("/beside?" + q, this.app.text);
      if (m.errors) { this.app.say(m.errors.join("; "), true); return; }
      this.app.model.beside = m;
      this.app.say("compiled in " + ms(m.took));
      this.update();
    } catch (e) {
      if (e.name !== "AbortError") this.app.say("no answer: " + e.message, true);
    }
  }

  update() {
    const b = this.app.model.beside, t = this.app.target;
    this.other = b && t && b.targets.find((x) => x.name === t.name);
    this.columns.hidden = this.bar.hidden = !this.other;
    if (!this.other) {
      put(this.figures, el("p", {}, b ? "The other was not compiled for " + t.name + "." : this.app.model.choices ? "Choose another kernel of the file, other values or another release of Triton." : "This page was made of one kernel. nereid view --beside, --beside-config and --beside-triton put another beside it."));
      return;
    }
    const name = (m, label) => m.title + (label ? " (" + label + ")" : "");
    this.names = [name(this.app.model, b.own), name(b, b.label)];
    this.heads.forEach((h, k) => { h.textContent = this.names[k]; });
    put(this.figures, this.table(t, this.other, this.app.model.cost, b.cost));
    const stages = ["source", ...t.stages.map((s) => s.label).filter((l) => this.other.stages.some((s) => s.label === l))];
    if (!stages.includes(this.stage)) this.stage = stages[stages.length - 1];
    put(this.bar, ...stages.map((s) => el("button", { "aria-pressed": String(s === this.stage), "data-stage-of": s,
      onclick: () => { this.stage = s; this.update(); } }, s === "source" ? "Source" : s)),
      el("label", {}, this.only, " only what differs"), this.count);
    this.compare();
  }

  /** table has the figures of both: of the code, of its simulation, and the times of stages. */
  table(t, o, cost, otherCost) {
    const rows = [];
    const add = (name, x, y, text = (v) => v.toLocaleString("en")) => {
      if (x === undefined || y === undefined) return;
      const ratio = x === y ? "the same" : x ? (y / x).toFixed(3) + "×" : "";
      rows.push(el("tr", { "data-figure": name }, el("th", { scope: "row" }, name), el("td", { class: "n" }, text(x)), el("td", { class: "n" }, text(y)), el("td", { class: "n" }, ratio)));
    };
    for (const f of t.figures || []) {
      const g = (o.figures || []).find((x) => x.name === f.name);
      add(f.name, f.value, g && g.value, f.bytes ? bytesText : undefined);
    }
    const sum = (c) => {
      const all = {};
      for (const l of (c && !c.error && c.lines) || []) for (const [k, v] of Object.entries(l)) if (typeof v === "number") all[k] = (all[k] || 0) + v;
      return all;
    };
    const x = sum(cost), y = sum(otherCost);
    const device = cost && cost.device ? " on " + cost.device : "";
    add("instructions of warps" + device, x.issued, y.issued);
    add("bytes loaded", x.loaded, y.loaded, bytesText);
    add("bytes stored", x.stored, y.stored, bytesText);
    add("sectors of " + (cost && cost.piece || 32) + " bytes", x.sectors, y.sectors);
    add("wavefronts of shared memory", x.wavefronts, y.wavefronts);
    add("of these by bank conflicts", x.wavefronts - x.ideal, y.wavefronts - y.ideal);
    add("operations of tensor cores", 2 * x.products, 2 * y.products);
    add("other operations", x.flops, y.flops);
    for (const s of t.stages) {
      const r = o.stages.find((k) => k.name === s.name);
      add("lines of " + s.label, s.lines.length, r && r.lines.length);
    }
    return el("table", { id: "beside-figures" }, el("thead", {}, el("tr", {}, ...["figure", ...this.names, "second to first"].map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, ...rows.filter((r) => !r.textContent.includes("NaN"))));
  }

  textOf(model, target) {
    if (this.stage === "source") return { lines: model.files[0].text.replace(/\n$/, "").split("\n"), lang: "python" };
    const s = target.stages.find((x) => x.label === this.stage);
    return { lines: s.lines, lang: langOf(s.name) };
  }

  compare() {
    const a = this.textOf(this.app.model, this.app.target), b = this.textOf(this.app.model.beside, this.other);
    const mask = a.lang === "python" ? (x) => x : unnamed;
    const rows = diffOf(a.lines.map(mask), b.lines.map(mask)).map(([l, r, differs]) => ({ at: [l, r], differs }));
    const n = rows.filter((r) => r.differs).length;
    this.count.textContent = n === 0 ? "no difference" : n + (n === 1 ? " line differs" : " lines differ") + (a.lang === "python" ? "" : "; names of values do not count");
    this.rows = this.only.checked ? this.folded(rows) : rows;
    [a, b].forEach((t, k) => {
      this.lists[k].lang = t.lang;
      this.lists[k].el.setAttribute("aria-label", this.names[k]);
      this.lists[k].setLines(this.rows.map((r) => (r.gap ? "⋯ " + r.gap + " lines" : r.at[k] < 0 ? "" : t.lines[r.at[k]])));
      this.lists[k].el.scrollTop = 0;
    });
  }

  /** folded leaves out lines that are the same and stand by no difference. */
  folded(rows) {
    const near = new Uint8Array(rows.length), out = [];
    rows.forEach((r, i) => { if (r.differs) near.fill(1, Math.max(0, i - 3), i + 4); });
    let gap = 0;
    const flush = () => { if (gap) out.push({ at: [-1, -1], gap }); gap = 0; };
    rows.forEach((r, i) => { if (near[i]) { flush(); out.push(r); } else gap++; });
    flush();
    return out;
  }

  search(query) {
    const found = [];
    for (const l of this.lists) {
      l.query = query || null;
      if (query) l.lines.forEach((t, i) => { if (l.matches(t)) found.push([l, i]); });
      l.redraw();
    }
    return found;
  }
}
