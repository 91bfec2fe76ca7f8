package browsertest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/nereid-lang/nereid/internal/txtest"
)

var softmax = []string{"kernels/softmax.py", "--shape", "64x1000", "in_row_stride=1000",
	"out_row_stride=1000",
	"n_cols=1000", "BLOCK_SIZE=1024", "--grid", "64"}

var matmul = []string{"kernels/matmul.py:matmul_kernel", "a_ptr=fp16[128x256]", "b_ptr=fp16[256x128]",
	"c_ptr=fp16[128x128]", "M=128", "N=128", "K=256", "stride_am=256", "stride_ak=1", "stride_bk=128",
	"stride_bn=1", "stride_cm=128", "stride_cn=1", "BLOCK_M=64", "BLOCK_N=64", "BLOCK_K=32", "GROUP_M=8",
	"--grid", "4", "--target", "cuda:90"}

// strayed is a kernel that stores without a mask.
const strayed = `import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, y_ptr, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, x * factor)
`

func strayedArgs(t *testing.T) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scale.py")
	if err := os.WriteFile(file, []byte(strayed), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{file, "x_ptr=fp32[1000]", "y_ptr=fp32[1000]", "n=1000", "factor=2.5", "BLOCK=128", "--grid",
		"cdiv(n, BLOCK)"}
}

// row is the number of a line, from 1, in a column; it exists while it is in sight. The line itself may reach
// below the next column.
func row(stage string, line int) string {
	return fmt.Sprintf(`[data-stage=%q] [aria-posinset="%d"] .num`, stage, line)
}

// pinned selects the texts of the pinned rows of a column.
func pinned(stage string) string { return fmt.Sprintf(`[data-stage=%q] .row.pin .text`, stage) }

