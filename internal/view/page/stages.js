// The source beside the stages, linked by line; and the passes.

const langOf = (stage) => ({ source: "mlir", ttir: "mlir", ttgir: "mlir", linalg: "mlir", llir: "llvm" })[stage] || "asm";

/** Column is a list of a source file's or a stage's lines. */
class Column {
  constructor(title, lines, links, lang, note) {
    this.title = title;
    this.links = links;           // of each line: file, line, file, line …, innermost first
    this.index = new Map();       // lines by place
    links.forEach((l, i) => {
      for (let j = 0; j < l.length; j += 2) {
        const k = placeKey(l[j], l[j + 1]);
        if (!this.index.has(k)) this.index.set(k, []);
        this.index.get(k).push(i);
      }
    });
    this.hover = new Set();
    this.pin = new Set();
    this.list = new CodeList(title, lang);
    this.list.decorate = (i) => (this.pin.has(i) ? "pin " : "") + (this.hover.has(i) ? "hover" : "");
    this.list.colour = (i) => colourOf(this.links[i]);
    this.head = el("div", { class: "head" }, el("h2", {}, title), note ? el("span", { class: "note" }, note) : null);
    this.el = el("div", { class: "column", "data-stage": title }, this.head, this.list.el);
    this.list.setLines(lines);
  }

  /** related returns the lines that belong to places. */
  related(keys) {
    const out = new Set();
    for (const k of keys) for (const i of this.index.get(k) || []) out.add(i);
    return out;
  }
}

/** colourOf gives all lines of one line of the kernel's own file the same colour. */
function colourOf(link) {
  for (let j = link.length - 2; j >= 0; j -= 2) if (link[j] === 0) return "hsl(" + (link[j + 1] * 67) % 360 + " 65% 55%)";
  return "";
}

class StagesView {
  constructor(app) {
    this.app = app;
    this.root = $("view-stages");
    this.root.classList.add("stagesview");
    this.shown = new Map();       // whether a stage is shown, by name
    this.file = 0;
    this.editing = false;
    this.bar = el("div", { class: "bar", role: "group", "aria-label": "Stages to show" });
    this.columnsEl = el("div", { class: "columns" });
    this.root.append(this.bar, this.columnsEl);
    this.textarea = el("textarea", { spellcheck: false, "aria-label": "Source, editable",
      oninput: () => app.edited(this.textarea.value), onkeydown: (e) => this.editKey(e) });
    this.errors = el("pre", { class: "errors", role: "alert", hidden: true });
  }

  get stages() { return this.app.target ? this.app.target.stages : []; }

  update() {
    const files = this.app.model.files;
    if (this.file >= files.length) this.file = 0;
    this.bar.replaceChildren(...this.stages.map((s) => {
      if (!this.shown.has(s.name)) this.shown.set(s.name, s.name !== "source");
      return el("button", { "aria-pressed": String(this.shown.get(s.name)), "data-toggle": s.name,
        onclick: () => { this.shown.set(s.name, !this.shown.get(s.name)); this.update(); } }, s.label);
    }));
    if (this.app.target && this.app.target.error) this.bar.append(el("span", { class: "bad" }, this.app.target.error));
    const scrolls = new Map((this.columns || []).map((c) => [c.title, [c.list.el.scrollTop, c.list.el.scrollLeft]]));
    const typing = this.editing && this.source && this.source.editor; // it keeps its place, and so the cursor
    if (!typing) this.source = this.sourceColumn(files);
    this.columns = [this.source];
    for (const s of this.stages) {
      if (this.shown.get(s.name)) this.columns.push(new Column(s.label, s.lines, s.links, langOf(s.name), ms(s.took)));
    }
    for (const c of this.columns) {
      c.list.onhover = (i) => this.highlight("hover", c, i);
      c.list.onpick = (i) => this.highlight("pin", c, i, true);
      c.list.oncurrent = (i) => this.highlight("hover", c, i);
    }
    if (typing) while (this.columnsEl.children.length > 1) this.columnsEl.lastChild.remove();
    else this.columnsEl.replaceChildren(this.source.el);
    this.columnsEl.append(...this.columns.slice(1).map((c) => c.el));
    for (const c of this.columns) {
      const at = scrolls.get(c.title);
      if (at) [c.list.el.scrollTop, c.list.el.scrollLeft] = at;
    }
    if (this.pinned) this.pinPlaces(this.pinned, false);
  }

