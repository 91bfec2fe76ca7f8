package nereid_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/plot"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// served returns the source of kernel number i: no two have a name, a line of IR or a file in common.
func served(i int) string {
	return fmt.Sprintf(`
import triton
import triton.language as tl

@triton.jit
def scaled_%[1]d(x, by: tl.constexpr):
    return x * by + %[1]d.5

@triton.jit
def kernel_%[1]d(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets_%[1]d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x_%[1]d = tl.load(x_ptr + offsets_%[1]d, mask=offsets_%[1]d < n)
    tl.store(out_ptr + offsets_%[1]d, scaled_%[1]d(x_%[1]d, %[1]d), mask=offsets_%[1]d < n)
`, i)
}

// footprint is what a process holds, memory in bytes.
type footprint struct{ heap, resident, maps, goroutines, files int }

// footprintNow measures after the collector has freed what it can: code goes by cleanups, which run after a
// collection.
func footprintNow(t *testing.T) (f footprint) {
	t.Helper()
	for range 3 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	f.heap, f.goroutines = int(stats.HeapAlloc), runtime.NumGoroutine()
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		f.resident, _ = strconv.Atoi(strings.Fields(string(text))[1])
		f.resident *= os.Getpagesize()
	}
	if text, err := os.ReadFile("/proc/self/maps"); err == nil {
		f.maps = bytes.Count(text, []byte("\n"))
	}
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		f.files = len(list)
	}
	return f
}

// server compiles kernels that it has never seen and keeps the latest few.
type server struct {
	t      *testing.T
	dev    *nereid.Device
	stream *nereid.Stream
	x, out *nereid.Tensor
	live   []*nereid.Kernel // a ring
	number []int            // of those that are live
}

func newServer(t *testing.T, device string, live int) *server {
	t.Helper()
	t.Setenv("NEREID_CACHE", "off")
	dev := txtest.Device(t, device, nereid.OpenDevice)
	s, err := dev.NewStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	v := &server{t: t, dev: dev, stream: s, x: tensor(t, dev, 16), out: tensor(t, dev, 16)}
	if err := v.x.CopyBytesFrom(bytes.Repeat([]byte{0, 0, 128, 63}, 16)); err != nil { // ones
		t.Fatal(err)
	}
	v.live, v.number = make([]*nereid.Kernel, live), make([]int, live)
	return v
}

// serve compiles kernel number i, and launches it or looks at its stages.
func (v *server) serve(i int) {
	v.t.Helper()
	m, err := nereid.Parse(fmt.Sprintf("served_%d.py", i), []byte(served(i)))
	if err != nil {
		v.t.Fatal(err)
	}
	k, err := m.Kernel(fmt.Sprintf("kernel_%d", i))
	if err != nil {
		v.t.Fatal(err)
	}
	if i%8 == 7 {
		if _, err := k.Compile(context.Background(), v.dev, "*fp32:16, *fp32:16, i32, 16",
			nereid.Options{}); err != nil {
			v.t.Fatal(err)
		}
		return
	}
	v.launch(k, i)
	if n := len(v.live); n > 0 {
		v.live[i%n], v.number[i%n] = k, i
		if old := v.live[i*7919%n]; old != nil {
			v.launch(old, v.number[i*7919%n])
		}
	}
}

// launch launches kernel number i and looks at what it wrote.
func (v *server) launch(k *nereid.Kernel, i int) {
	v.t.Helper()
	if err := k.Launch(v.stream, nereid.Grid{1}, v.x, v.out, 16, 16); err != nil {
		v.t.Fatal(err)
	}
	got, err := nereid.AsSlice[float32](v.out)
	if err != nil {
		v.t.Fatal(err)
	}
	if want := float32(2*i) + 0.5; got[0] != want || got[15] != want {
		v.t.Fatalf("kernel %d: %v", i, got)
	}
}

