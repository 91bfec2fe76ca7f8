package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
)

// shared is the service of all tests: a process has one.
var shared *service

func TestMain(m *testing.M) {
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "service")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	o := options{
		device: testDevice(), cacheDir: filepath.Join(dir, "cache"), tuneDir: filepath.Join(dir, "tune"),
		workers: 2,
		record:  os.Getenv("SERVICE_TEST_RECORD"), log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	if shared, err = newService(context.Background(), o); err != nil {
		fmt.Println(err)
		return 1
	}
	if o.record != "" { // a child of TestRecord
		return 0
	}
	code := m.Run()
	if err := shared.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return code
}

// testDevice is the CPU, or the interpreter where there is no LLVM.
func testDevice() string {
	if d := os.Getenv("SERVICE_TEST_DEVICE"); d != "" {
		return d
	}
	if _, err := nereid.OpenDevice("cpu"); err != nil {
		return "interp"
	}
	return "cpu"
}

// post sends a request and reads its answer. It may be called by any goroutine: a request that fails has
// status 0.
func post(t *testing.T, url string, body, answer any) (status int) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Error(err)
		return 0
	}
	r, err := http.Post(url, "application/json", bytes.NewReader(data))
	if err != nil {
		t.Error(err)
		return 0
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(answer); err != nil {
		t.Error(err)
		return 0
	}
	return r.StatusCode
}

// rows makes up rows, different for each seed.
func rows(n, seed int) [][]float32 {
	out := make([][]float32, n)
	for i := range out {
		out[i] = make([]float32, width)
		for j := range out[i] {
			out[i][j] = float32((i*31+j*17+seed*7)%23)/4 - 2
		}
	}
	return out
}

// want computes a row's answer in float64.
func want(row []float32, temperature float64) []float64 {
	squares := 0.0
	for _, v := range row {
		squares += float64(v) * float64(v)
	}
	scale := 1 / math.Sqrt(squares/float64(len(row))+epsilon) / temperature
	out, total := make([]float64, len(row)), 0.0
	for i, v := range row {
		out[i] = math.Exp(float64(v) * scale)
		total += out[i]
	}
	for i := range out {
		out[i] /= total
	}
	return out
}

type scores struct {
	Rows  [][]float32
	Error string
}

