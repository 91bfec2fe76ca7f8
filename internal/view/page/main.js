// The page: tabs, target, search, keys, and what the reader edits.

class App {
  constructor(model) {
    this.model = model;
    this.text = model.files[0].text;
    this.stages = new StagesView(this);
    this.views = { stages: this.stages, passes: new PassesView(this), layouts: new LayoutsView(this), run: new RunView(this),
      values: new ValuesView(this), cost: new CostView(this), memory: new MemoryView(this), beside: new BesideView(this) };
    this.view = "stages";
    this.fresh = {};
    this.found = [];
    this.match = -1;
    this.chooseTargets(0);
    for (const name of Object.keys(this.views)) {
      $("tab-" + name).addEventListener("click", () => this.show(name));
      $("tab-" + name).addEventListener("keydown", (e) => this.tabKey(e));
    }
    $("target").addEventListener("change", (e) => { this.choose(e.target.selectedIndex); });
    $("search").addEventListener("input", () => this.search());
    $("search").addEventListener("keydown", (e) => {
      if (e.key === "Enter") { e.preventDefault(); this.next(e.shiftKey ? -1 : 1); }
      if (e.key === "Escape") { e.target.value = ""; this.search(); e.target.blur(); }
    });
    document.addEventListener("keydown", (e) => this.key(e));
    this.say(model.took ? "compiled in " + ms(model.took) : "");
    this.refresh();
    this.warm();
  }

  /** warm prepares for scrolling once the page is in sight, and then calls it ready. */
  async warm() {
    await painted();
    for (const c of this.stages.columns) await c.list.warm();
    document.documentElement.dataset.ready = "1";
  }

  chooseTargets(i) {
    $("target").replaceChildren(...this.model.targets.map((t) => el("option", {}, t.name)));
    $("target").selectedIndex = i;
    this.target = this.model.targets[i];
  }

  choose(i) {
    this.target = this.model.targets[i];
    this.refresh();
  }

  /** refresh has every view drawn anew when it is shown next. */
  refresh() {
    this.fresh = {};
    this.draw();
  }

  draw() {
    if (!this.fresh[this.view]) {
      this.views[this.view].update();
      this.fresh[this.view] = true;
    }
    this.search();
  }

  show(name) {
    if (name === this.view) return;
    this.view = name;
    for (const n of Object.keys(this.views)) {
      $("view-" + n).hidden = n !== name;
      $("tab-" + n).setAttribute("aria-selected", String(n === name));
      $("tab-" + n).tabIndex = n === name ? 0 : -1;
    }
    this.draw();
  }

  tabKey(e) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    const names = Object.keys(this.views);
    const name = names[(names.indexOf(this.view) + step + names.length) % names.length];
    this.show(name);
    $("tab-" + name).focus();
  }

  key(e) {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName);
    if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "/") { e.preventDefault(); $("search").focus(); $("search").select(); }
    else if (e.key === "n") this.next(1);
    else if (e.key === "N") this.next(-1);
    else if ("12345678".includes(e.key)) this.show(Object.keys(this.views)[e.key - 1]);
    else if (e.key === "e" && this.view === "stages" && $("edit")) { e.preventDefault(); this.stages.toggleEdit(); }
  }

  search() {
    const q = $("search").value.toLowerCase();
    if (q === "" && !this.query) return;
    this.query = q;
    this.found = this.views[this.view].search(q);
    this.match = -1;
    $("matches").textContent = q ? this.found.length + (this.found.length === 1 ? " match" : " matches") : "";
  }

  next(step) {
    if (!this.found.length) return;
    this.match = (this.match + step + this.found.length) % this.found.length;
    const [list, i] = this.found[this.match];
    list.move(i);
    list.reveal(i, true);
    $("matches").textContent = this.match + 1 + " of " + this.found.length;
  }

  say(text, bad = false) {
    $("status").textContent = text;
    $("status").className = bad ? "bad" : "";
  }

  // --- editing

  edited(text) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.compile(text), 60);
  }

  async post(path, text) {
    const r = await fetch(path, { method: "POST", body: text, signal: this.abort.signal,
      headers: { "X-Nereid-Token": this.model.token, "Content-Type": "text/plain" } });
    if (!r.ok) throw new Error(await r.text());
    return r.json();
  }

  /** compile has the text compiled, for the target in sight first, and then run. */
  async compile(text) {
    if (this.abort) this.abort.abort();
    this.abort = new AbortController();
    const start = performance.now();
    const names = this.model.targets.map((t) => t.name), seen = this.target.name;
    const rest = names.filter((n) => n !== seen);
    try {
      const m = await this.post("/compile?target=" + encodeURIComponent(seen), text);
      if (m.errors) {
        this.stages.showErrors(m.errors);
        this.say("not compiled: the stages are those before", true);
        return;
      }
      this.text = text;
      this.stages.showErrors([]);
      this.take(m);
      this.say("compiled in " + ms(m.took) + ", shown after " + ms(performance.now() - start));
      document.documentElement.dataset.compiled = String(Number(document.documentElement.dataset.compiled || 0) + 1);
      if (rest.length) {
        const others = await this.post("/compile?" + rest.map((n) => "target=" + encodeURIComponent(n)).join("&"), text);
        if (!others.errors) this.take(others);
      }
      if (this.model.run) {
        this.model.run = await this.post("/run", text);
        this.stale("run");
        if (this.model.values) await this.fetchValues(this.model.values.program, text);
        this.model.cost = await this.post("/cost", text);
        this.stale("cost");
        this.stale("beside");
      }
    } catch (e) {
      if (e.name !== "AbortError") this.say("no answer: " + e.message, true);
    }
  }

  /** stale has a view drawn anew, now if it is in sight. */
  stale(view) {
    this.fresh[view] = false;
    if (this.view === view) this.draw();
  }

  /** fetchValues shows the values of another program. */
  async fetchValues(program, text = this.text) {
    if (!this.abort) this.abort = new AbortController();
    this.model.values = await this.post("/values?program=" + program, text);
    this.stale("values");
  }

  /** take puts the targets of an answer in the place of those before. */
  take(m) {
    const files = this.model.files;
    files[0] = m.files[0];
    const at = m.files.map((f) => {
      const i = files.findIndex((x) => x.name === f.name);
      return i >= 0 ? i : files.push(f) - 1;
    });
    for (const t of m.targets) {
      for (const s of t.stages) for (const l of s.links) for (let j = 0; j < l.length; j += 2) l[j] = at[l[j]];
      this.model.targets[this.model.targets.findIndex((x) => x.name === t.name)] = t;
      if (t.name === this.target.name) { this.target = t; this.refresh(); }
    }
  }
}

new App(JSON.parse($("data").textContent));