  sourceColumn(files) {
    const lines = files[this.file].text.replace(/\n$/, "").split("\n");
    const used = new Set();
    for (const s of this.stages) for (const l of s.links) for (let j = 0; j < l.length; j += 2) if (l[j] === this.file) used.add(l[j + 1]);
    const c = new Column("Source", lines, lines.map((_, i) => [this.file, i + 1]), "python", "");
    c.list.colour = (i) => (used.has(i + 1) ? colourOf([this.file, i + 1]) : "");
    if (files.length > 1) {
      c.head.append(el("select", { "aria-label": "Source file", disabled: this.editing,
        onchange: (e) => { this.file = e.target.selectedIndex; this.update(); } },
        ...files.map((f, i) => el("option", { selected: i === this.file }, f.name))));
    }
    if (this.app.model.live && this.file === 0) {
      c.head.append(el("button", { id: "edit", "aria-pressed": String(this.editing), onclick: () => this.toggleEdit() },
        this.editing ? "Done" : "Edit"));
    }
    if (this.editing) {
      c.editor = true;
      c.list.el.replaceWith(el("div", { class: "editor" }, this.textarea, this.errors));
    }
    return c;
  }

  toggleEdit() {
    this.editing = !this.editing;
    if (this.editing) { this.file = 0; this.textarea.value = this.app.text; }
    this.showErrors([]);
    this.update();
    if (this.editing) this.textarea.focus(); else $("edit").focus();
  }

  editKey(e) {
    if (e.key === "Escape") { e.preventDefault(); e.stopPropagation(); this.toggleEdit(); }
  }

  showErrors(list) {
    this.errors.hidden = !list.length;
    this.errors.textContent = list.join("\n");
  }

  /** highlight shows what belongs to a line of a column in all others. */
  highlight(kind, from, i, scroll = false) {
    let keys = [], own = [];
    if (i >= 0) {
      const l = from.links[i];
      for (let j = 0; j < l.length; j += 2) own.push(placeKey(l[j], l[j + 1]));
      keys = own.slice(0, 1);     // the innermost place tells lines apart that one call of a helper makes
    }
    if (kind === "pin") this.pinned = from === this.source ? own : null;
    for (const c of this.columns) {
      c[kind] = c.related(c === this.source ? own : keys);
      if (c === from && i >= 0) c[kind].add(i);
      c.list.dressAll();
      if (scroll && c !== from && c[kind].size) c.list.reveal(Math.min(...c[kind]), true);
    }
    if (kind === "pin" && i >= 0) {
      const n = this.columns.filter((c) => c !== from).map((c) => c.title + ": " + c.pin.size);
      this.app.say("linked lines – " + n.join(", "));
    }
  }

  /** pinPlaces pins the lines of places of the source. */
  pinPlaces(keys, scroll) {
    this.pinned = keys;
    for (const c of this.columns) {
      c.pin = c.related(keys);
      c.list.dressAll();
      if (scroll && c.pin.size) c.list.reveal(Math.min(...c.pin), true);
    }
  }

  /** showLine shows a line of the kernel's file. */
  showLine(line) {
    this.app.show("stages");
    if (this.file !== 0) { this.file = 0; this.update(); }
    this.pinPlaces([placeKey(0, line)], true);
    this.source.list.el.focus();
    this.source.list.move(line - 1);
  }

  /** showStage shows a line, from 0, of a stage, and what belongs to it. */
  showStage(label, i) {
    this.app.show("stages");
    const s = this.stages.find((x) => x.label === label);
    if (s && !this.shown.get(s.name)) { this.shown.set(s.name, true); this.update(); }
    const c = this.columns.find((x) => x.title === label);
    c.list.el.focus();
    c.list.reveal(i, true);
    c.list.move(i);
    this.highlight("pin", c, i, true);
  }

  search(query) {
    const found = [];
    for (const c of this.columns) {
      c.list.query = query || null;
      if (query) c.list.lines.forEach((l, i) => { if (c.list.matches(l)) found.push([c.list, i]); });
      c.list.redraw();
    }
    return found;
  }
}

// --- passes

/** applyEdits returns the text after a pass. */
function applyEdits(lines, edits) {
  const out = [];
  let at = 0;
  for (const e of edits || []) {
    for (let i = 0; i < (e.k || 0); i++) out.push(lines[at++]);
    out.push(...(e.a || []));
    at += e.r || 0;
  }
  while (at < lines.length) out.push(lines[at++]);
  return out;
}