// Answers are right for both types, any number of rows, and many requests at once.
func TestScore(t *testing.T) {
	server := httptest.NewServer(shared.handler())
	defer server.Close()
	var wg sync.WaitGroup
	for i, n := range []int{1, 3, maxRows, 2, 7, 64, 5, 1} {
		wg.Go(func() {
			in := scoreRequest{Type: served[i%2], Temperature: 0.5 + float32(i)/4, Rows: rows(n, i)}
			var out scores
			if status := post(t, server.URL+"/score", in, &out); status != http.StatusOK ||
				len(out.Rows) != n {
				t.Errorf("%d rows of %s: status %d, %s", n, in.Type, status, out.Error)
				return
			}
			for r, row := range out.Rows {
				for j, w := range want(in.Rows[r], float64(in.Temperature)) {
					if math.Abs(float64(row[j])-w) > 0.02*w+1e-6 { // bf16 has 8 bits
						t.Errorf("%s: row %d column %d is %g, want %g", in.Type, r, j, row[j], w)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// What a client does wrong is told as its fault, and what is not in the manifest is refused: no request waits
// for the compiler.
func TestRefusals(t *testing.T) {
	server := httptest.NewServer(shared.handler())
	defer server.Close()
	compiled := shared.cache.Stats().Compiled
	for _, c := range []struct {
		in     any
		status int
		text   string
	}{
		{scoreRequest{Type: "fp64", Temperature: 1, Rows: rows(1, 0)}, http.StatusBadRequest,
			"none of fp16, bf16"},
		{scoreRequest{Type: "fp16", Temperature: 1}, http.StatusBadRequest, "there are 0 rows"},
		{scoreRequest{Type: "fp16", Temperature: 0, Rows: rows(1, 0)}, http.StatusBadRequest, "temperature"},
		{scoreRequest{Type: "fp16", Temperature: 1, Rows: [][]float32{{1, 2}}}, http.StatusBadRequest,
			"row 0 has 2 numbers"},
		{"no object", http.StatusBadRequest, "cannot unmarshal"},
		{scoreRequest{Type: "fp32", Temperature: 1, Rows: rows(1, 0)}, http.StatusNotImplemented,
			"rms_norm_kernel(*fp32:16"},
	} {
		var out scores
		if status := post(t, server.URL+"/score", c.in, &out); status != c.status ||
			!strings.Contains(out.Error, c.text) {
			t.Errorf("%v: status %d, %q", c.in, status, out.Error)
		}
	}
	if n := shared.cache.Stats().Compiled; n != compiled {
		t.Errorf("requests compiled %d kernels", n-compiled)
	}
}

// A client that goes away while it waits for a worker ends its request.
func TestCancel(t *testing.T) {
	held := []*worker{<-shared.free, <-shared.free}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	w := httptest.NewRecorder()
	body, _ := json.Marshal(scoreRequest{Type: "fp16", Temperature: 1, Rows: rows(1, 0)})
	shared.handler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, "POST", "/score",
		bytes.NewReader(body)))
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "deadline") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	for _, h := range held {
		shared.free <- h
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	// whichever of a free worker and the end comes first: an error, and the worker is free again
	for range 50 {
		if _, err := shared.score(gone, &scoreRequest{Type: "fp16", Temperature: 1,
			Rows: rows(1, 0)}); err == nil {
			t.Fatal("a request that was cancelled is answered")
		}
	}
	if len(shared.free) != 2 {
		t.Errorf("%d workers are free, not 2", len(shared.free))
	}
}

// A kernel's faults come back with their places.
func TestCheck(t *testing.T) {
	server := httptest.NewServer(shared.handler())
	defer server.Close()
	const head = "import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(x_ptr, n):\n"
	var out struct {
		Diagnostics []nereid.Diagnostic
		Error       string
	}
	for body, line := range map[string]int{"    tl.store(x_ptr, n)\n": 0, "    tl.store(x_ptr, n\n": 6,
		"    tl.store(x_ptr, tl.arange(0, 16) + tl.arange(0, 32))\n": 6} {
		status := post(t, server.URL+"/check", checkRequest{head + body, "k", "*fp32, i32"}, &out)
		got := 0
		if len(out.Diagnostics) > 0 {
			got = out.Diagnostics[0].Line
		}
		if status != http.StatusOK || got != line {
			t.Errorf("%q: status %d, line %d, not %d: %+v", body, status, got, line, out)
		}
	}
}

// Health, statistics and profiles answer.
func TestPages(t *testing.T) {
	for _, page := range []string{"/healthz", "/healthz", "/stats", "/debug/pprof/",
		"/debug/pprof/goroutine?debug=1"} {
		w := httptest.NewRecorder()
		shared.handler().ServeHTTP(w, httptest.NewRequest("GET", page, nil))
		if w.Code != http.StatusOK {
			t.Errorf("%s: status %d: %s", page, w.Code, w.Body)
		}
	}
}

// A signal lets the requests on their way be answered; those that take too long are cancelled.
func TestShutdown(t *testing.T) {
	for _, grace := range []time.Duration{10 * time.Second, 20 * time.Millisecond} {
		ctx, stop := context.WithCancel(t.Context())
		l, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- shared.serve(ctx, l, grace) }()
		held := []*worker{<-shared.free, <-shared.free} // the request waits
		answered := make(chan int, 1)
		go func() {
			var out scores
			answered <- post(t, "http://"+l.Addr().String()+"/score",
				scoreRequest{Type: "fp16", Temperature: 1, Rows: rows(1, 0)}, &out)
		}()
		time.Sleep(50 * time.Millisecond) // for the request to arrive
		stop()
		want := http.StatusServiceUnavailable
		if grace > time.Second {
			want = http.StatusOK
			for _, w := range held {
				shared.free <- w
			}
		}
		if status := <-answered; status != want {
			t.Errorf("with a grace of %v: status %d, not %d", grace, status, want)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if grace < time.Second {
			for _, w := range held {
				shared.free <- w
			}
		}
		shared.draining.Store(false)
	}
}

// The manifest in the binary is what a recording writes now: `go generate` refreshes it.
func TestRecord(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "manifest.json")
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), "SERVICE_TEST_RECORD="+file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, manifest) {
		t.Errorf("manifest.json is out of date; recorded now:\n%s", got)
	}
}
