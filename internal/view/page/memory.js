// What a program keeps over its lines: registers by line of PTX, shared memory by line of TTGIR.

/** chartCanvas makes a canvas of marks that pointer and arrow keys go through. box gives a mark's rectangle, tell says what it is. */
function chartCanvas({ id, label, w, h, marks, box, colour, tell, pick, back }) {
  const scale = window.devicePixelRatio || 1;
  const c = el("canvas", { role: "img", tabIndex: 0, id, "aria-label": label });
  c.width = w * scale; c.height = h * scale;
  c.style.width = w + "px"; c.style.height = h + "px";
  const g = c.getContext("2d");
  const info = el("output", { id: id + "-info", "aria-live": "polite" });
  let at = -1;
  const paint = () => {
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, w, h);
    g.font = "12px sans-serif";
    const text = getComputedStyle(document.body).color;
    g.fillStyle = text;
    back(g);
    marks.forEach((m, i) => {
      const [x, y, bw, bh] = box(m);
      g.fillStyle = colour(m);
      g.fillRect(x, y, bw, bh);
      if (i === at) { g.strokeStyle = text; g.lineWidth = 2; g.strokeRect(x - 1, y - 1, bw + 2, bh + 2); }
    });
  };
  const choose = (i) => {
    at = Math.max(0, Math.min(marks.length - 1, i));
    info.textContent = tell(marks[at]);
    paint();
  };
  const find = (e) => {
    const r = c.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
    for (let i = marks.length - 1; i >= 0; i--) {
      const [a, b, bw, bh] = box(marks[i]);
      if (x >= a - 0.5 && x <= a + bw + 0.5 && y >= b && y <= b + bh) return i;
    }
    return -1;
  };
  c.addEventListener("pointermove", (e) => { const i = find(e); if (i >= 0 && i !== at) choose(i); });
  c.addEventListener("click", (e) => { const i = find(e); if (i >= 0) pick(marks[i]); });
  c.addEventListener("keydown", (e) => {
    const d = { ArrowRight: 1, ArrowLeft: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 }[e.key];
    if (d) { e.preventDefault(); choose(at + d); }
    if (e.key === "Enter" && at >= 0) pick(marks[at]);
  });
  paint();
  return [info, el("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": label }, c)];
}

class MemoryView {
  constructor(app) {
    this.app = app;
    this.root = $("view-memory");
    this.pane = el("div", { class: "pane" });
    this.root.append(this.pane);
  }

  stage(name) { return this.app.target && this.app.target.stages.find((s) => s.name === name); }

  update() {
    const t = this.app.target;
    if (!t || !this.stage("ttgir")) {
      put(this.pane, el("p", {}, "Registers and shared memory are shown for GPUs: choose another target."));
      return;
    }
    const ptx = this.stage("ptx");
    put(this.pane, ...this.registers(t), ...this.shared(t), ptx && t.memory.registers ? this.byLine(ptx, t.memory.registers) : null);
  }

  registers(t) {
    const ptx = this.stage("ptx"), live = t.memory.registers;
    if (!ptx || !live) {
      const own = (t.figures || []).filter((f) => f.name.includes("registers"));
      return [el("h2", {}, "Registers"), el("p", {}, "By line they are known for PTX. The whole program has " + own.map((f) => f.value + " " + f.name).join(", ") + ".")];
    }
    const marks = [];
    live.forEach((n, i) => { if (n >= 0) marks.push({ n, i }); });
    marks.forEach((m, k) => { m.k = k; });
    const most = Math.max(1, ...marks.map((m) => m.n)), left = 46, high = 180;
    const unit = Math.max(0.4, Math.min(8, 1200 / marks.length)), w = Math.ceil(left + marks.length * unit + 10);
    const peak = marks.find((m) => m.n === most);
    const chart = chartCanvas({ id: "registers", w, h: high + 12, marks,
      label: "Registers in use after each of " + marks.length + " instructions of PTX, at most " + most + "; arrow keys go through them",
      box: (m) => [left + m.k * unit, 6 + high * (1 - m.n / most), Math.max(0.4, unit - (unit > 2 ? 0.5 : 0)), high * m.n / most],
      colour: (m) => colourOf(ptx.links[m.i]) || "hsl(215 10% 55%)",
      tell: (m) => "line " + (m.i + 1) + ": " + m.n + " registers: " + ptx.lines[m.i].trim().slice(0, 100),
      pick: (m) => this.app.stages.showStage(ptx.label, m.i),
      back: (g) => { g.fillText(String(most), 4, 16); g.fillText("0", 4, high + 8); } });
    return [el("h2", {}, "Registers"),
      el("p", {}, "Registers of 32 bits whose values are read later, after each instruction of PTX: " + most + " at most, at line " + (peak.i + 1) + ". The assembler orders instructions anew; the machine code may have more or fewer. A bar's colour is that of its line of the kernel."),
      ...chart];
  }