class PassesView {
  constructor(app) {
    this.app = app;
    this.all = false;
    this.names = new CodeList("Passes", "");
    this.names.numbers = false;
    this.names.oncurrent = (i) => this.showPass(i);
    this.diff = new CodeList("What the pass changed", "mlir");
    this.diff.number = (i) => this.signs[i];
    this.diff.decorate = (i) => this.kinds[i] || "";
    this.signs = [];
    this.kinds = [];
    this.title = el("h2", {});
    this.note = el("span", { class: "note" });
    this.total = el("span", { class: "note" });
    this.only = el("input", { type: "checkbox", id: "changing", checked: true, onchange: () => this.update() });
    this.whole = el("input", { type: "checkbox", id: "whole", onchange: () => this.showPass(this.names.current) });
    $("view-passes").append(
      el("div", { class: "column narrow" }, el("div", { class: "head" }, el("h2", {}, "Passes"), this.total),
        el("div", { class: "bar" }, el("label", {}, this.only, " only those that change something")), this.names.el),
      el("div", { class: "column" }, el("div", { class: "head" }, this.title, this.note),
        el("div", { class: "bar" }, el("label", {}, this.whole, " whole text")), this.diff.el));
  }

  update() {
    const passes = this.app.target ? this.app.target.passes || [] : [];
    let text = [];
    let took = 0;
    this.steps = [];
    for (const p of passes) {
      const before = p.first ? [] : text;
      const after = applyEdits(before, p.edits);
      text = after;
      took += p.took;
      let added = 0, removed = 0;
      for (const e of p.edits || []) { added += (e.a || []).length; removed += e.r || 0; }
      this.steps.push({ pass: p, before, edits: p.edits || [], added, removed });
    }
    const only = this.only.checked;
    const shown = this.steps.filter((s) => !only || s.added || s.removed);
    this.shown = shown;
    this.total.textContent = passes.filter((p) => p.name).length + " passes, " + ms(took);
    this.names.setLines(shown.map((s) => {
      const name = s.pass.name || (s.pass.first ? "(input)" : "(conversion)");
      const change = s.added || s.removed ? "+" + s.added + " −" + s.removed : "";
      return (s.pass.stage || "").padEnd(6) + (s.pass.name ? s.pass.took.toFixed(2).padStart(6) + " ms " : " ".repeat(10)) + change.padEnd(9) + " " + name;
    }));
    if (shown.length) this.names.move(Math.min(Math.max(0, this.names.current), shown.length - 1));
    else { this.diff.setLines([]); this.title.textContent = "No pass has run"; }
  }

  showPass(i) {
    const s = this.shown && this.shown[i];
    if (!s) return;
    this.title.textContent = s.pass.name || (s.pass.first ? "Input of the passes" : "Conversion between pipelines");
    this.note.textContent = (s.pass.name ? ms(s.pass.took) + ", " : "") + "+" + s.added + " −" + s.removed + " lines";
    const lines = [], signs = [], kinds = [];
    const put = (t, sign, kind) => { lines.push(t); signs.push(sign); kinds.push(kind); };
    const keep = (list, first, last) => {
      const n = 3;
      if (this.whole.checked || list.length <= 2 * n + 1) { for (const t of list) put(t, " ", "same"); return; }
      const head = first ? 0 : n, tail = last ? 0 : n;
      for (const t of list.slice(0, head)) put(t, " ", "same");
      put("⋯ " + (list.length - head - tail) + " lines", " ", "gap");
      for (const t of list.slice(list.length - tail)) put(t, " ", "same");
    };
    let at = 0;
    for (const e of s.edits) {
      keep(s.before.slice(at, at + (e.k || 0)), at === 0, false);
      at += e.k || 0;
      for (const t of s.before.slice(at, at + (e.r || 0))) put(t, "−", "del");
      at += e.r || 0;
      for (const t of e.a || []) put(t, "+", s.pass.first ? "" : "add");
    }
    keep(s.before.slice(at), at === 0, true);
    this.signs = signs;
    this.kinds = kinds;
    this.diff.setLines(lines);
    this.diff.el.scrollTop = 0;
  }

  search(query) {
    const found = [];
    for (const l of [this.names, this.diff]) {
      l.query = query || null;
      if (query) l.lines.forEach((t, i) => { if (l.matches(t)) found.push([l, i]); });
      l.redraw();
    }
    return found;
  }
}