// TestLinks: a click on a line of the source shows its lines in four stages, and one on a line of PTX its
// line of the source. The keyboard does the same.
func TestLinks(t *testing.T) {
	b := open(t, page(t, softmax...))
	b.click(row("Source", 13)) // e = tl.exp(x)
	b.has(pinned("TTIR"), "math.exp")
	b.has(pinned("TTGIR"), "math.exp", "#blocked")
	b.has(pinned("LLVM IR"), "ex2")
	b.has(pinned("PTX"), "ex2.approx")
	b.shot("stages")

	// tl.max is written in Triton: LLVM IR and PTX know the line of the library, TTIR knows who called it
	b.click(row("Source", 12))
	b.has(pinned("TTIR"), "tt.reduce", "arith.subf")
	b.has(pinned("PTX"), "shfl.sync")

	b.click(row("PTX", b.position(`[data-stage="PTX"] .row`, "shfl.sync")))
	b.has(pinned("Source"), "tl.max")

	// the same by keys: the first line, nine down, Enter
	b.do(chromedp.Focus(chromedp.CSS(`[data-stage="Source"] .list`)))
	b.do(chromedp.KeyEvent(kb.Home))
	b.until(`document.querySelector('[data-stage="Source"] .row.current')`)
	for range 9 {
		b.do(chromedp.KeyEvent(kb.ArrowDown))
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	b.has(pinned("Source"), "inside = cols < n_cols")
	b.has(pinned("TTGIR"), "arith.cmpi slt")

	// search, and the other target
	b.do(chromedp.KeyEvent("/"))
	b.until(`document.activeElement.id === "search"`)
	// the protocol types the slash as well, a keyboard does not
	eval[string](b, `document.getElementById("search").value = ""`)
	b.do(chromedp.KeyEvent("shfl"))
	b.until(`document.getElementById("matches").textContent.match(/^[1-9]\d* matches$/)`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.getElementById("matches").textContent.startsWith("1 of ")`)
	b.until(`document.querySelector('.row.current mark')`)
	eval[bool](b, `(() => { const t = document.getElementById("target"); t.value = "cpu";
		t.dispatchEvent(new Event("change")); return true; })()`)
	b.until(`document.querySelector('[data-stage="Assembly"]')`)
	b.click(row("Source", 15)) // tl.store
	b.has(pinned("linalg"), "materialize_in_destination")
	b.has(pinned("Assembly"), "vmov")
}

// TestPasses steps through the diffs of passes.
func TestPasses(t *testing.T) {
	b := open(t, page(t, softmax...))
	b.click("#tab-passes")
	const names = `#view-passes .narrow .row`
	b.has(names, "canonicalize")
	list := b.texts(names)
	if len(list) > 20 || !strings.Contains(list[1], "inline") || !strings.Contains(list[1], " ms ") {
		t.Errorf("the passes that change something are\n%s", strings.Join(list, "\n"))
	}
	b.do(chromedp.Focus(chromedp.CSS(`#view-passes .narrow .list`)))
	b.do(chromedp.KeyEvent(kb.ArrowDown)) // from the input to the first pass
	b.until(`document.querySelector("#view-passes .column:last-child h2").textContent === "inline"`)
	b.until(`[...document.querySelectorAll('#view-passes .row.del')]
		.some((e) => e.textContent.includes("tt.call"))`)
	b.until(`[...document.querySelectorAll('#view-passes .row.add')]
		.some((e) => e.textContent.includes("tt.reduce"))`)
	b.shot("passes")
	b.click("#changing")
	b.until(`document.querySelector("#view-passes .narrow [aria-setsize]").getAttribute("aria-setsize") > 40`)
}

// TestLayout draws layouts of a product: threads in registers, banks in shared memory.
func TestLayout(t *testing.T) {
	b := open(t, page(t, matmul...))
	b.click("#tab-layouts")
	pick := func(word string) {
		t.Helper()
		n := b.position(`#view-layouts .row`, word)
		b.click(fmt.Sprintf(`#view-layouts [aria-posinset="%d"] .mark`, n))
	}
	pick("64×64     #mma")
	b.until(`document.getElementById("owner").textContent === "element (0, 0): register 0, thread 0, warp 0"`)
	b.do(chromedp.Focus(chromedp.CSS("#layout")))
	for range 2 {
		b.do(chromedp.KeyEvent(kb.ArrowRight)) // right: the next thread of an m64n64 tile holds it
	}
	b.until(`document.getElementById("owner").textContent === "element (0, 2): register 0, thread 1, warp 0"`)
	// a colour for each of 32 threads
	b.until(`(() => { const c = document.getElementById("layout");
		const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, seen = new Set();
		for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
		return seen.size >= 32; })()`)
	b.shot("layouts")
	pick("#shared")
	b.until(`/^element \(0, 0\): offset 0, bank 0/.test(document.getElementById("owner").textContent)`)
	b.until(`document.getElementById("layout-by").value === "bank"`)
}

// TestStray finds an access out of bounds in the heat map, and the line that does it.
func TestStray(t *testing.T) {
	b := open(t, page(t, strayedArgs(t)...))
	b.click("#tab-run")
	b.equal(`[data-tensor="y_ptr"] .oob`, "indices 1000 to 1023 of y_ptr, which has 1000 elements: "+
		"store at scale.py:9, program (7, 0, 0)")
	b.equal(`[data-tensor="x_ptr"] .oob`) // its load has a mask
	red := `(() => { const c = document.querySelector('[data-tensor="y_ptr"] canvas');
		const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
		let n = 0;
		for (let i = 0; i < d.length; i += 4) if (d[i] === 0xd0 && d[i + 1] === 0 && d[i + 2] === 0x20) n++;
		return n; })()`
	b.until(red + ` > 0`)
	b.shot("run")
	// the first program alone is in bounds
	b.do(chromedp.Focus(chromedp.CSS("#grid")))
	b.do(chromedp.KeyEvent(kb.ArrowRight))
	b.until(`document.getElementById("program").textContent.startsWith("program (0, 0, 0): 256 elements")`)
	b.until(`document.querySelector('[data-tensor="y_ptr"] p').textContent.includes("stored 128 of 1,000")`)
	b.until(red + ` === 0`)
	b.click("#view-run .bar button")
	b.click(`[data-tensor="y_ptr"] .oob`)
	b.until(`document.getElementById("tab-stages").getAttribute("aria-selected") === "true"`)
	b.has(pinned("Source"), "tl.store(y_ptr + i, x * factor)")
}

// faulty has a NaN in its second program, and its programs store different values to one place.
const faulty = `import triton
import triton.language as tl


@triton.jit
def normed(x_ptr, y_ptr, last_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = row * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i * 2)
    total = tl.sum(x * (1 - row))
    scale = total / total
    tl.store(y_ptr + i, x * scale)
    tl.store(last_ptr, row)
`

func faultyArgs(t *testing.T) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "normed.py")
	if err := os.WriteFile(file, []byte(faulty), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{file, "x_ptr=fp32[256]:ones", "y_ptr=fp32[128]", "last_ptr=i32[1]", "BLOCK=64",
		"--grid", "2"}
}

// TestFindings: a race is linked to both lines, and a NaN leads to the line where the first one appears.
func TestFindings(t *testing.T) {
	b := open(t, page(t, faultyArgs(t)...))
	b.click("#tab-run")
	b.until(`document.querySelector('[data-kind="race"]') && document.querySelector('[data-kind="NaN"]')`)
	b.has(`[data-kind="race"] p`, "program (0, 0, 0) stores to index 0 of last_ptr",
		"program (1, 0, 0) stores another value to it")
	b.equal(`[data-kind="race"] button`, "normed.py:13", "normed.py:13") // both lines
	b.has(`[data-kind="NaN"] p`,
		"64 elements of y_ptr are NaN after the launch, the first at index 64")
	b.click(`[data-kind="race"] button`)
	b.has(pinned("Source"), "tl.store(last_ptr, row)")
	b.click("#tab-values")
	b.until(`document.querySelector("#view-values h2").textContent === "Program (1, 0, 0)"`)
	b.has(`#view-values .first`, "first NaN: line 11")
	b.until(`document.querySelector("#view-values .pane h2").textContent.startsWith("scale: f32")`)
	b.do(chromedp.Focus(chromedp.CSS(`#view-values .list`)))
	b.do(chromedp.KeyEvent(kb.Home))
	b.until(`document.querySelector("#view-values .pane h2").textContent.startsWith("row: i32")`)
	b.do(chromedp.KeyEvent(kb.ArrowDown))
	b.until(`document.querySelector("#view-values .pane h2").textContent.startsWith("i: ")`)
	b.until(`document.querySelector("#view-values .histogram")`)
	b.shot("values")
}

// TestCost: lines with what they cost, a roofline, and the pipeline of a loop as a chart.
func TestCost(t *testing.T) {
	b := open(t, page(t, matmul...))
	b.click("#tab-cost")
	// four programs load 64x256 elements of 2 bytes of each matrix, and multiply 64x64x256
	b.has(`[data-place="matmul.py:40"] td`, "a = tl.load(", "128.0 KiB", "4,096")
	b.has(`[data-place="matmul.py:42"] td`, "tl.dot(", "8.39 M")
	b.has(`#roofline p`, "operations a byte", "of its tensor cores, by memory")
	b.do(chromedp.Focus(chromedp.CSS("#chart")))
	b.do(chromedp.KeyEvent(kb.ArrowRight))
	b.until(`/^warp 0: copy to shared memory of line 40, 2 instructions, from \d+ to \d+$/.test(
		document.getElementById("mark").textContent)`)
	b.shot("cost")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.has(pinned("Source"), "a = tl.load(")

	// every other element: twice the sectors that the bytes fill
	b = open(t, page(t, faultyArgs(t)...))
	b.click("#tab-cost")
	b.until(`document.querySelector('[data-place="normed.py:9"] td.bad').textContent.includes("(2.0×)")`)
}

// TestScopeChart: scopes that a GPU measured, warp by warp, and a table of them; and the time of the CPU by
// line.
func TestScopeChart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scopes.json")
	const event = `{"ph":"X","pid":1,"tid":1,"cat":%q,"name":%q,"ts":%d,"dur":%d,` +
		`"args":{"kernel":"matmul_kernel","device":"cuda:0","sm":%d,"block":%d,"warp":%d,"cycles":%d}}` + "\n"
	text := fmt.Sprintf(event, "kernel", "matmul_kernel", 100, 30, 0, 0, 0, 0)
	for block := range 2 {
		for warp := range 4 {
			text += fmt.Sprintf(event, "scope", "program", 101, 20+warp, 7+block, block, warp, 40000) +
				fmt.Sprintf(event, "scope", "loop", 103, 16, 7+block, block, warp, 32000)
		}
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	b := open(t, page(t, append([]string{"--scopes", file, "--target", "cpu"}, matmul...)...))
	b.click("#tab-cost")
	b.until(`document.querySelector("#scope-chart p").textContent.includes("which took 30.00 µs")`)
	b.until(`document.querySelector('[data-scope="loop"]').textContent === "loop832,00032,00032,00016.00"`)
	b.do(chromedp.Focus(chromedp.CSS("#scopes")))
	b.do(chromedp.KeyEvent(kb.ArrowRight + kb.ArrowRight))
	b.until(`document.getElementById("scope-mark").textContent ===
		"loop: block 0, warp 0, from 2.000 µs, 16.00 µs, 32,000 cycles"`)
	b.do(chromedp.SetValue(chromedp.CSS("#scope-sm"), "8"))
	b.until(`(document.getElementById("scope-sm").dispatchEvent(new Event("change")),
		document.getElementById("scopes").getAttribute("aria-label").includes("4 warps of multiprocessor 8"))`)
	b.shot("scopes")
	if eval[bool](b, `document.querySelector("#cpu-time p.bad") !== null`) {
		t.Log("no time by line here: ", eval[string](b, `document.querySelector("#cpu-time p.bad").textContent`))
		return
	}
	b.until(`document.querySelector('#cpu-time [data-time^="matmul.py:"] td.n').textContent.endsWith(" %")`)
}

// TestMemory: registers by line of PTX and shared memory by line of TTGIR, each linked to its line.
func TestMemory(t *testing.T) {
	b := open(t, page(t, matmul...))
	b.click("#tab-memory")
	b.until(`document.getElementById("registers") && document.getElementById("shared")`)
	// two operands of 64x32 and 32x64 halves in three stages; the result changes its layout in their bytes
	b.has(`#view-memory p`, "Registers of 32 bits", "24.0 KiB in 3 buffers")
	b.do(chromedp.Focus(chromedp.CSS("#shared")))
	b.do(chromedp.KeyEvent(kb.ArrowRight))
	b.until(`/^bytes \d+ to \d+ \(12.0 KiB\), lines \d+ to \d+ of TTGIR: %a = ttg.local_alloc/.test(
		document.getElementById("shared-info").textContent)`)
	b.shot("memory")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.has(pinned("TTGIR"), "%a = ttg.local_alloc")
	b.has(pinned("Source"), "a = tl.load(")
	b.click("#tab-memory")
	b.do(chromedp.Focus(chromedp.CSS("#registers")))
	b.do(chromedp.KeyEvent(kb.End))
	b.until(`/^line \d+: 0 registers: ret;/.test(document.getElementById("registers-info").textContent)`)
	b.until(`Number(document.querySelector('#register-lines [data-line="42"] td.n').textContent) >= 32`)
}

// TestBeside: two configs of a kernel beside each other in a file; another release, another kernel and the
// text before an edit in a served page.
func TestBeside(t *testing.T) {
	b := open(t, page(t, append(slices.Clone(softmax), "--beside-config", "BLOCK_SIZE=2048 num_warps=8")...))
	b.click("#tab-beside")
	figure := func(name string) string { return fmt.Sprintf(`[data-figure=%q] td`, name) }
	// each of 4, then 8, warps leaves one float for the others
	b.equal(figure("shared memory"), "16 B", "32 B", "2.000×")
	b.equal(figure("bytes loaded"), "250.0 KiB", "250.0 KiB", "the same")
	if n := b.texts(figure("instructions of warps on sim:90")); len(n) != 3 || n[2] == "the same" {
		t.Errorf("instructions of warps: %v, want more for twice as many warps", n)
	}
	b.has("#beside-figures th[scope=col]", "softmax.py:softmax_kernel (BLOCK_SIZE=1024, num_warps=4)",
		"softmax.py:softmax_kernel (BLOCK_SIZE=2048, num_warps=8)")
	b.click(`[data-stage-of="TTIR"]`)
	const left, right = "#beside-left .row.del .text", "#beside-right .row.add .text"
	b.has(left, "tensor<1024xi32>")
	b.has(right, "tensor<2048xi32>")
	b.click(`[data-stage-of="source"]`)
	b.until(`document.getElementById("differences").textContent === "no difference"`)
	b.click(`[data-stage-of="PTX"]`)
	b.until(`/^\d+ lines differ/.test(document.getElementById("differences").textContent)`)
	b.shot("beside")
	// both lists scroll together
	b.click("#only")
	b.until(`document.getElementById("beside-left").scrollHeight > 2000`)
	eval[bool](b, `(document.getElementById("beside-left").scrollTop = 400, true)`)
	b.until(`document.getElementById("beside-right").scrollTop === 400`)

	b = open(t, serve(t, append(strayedArgs(t), "--target", "cuda:90")...))
	b.click("#tab-beside")
	eval[bool](b, `(document.getElementById("beside-config").value = "BLOCK=256", true)`)
	b.click("#beside-go")
	b.until(`document.getElementById("beside-figures")`)
	b.has(`#view-beside .head h2`, "scale.py:scale (BLOCK=128)", "scale.py:scale (BLOCK=256)")
	eval[bool](b, `(document.getElementById("beside-config").value = "BLOCKS=256", true)`)
	b.click("#beside-go")
	b.until(`document.getElementById("status").textContent.includes("scale has no parameter BLOCKS")`)
	eval[bool](b, `(document.getElementById("beside-config").value = "",
		document.getElementById("beside-triton").value = "3.9", true)`)
	b.click("#beside-go")
	b.until(`document.querySelector("#view-beside .column:last-child h2").textContent ===
		"scale.py:scale (Triton 3.9)"`)
	// an edit beside the text before it
	b.click("#beside-keep")
	b.click("#tab-stages")
	b.click("#edit")
	eval[bool](b, `(() => { const a = document.querySelector("textarea");
		a.value = a.value.replace("x * factor", "x + factor");
		a.dispatchEvent(new Event("input")); return true; })()`)
	b.until(`document.documentElement.dataset.compiled === "1"`)
	b.click("#tab-beside")
	b.click(`[data-stage-of="TTIR"]`)
	b.has(left, "arith.addf")
	b.has(right, "arith.mulf")
}

// TestEdit edits the kernel in the page and sees all stages anew, faults of the text included.
func TestEdit(t *testing.T) {
	b := open(t, serve(t, strayedArgs(t)...))
	b.click("#edit")
	edit := func(from, to string) {
		t.Helper()
		eval[bool](b, fmt.Sprintf(`(() => { const a = document.querySelector("textarea");
			a.value = a.value.replace(%q,
				%q); a.dispatchEvent(new Event("input")); return true; })()`, from, to))
	}
	edit("x * factor)", "tl.exp(x), mask=i < n)")
	b.until(`document.documentElement.dataset.compiled === "1"`)
	status := eval[string](b, `document.getElementById("status").textContent`)
	t.Log(status)
	b.click("#edit")
	b.click(row("Source", 9))
	b.has(pinned("TTIR"), "math.exp")
	b.has(pinned("PTX"), "ex2.approx")
	b.click("#tab-run")
	b.until(`document.querySelector('[data-tensor="y_ptr"]') && !document.querySelector(".oob")`)

	b.click("#tab-stages")
	b.click("#edit")
	edit("tl.exp(x)", "tl.exp(z)")
	b.until(`!document.querySelector("pre.errors").hidden`)
	b.has(`pre.errors`, "scale.py:9:", "z")
	b.has("#status", "not compiled")
	edit("tl.exp(z)", "x")
	b.until(`document.documentElement.dataset.compiled === "2" && document.querySelector("pre.errors").hidden`)
}

// tabs are the views of the page, in the order of their keys.
var tabs = []string{"stages", "passes", "layouts", "run", "values", "cost", "memory", "beside"}

// everyTab shows each view in both colour schemes, by keys.
func (b *browser) everyTab(look func(scheme, tab string)) {
	b.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		if err != nil {
			b.t.Fatal(err)
		}
		for i, tab := range tabs {
			b.do(chromedp.Focus(chromedp.CSS("#tab-stages")))
			b.do(chromedp.KeyEvent(fmt.Sprint(i + 1)))
			b.until(fmt.Sprintf(`!document.getElementById("view-%s").hidden`, tab))
			b.drawn()
			look(scheme, tab)
		}
	}
}