  /** byLine has, for each line of the kernel, the most registers that are in use at one of its instructions. */
  byLine(ptx, live) {
    const most = new Map(), source = this.app.model.files[0].text.split("\n");
    live.forEach((n, i) => {
      const l = ptx.links[i];
      for (let j = l.length - 2; n >= 0 && j >= 0; j -= 2) {
        if (l[j] === 0) { most.set(l[j + 1], Math.max(n, most.get(l[j + 1]) || 0)); break; }
      }
    });
    const rows = [...most].sort((a, b) => a[0] - b[0]).map(([line, n]) => el("tr", { "data-line": line },
      el("td", {}, el("button", { onclick: () => this.app.stages.showLine(line) }, "line " + line)),
      el("td", { class: "code" }, (source[line - 1] || "").trim().slice(0, 90)), el("td", { class: "n" }, String(n))));
    return el("table", { id: "register-lines" }, el("caption", {}, "Registers by line of the kernel"), el("thead", {}, el("tr", {}, ...["place", "source", "registers at most"].map((h) => el("th", { scope: "col" }, h)))),
      el("tbody", {}, ...rows));
  }

  shared(t) {
    const ttgir = this.stage("ttgir"), list = t.memory.buffers || [];
    if (!list.length) return [el("h2", {}, "Shared memory"), el("p", {}, "The program uses none.")];
    const n = ttgir.lines.length, left = 70, high = 220, w = 1000, size = t.memory.shared;
    const X = (line) => left + (line - 1) / n * (w - left - 10), Y = (b) => 8 + b / size * high;
    const marks = list.map((b, i) => ({ ...b, i }));
    const chart = chartCanvas({ id: "shared", w, h: high + 30, marks,
      label: list.length + " buffers of shared memory, " + size + " bytes, over the lines of TTGIR; arrow keys go through them",
      box: (b) => [X(b.from), Y(b.lo), Math.max(3, X(b.to + 1) - X(b.from)), Math.max(2, Y(b.hi) - Y(b.lo) - 1)],
      colour: (b) => colourOf(ttgir.links[b.at - 1] || []) || "hsl(" + (b.i * 67) % 360 + " 50% 55%)",
      tell: (b) => "bytes " + b.lo + " to " + (b.hi - 1) + " (" + bytesText(b.hi - b.lo) + "), lines " + b.from + " to " + b.to + " of TTGIR: " + ttgir.lines[b.at - 1].trim().slice(0, 100),
      pick: (b) => this.app.stages.showStage(ttgir.label, b.at - 1),
      back: (g) => { g.fillText("0", 4, 16); g.fillText(bytesText(size), 4, high + 8); g.fillText("line 1", left, high + 24); g.fillText("line " + n, w - 60, high + 24); } });
    return [el("h2", {}, "Shared memory"),
      el("p", {}, bytesText(size) + " in " + list.length + (list.length === 1 ? " buffer" : " buffers") + ": from left to right the lines of TTGIR during which each is in use, from top to bottom its bytes. Buffers that are not in use at the same time may have the same bytes."),
      ...chart];
  }

  search() { return []; }
}
