package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// plain is a page with a list to scroll and nothing else, ready when the browser has settled: a late frame of
// it is the machine's.
const plain = `<!DOCTYPE html><html><body><div data-stage="PTX">
<div class="list" style="height: 800px; overflow: auto"><div style="height: 104000px">text</div></div></div>
<script>setTimeout(() => { document.documentElement.dataset.ready = "1"; }, 500)</script></body></html>`

// scrolled is the first scroll of a fresh page.
type scrolled struct {
	longest float64 // of its frames, in ms
	begin   float64 // the first ten frames together
	busy    float64 // processor time of the page's own thread for a frame, in the mean
}

// interval is the time of a frame, in ms.
const interval = 1000.0 / 60

// TestScroll scrolls through PTX of more than 5,000 lines, in a page just opened: a frame must not take more
// processor time than there is between two frames, or the page could not keep up on an idle machine either.
// Whatever else the machine does can only make it more, so that one of up to six pages must pass.
//
// With SCROLL_PAGES=20, on an idle machine, it is about frames as they are seen: none of so many pages may
// have one of more than 50 ms, and the first ten together take no longer, in the median, than those of a
// plain page and a fifth. Code that is compiled late and rows that cost too much fail here.
func TestScroll(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plain.html")
	if err := os.WriteFile(file, []byte(plain), 0o644); err != nil {
		t.Fatal(err)
	}
	control, ours := "file://"+file, page(t, "--target", "cuda:90", "--no-run", longKernel(t), "x_ptr=fp32[64]")
	b := blank(t)
	if pages, err := strconv.Atoi(os.Getenv("SCROLL_PAGES")); err == nil {
		b.scrollPages(control, ours, pages)
		return
	}
	for range 6 {
		s := b.firstScroll(ours)
		t.Logf("%.1f ms of processor time a frame, longest frame %.1f", s.busy, s.longest)
		if s.busy <= interval {
			return
		}
	}
	t.Errorf("a frame takes more than %.1f ms of processor time", interval)
}

// scrollPages scrolls through a number of pages just opened, each behind the control, a plain one.
func (b *browser) scrollPages(control, ours string, pages int) {
	b.t.Helper()
	for try := 0; try < 5 && b.firstScroll(control).longest > 2.01*interval; try++ {
		// the browser itself is still starting
	}
	var fulls, plains []float64
	late := 0
	for range pages {
		empty, full := b.firstScroll(control), b.firstScroll(ours)
		b.t.Logf("longest frame %.1f ms, first ten %.0f ms; plain page %.1f and %.0f", full.longest,
			full.begin, empty.longest, empty.begin)
		fulls, plains = append(fulls, full.begin), append(plains, empty.begin)
		if full.longest > 50.5 { // three intervals of the screen are 50.0 or 50.1
			late++
		}
	}
	slices.Sort(fulls)
	slices.Sort(plains)
	if m, p := fulls[pages/2], plains[pages/2]; m > 1.2*p {
		b.t.Errorf("the first ten frames take %.0f ms in the median, of a plain page %.0f", m, p)
	}
	if late > 0 {
		b.t.Errorf("%d of %d pages have a frame over 50 ms", late, pages)
	}
}

// firstScroll opens a page in a new tab, scrolls from its top to its end, and closes it.
func (b *browser) firstScroll(address string) scrolled {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	defer cancel()
	tab := &browser{t: b.t, ctx: ctx}
	tab.do(chromedp.Navigate(address))
	tab.until(`document.documentElement.dataset.ready === "1"`)
	before := tab.threadTime()
	times, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](scrolling, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	s := scrolled{longest: slices.Max(times), busy: (tab.threadTime() - before) / float64(len(times))}
	for _, t := range times[:10] {
		s.begin += t
	}
	return s
}

// threadTime returns the processor time that the page's own thread has taken, in ms.
func (b *browser) threadTime() float64 {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, performance.Enable, performance.EnableParams{}); err != nil {
		b.t.Fatal(err)
	}
	got, err := chromedp.Call(b.ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, m := range got.Metrics {
		if m.Name == "ThreadTime" {
			return 1000 * m.Value
		}
	}
	b.t.Fatal("the browser has no metric ThreadTime")
	return 0
}

// TestScrollWork counts what scrolling does, which nothing else on the machine changes: half a screen of PTX
// makes and drops the rows of half a screen, however many lines there are.
func TestScrollWork(t *testing.T) {
	b := open(t, page(t, "--target", "cuda:90", "--no-run", longKernel(t), "x_ptr=fp32[64]"))
	b.until(`document.querySelector('[data-stage="PTX"] .row')`)
	lines := eval[int](b, `Number(
		document.querySelector('[data-stage="PTX"] .row').getAttribute("aria-setsize"))`)
	if t.Logf("%d lines", lines); lines < 5000 {
		t.Errorf("PTX of %d lines, want 5,000", lines)
	}
	work, err := chromedp.Run(b.ctx, chromedp.Evaluate[struct{ Frames, Made, Dropped, Shown int }](
		`new Promise((done) => {
	const list = document.querySelector('[data-stage="PTX"] .list');
	const most = { Frames: 0, Made: 0, Dropped: 0, Shown: 0 };
	let made = 0, dropped = 0;
	new MutationObserver((records) => {
		for (const r of records) { made += r.addedNodes.length; dropped += r.removedNodes.length; }
	}).observe(list.querySelector(".inner"), { childList: true });
	const step = () => {
		most.Made = Math.max(most.Made, made);
		most.Dropped = Math.max(most.Dropped, dropped);
		most.Shown = Math.max(most.Shown, list.querySelectorAll(".row").length);
		made = dropped = 0;
		const at = list.scrollTop;
		list.scrollTop += 360;
		if (list.scrollTop === at || most.Frames === 60) done(most);
		else { most.Frames++; requestAnimationFrame(() => requestAnimationFrame(step)); }
	};
	requestAnimationFrame(step);
})`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	// 360 pixels are 20 rows; a row may begin between two pixels
	if t.Logf("%+v", work); work.Frames < 40 || work.Made < 20 || work.Made > 22 || work.Dropped > 22 ||
		work.Shown > 150 {
		t.Errorf("half a screen costs %+v, want 20 rows made and dropped", work)
	}
}

// scrolling scrolls from the top to the end, half a screen a frame, and returns the times from frame to
// frame.
const scrolling = `new Promise((done) => {
	const list = document.querySelector('[data-stage="PTX"] .list'), times = [];
	list.scrollTop = 0;
	let last = 0;
	const step = (now) => {
		if (last) times.push(now - last);
		last = now;
		const at = list.scrollTop;
		list.scrollTop += 360;
		if (list.scrollTop === at || times.length === 60) done(times);
		else requestAnimationFrame(step);
	};
	requestAnimationFrame(step);
})`

// longKernel writes a kernel with much code.
func longKernel(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef long(x_ptr):\n" +
		"    i = tl.arange(0, 64)\n    x = tl.load(x_ptr + i)\n")
	for i := range 64 {
		fmt.Fprintf(&b, "    x = x * %d.5 + tl.sin(x)\n    tl.store(x_ptr + i, x)\n", i)
	}
	file := filepath.Join(t.TempDir(), "long.py")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}
