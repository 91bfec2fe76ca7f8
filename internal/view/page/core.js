// Helpers, and the list that shows only the lines in sight.

const $ = (id) => document.getElementById(id);

/** el makes an element: properties beginning with "aria" or "data" and role are attributes, on* are listeners. */
function el(tag, props = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) {
    if (v === undefined || v === null) continue;
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (k === "class") e.className = v;
    else if (k.includes("-") || k === "role" || k === "for" || k === "scope") e.setAttribute(k, v);
    else e[k] = v;
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

/** put replaces the children of an element; those that are null are left out. */
const put = (e, ...children) => e.replaceChildren(...children.filter((c) => c !== null));

const ms = (t) => (t >= 100 ? t.toFixed(0) : t >= 1 ? t.toFixed(1) : t.toFixed(2)) + " ms";

/** painted waits until the page is on the screen as it is now. */
const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))));

/** idle waits until the browser has nothing else to do; Safari does not tell. */
const idle = () => new Promise((done) => window.requestIdleCallback ? requestIdleCallback(done, { timeout: 200 }) : setTimeout(done, 20));

/** placeKey makes one number of a file's index and a line. */
const placeKey = (file, line) => file * 1048576 + line;

// --- colours of text

const words = {
  python: "and as assert break class continue def del elif else except False for from global if import in is lambda None nonlocal not or pass raise return True try while with yield",
  llvm: "define declare call store load br ret icmp fcmp add sub mul fadd fmul fsub fdiv getelementptr select phi and or xor shl lshr ashr bitcast zext sext trunc insertvalue extractvalue insertelement extractelement shufflevector to label attributes target tail",
  mlir: "module func attributes public private to ins outs iter_args step loc",
};