// A server compiles without end: what it holds does not grow with the number of compilations.
// NEREID_SERVER=100000 is the long form; NEREID_SERVER_CSV names a folder for what it held over time, a file
// for each device.
func TestServer(t *testing.T) {
	rounds, _ := strconv.Atoi(os.Getenv("NEREID_SERVER"))
	long := rounds > 0
	if !long {
		rounds = 300
	}
	for at, device := range []string{"interp", "cpu"} {
		t.Run(device, func(t *testing.T) {
			v := newServer(t, device, min(rounds/20, 500))
			record := newRecord(t, os.Getenv("NEREID_SERVER_CSV"), device)
			warm, step := rounds/3, rounds/3
			if long {
				warm, step = 1000, max(1, rounds/200)
			}
			var first, last footprint
			begin := time.Now()
			for i := range rounds {
				v.serve(at*rounds + i)
				if n := i + 1; n == warm {
					first = footprintNow(t)
					record(n, time.Since(begin), first)
				} else if n%step == 0 {
					last = footprintNow(t)
					record(n, time.Since(begin), last)
				}
			}
			t.Logf("after %d: %+v; after %d: %+v", warm, first, rounds, last)
			kernels := rounds - warm
			if grown := last.heap - first.heap; grown > 512<<10+first.heap/8 {
				t.Errorf("the heap has grown by %d KiB with %d kernels", grown>>10, kernels)
			}
			if grown := last.maps - first.maps; grown > 20 {
				t.Errorf("%d memory maps more for %d kernels", grown, kernels)
			}
			if last.goroutines > first.goroutines+4 || last.files > first.files+4 {
				t.Errorf("goroutines or files have grown: %+v, then %+v", first, last)
			}
		})
	}
}

// newRecord returns a function that adds a line to the file of a device, or does nothing where no folder is
// named.
func newRecord(t *testing.T, dir, device string) func(n int, took time.Duration, f footprint) {
	if dir == "" {
		return func(int, time.Duration, footprint) {}
	}
	out, err := os.Create(filepath.Join(dir, device+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	w := csv.NewWriter(out)
	write := func(row ...any) {
		texts := make([]string, len(row))
		for i, v := range row {
			texts[i] = fmt.Sprint(v)
		}
		if err := w.Write(texts); err != nil {
			t.Fatal(err)
		}
		w.Flush()
	}
	write("compilations", "seconds", "heap", "resident", "maps", "goroutines", "files")
	return func(n int, took time.Duration, f footprint) {
		write(n, int(took.Seconds()), f.heap, f.resident, f.maps, f.goroutines, f.files)
	}
}

// The picture in the documents shows what is in testdata/server, which the long form of TestServer wrote.
// UPDATE_GOLDEN=1 draws it again.
func TestServerPlot(t *testing.T) {
	c := plot.LineChart{Title: "A server that compiles without end, 500 kernels of it live",
		XLabel: "distinct compilations", YLabel: "MB"}
	for _, device := range []string{"cpu", "interp"} {
		f, err := os.Open(filepath.Join("testdata", "server", device+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		resident, heap := plot.Series{Name: device + ", resident"}, plot.Series{Name: device + ", heap"}
		for _, row := range rows[1:] {
			n, _ := strconv.ParseFloat(row[0], 64)
			for _, s := range []struct {
				to *plot.Series
				at int
			}{{&heap, 2}, {&resident, 3}} {
				y, err := strconv.ParseFloat(row[s.at], 64)
				if err != nil {
					t.Fatal(err)
				}
				s.to.X, s.to.Y = append(s.to.X, n), append(s.to.Y, y/1e6)
			}
		}
		c.Series = append(c.Series, resident, heap)
	}
	var b bytes.Buffer
	if err := plot.Lines(&b, "svg", c); err != nil {
		t.Fatal(err)
	}
	const file = "docs/server.svg"
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(file); err != nil || !bytes.Equal(old, b.Bytes()) {
		t.Errorf("%s does not show what is in testdata/server: UPDATE_GOLDEN=1 draws it (%v)", file, err)
	}
}