// TestAxe has axe-core look at every view: the rules of WCAG 2.2, level AA, and what it holds good practice.
func TestAxe(t *testing.T) {
	text, err := os.ReadFile(txtest.Installed(t, "axe-core", "node/node_modules/axe-core/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, page(t, append(strayedArgs(t), "--beside-config", "BLOCK=64")...))
	eval[bool](b, string(text)+"; true")
	passed := map[string]bool{}
	b.everyTab(func(scheme, tab string) {
		found, err := chromedp.Run(b.ctx, chromedp.Evaluate[axeResult](axeRun, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range found.Violations {
			t.Errorf("%s, %s: %s", scheme, tab, v)
		}
		for _, p := range found.Passes {
			passed[p] = true
		}
	})
	t.Logf("%d rules held: %s", len(passed), strings.Join(slices.Sorted(maps.Keys(passed)), ", "))
	for _, rule := range []string{"color-contrast", "aria-required-children", "label", "button-name"} {
		if !passed[rule] {
			t.Errorf("the rule %s was not tried", rule)
		}
	}
}

// axeResult is what a run of axe-core found.
type axeResult struct{ Violations, Passes []string }

const axeRun = `axe.run(document, { resultTypes: ["violations", "passes"] }).then((r) => ({
	Passes: r.passes.map((p) => p.id),
	Violations: r.violations.flatMap((v) => v.nodes.slice(0, 3).map((n) =>
		v.id + " (" + v.impact + "): " + n.failureSummary.replace(/\s+/g, " ") + " " + n.html.slice(0, 150))),
}))`

// TestAccess: what the page is for those who do not see it or use no mouse. Every control has a name, text
// has a contrast of 4.5 at least in both colour schemes, ids are unique, and the tabs follow the pattern of
// ARIA.
func TestAccess(t *testing.T) {
	b := open(t, page(t, append(strayedArgs(t), "--beside-config", "BLOCK=64")...))
	b.everyTab(func(scheme, tab string) {
		for _, fault := range eval[[]string](b, accessFaults) {
			t.Errorf("%s, %s: %s", scheme, tab, fault)
		}
	})
}

// accessFaults is a function of the page: what is wrong with what it shows.
const accessFaults = `(() => {
	const faults = [];
	const seen = (e) => e.getClientRects().length > 0;
	const name = (e) => (e.getAttribute("aria-label") || e.textContent ||
		(e.labels && [...e.labels].map((l) => l.textContent).join()) || "").trim();
	const ids = new Set();
	for (const e of document.querySelectorAll("[id]")) {
		if (ids.has(e.id)) faults.push("two elements have the id " + e.id);
		ids.add(e.id);
	}
	for (const e of document.querySelectorAll("button, select, input, textarea, canvas, [role=listbox]")) {
		if (seen(e) && !name(e)) faults.push("no name: " + e.outerHTML.slice(0, 100));
		if (seen(e) && e.matches("canvas, [role=listbox]") && e.tabIndex < 0)
			faults.push("no key gets to " + e.outerHTML.slice(0, 100));
	}
	const tabs = [...document.querySelectorAll("[role=tab]")];
	if (tabs.filter((t) => t.tabIndex === 0).length !== 1) faults.push("not one tab can be tabbed to");
	for (const t of tabs) {
		const panel = document.getElementById(t.getAttribute("aria-controls"));
		if (panel.hidden === (t.getAttribute("aria-selected") === "true")) faults.push("wrong panel for " + t.id);
	}
	for (const e of document.querySelectorAll("[aria-activedescendant]")) {
		if (seen(e) && !document.getElementById(e.getAttribute("aria-activedescendant")))
			faults.push("the current row of " + e.getAttribute("aria-label") + " is not there");
	}
	const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number);
		return m.length > 3 && m[3] === 0 ? null : m.slice(0, 3); };
	const light = (c) => {
		const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const back = (e) => {
		for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c) return c; }
		return [255, 255, 255]; };
	const bad = new Set();
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.textContent.trim() || !seen(e) || e.matches("script, style, option")) continue;
		const a = light(parse(getComputedStyle(e).color)), b = light(back(e));
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5)
			bad.add("contrast " + contrast.toFixed(2) + " of " + e.className + " in " +
				e.parentElement.className + ": " + e.textContent.slice(0, 30));
	}
	return faults.concat([...bad].slice(0, 5));
})()`