const rules = {
  python: [[/#.*/y, "c"], [/"""[^]*?"""|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y, "s"], [/@[\w.]+/y, "n"], [/\b\d[\w.]*/y, "d"], [/[A-Za-z_]\w*/y, "?"]],
  mlir: [[/\/\/.*/y, "c"], [/"(?:[^"\\]|\\.)*"/y, "s"], [/%[\w#]+|@[\w$.]+/y, "n"], [/#[\w.]+|!?\b(?:tensor|memref|vector)<[^ ,)]*|![\w.]+/y, "t"], [/\b-?(?:0x[0-9A-Fa-f]+|\d[\d.e+-]*)\b/y, "d"], [/[A-Za-z_][\w.]*/y, "?"]],
  llvm: [[/;.*/y, "c"], [/"(?:[^"\\]|\\.)*"/y, "s"], [/[%@][-\w.$"]+/y, "n"], [/![\w.]+/y, "t"], [/\b(?:i\d+|half|bfloat|float|double|ptr|void)\b/y, "t"], [/\b0x[0-9A-Fa-f]+|\b\d[\d.e+-]*/y, "d"], [/[A-Za-z_][\w.]*/y, "?"]],
  asm: [[/\/\/.*|;.*|#.*/y, "c"], [/"(?:[^"\\]|\\.)*"/y, "s"], [/%[\w.]+|\$?L__\w+|\.L\w+/y, "n"], [/\.[\w.]+/y, "t"], [/\b(?:0[xXfF][0-9A-Fa-f]+|\d[\d.]*)\b/y, "d"], [/[A-Za-z_][\w.]*/y, ""]],
};

const known = Object.fromEntries(Object.entries(words).map(([k, v]) => [k, new Set(v.split(" "))]));

function tokens(text, lang) {
  const list = rules[lang], out = [];
  if (!list || text.length > 2000) return [["", text]];
  let plain = "";
  for (let i = 0; i < text.length;) {
    let m = null, kind = "";
    for (const [re, k] of list) {
      re.lastIndex = i;
      m = re.exec(text);
      if (m && m[0]) { kind = k; break; }
      m = null;
    }
    if (!m) { plain += text[i++]; continue; }
    if (kind === "?") kind = known[lang] && (known[lang].has(m[0]) || (lang === "mlir" && m[0].includes("."))) ? "w" : "";
    if (kind === "") plain += m[0];
    else {
      if (plain) { out.push(["", plain]); plain = ""; }
      out.push([kind, m[0]]);
    }
    i += m[0].length;
  }
  if (plain) out.push(["", plain]);
  return out;
}

// --- lists

const ROW = 18;
let lists = 0;

/** CodeList shows lines of text, of which only those in sight are elements. */
class CodeList {
  constructor(label, lang) {
    this.id = "list" + lists++;
    this.lang = lang;
    this.lines = [];
    this.rows = new Map();
    this.current = -1;
    this.numbers = true;
    this.query = null;
    this.decorate = () => "";   // classes of a line
    this.colour = () => "";     // of its mark
    this.onhover = () => {};
    this.onpick = () => {};
    this.oncurrent = () => {};
    this.inner = el("div", { class: "inner" });
    this.el = el("div", { class: "list", role: "listbox", tabIndex: 0, "aria-label": label,
      onscroll: () => this.schedule(),
      onpointermove: (e) => this.hover(this.at(e)),
      onpointerleave: () => this.hover(-1),
      onclick: (e) => { const i = this.at(e); if (i >= 0) { this.move(i, false); this.onpick(i); } },
      onkeydown: (e) => this.key(e) }, this.inner);
    new ResizeObserver(() => this.schedule()).observe(this.el);
  }

  setLines(lines) {
    this.lines = lines;
    let width = 0;
    for (const l of lines) if (l.length > width) width = l.length;
    this.inner.style.height = lines.length * ROW + "px";
    this.inner.style.width = "calc(" + (width + 4) + "ch + 5em)";
    if (this.current >= lines.length) this.current = -1;
    this.redraw();
  }

  /** redraw draws every line in sight anew. */
  redraw() {
    for (const r of this.rows.values()) r.remove();
    this.rows.clear();
    this.schedule();
  }

  schedule() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.render(); });
  }

  render() {
    const top = Math.max(0, Math.floor(this.el.scrollTop / ROW) - 10);
    const end = Math.min(this.lines.length, Math.ceil((this.el.scrollTop + this.el.clientHeight) / ROW) + 10);
    for (const [i, r] of this.rows) if (i < top || i >= end) { r.remove(); this.rows.delete(i); }
    const fresh = document.createDocumentFragment();
    for (let i = top; i < end; i++) {
      if (this.rows.has(i)) continue;
      const r = this.row(i);
      this.rows.set(i, r);
      fresh.append(r);
    }
    this.inner.append(fresh);
  }

  row(i) {
    const text = el("span", { class: "text" });
    const line = this.lines[i];
    if (this.query && this.matches(line)) this.marked(text, line);
    else for (const [kind, t] of tokens(line, this.lang)) text.append(kind ? el("span", { class: "t-" + kind }, t) : t);
    if (!line.trim()) text.append(el("span", { class: "unseen" }, "empty line")); // what a screen reader says
    const mark = el("span", { class: "mark", "aria-hidden": "true" });
    mark.style.background = this.colour(i) || "transparent";
    const r = el("div", { role: "option", id: this.id + "-" + i, "aria-posinset": i + 1,
      "aria-setsize": this.lines.length }, mark,
      this.numbers ? el("span", { class: "num", "aria-hidden": "true" }, String(this.number ? this.number(i) : i + 1)) : null, text);
    r.style.top = i * ROW + "px"; // a transform would give each row a layer's bookkeeping
    this.dress(r, i);
    return r;
  }

  /** warm makes rows that nobody sees while the browser is idle: its own first painting ends meanwhile, and the
   * code that makes rows is compiled before the reader scrolls. */
  async warm() {
    for (let i = 0; i < this.lines.length && i < 200;) {
      await idle();
      const stop = performance.now() + 6; // a frame has 16
      while (i < this.lines.length && performance.now() < stop) this.row(i++);
    }
  }

  dress(r, i) {
    const kind = this.decorate(i);
    r.className = "row " + kind + (i === this.current ? " current" : "");
    r.setAttribute("aria-selected", String(i === this.current || kind.includes("pin")));
  }

  /** dressAll updates the classes of the lines in sight. */
  dressAll() { for (const [i, r] of this.rows) this.dress(r, i); }

  matches(line) { return line.toLowerCase().includes(this.query); }

  marked(span, line) {
    const low = line.toLowerCase();
    let i = 0;
    for (let j; (j = low.indexOf(this.query, i)) >= 0; i = j + this.query.length) {
      span.append(line.slice(i, j), el("mark", {}, line.slice(j, j + this.query.length)));
    }
    span.append(line.slice(i));
  }

  at(e) {
    const i = Math.floor((e.clientY - this.inner.getBoundingClientRect().top) / ROW);
    return i >= 0 && i < this.lines.length ? i : -1;
  }

  hover(i) { if (i !== this.hovered) { this.hovered = i; this.onhover(i); } }

  move(i, scroll = true) {
    if (!this.lines.length) return;
    this.current = Math.max(0, Math.min(this.lines.length - 1, i));
    if (scroll) this.reveal(this.current);
    this.el.setAttribute("aria-activedescendant", this.id + "-" + this.current);
    this.render();
    this.dressAll();
    this.oncurrent(this.current);
  }

  /** reveal scrolls a line into sight; a line that is in sight stays where it is. */
  reveal(i, middle = false) {
    const top = i * ROW, h = this.el.clientHeight;
    if (!middle && top >= this.el.scrollTop && top + ROW <= this.el.scrollTop + h) return;
    if (!middle && top < this.el.scrollTop && top > this.el.scrollTop - 4 * ROW) this.el.scrollTop = top;
    else if (!middle && top + ROW > this.el.scrollTop + h && top < this.el.scrollTop + h + 4 * ROW) this.el.scrollTop = top + ROW - h;
    else this.el.scrollTop = Math.max(0, top - h / 3);
    this.render();
  }

  key(e) {
    const page = Math.max(1, Math.floor(this.el.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 };
    if (e.key in steps) {
      e.preventDefault();
      this.move(this.current < 0 && e.key !== "End" ? 0 : this.current + steps[e.key]);
    } else if ((e.key === "Enter" || e.key === " ") && this.current >= 0) {
      e.preventDefault();
      this.onpick(this.current);
    }
  }
}
