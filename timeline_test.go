package nereid_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/profile"
)

// recorded runs f while a profile is recorded, and returns what was.
func recorded(t *testing.T, f func()) *profile.Trace {
	t.Helper()
	var b bytes.Buffer
	p, err := nereid.StartProfile(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nereid.StartProfile(&b); err == nil {
		t.Error("two profiles are recorded at once")
	}
	f()
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Error("a second Stop:", err)
	}
	trace, err := profile.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// spans returns the spans of a category.
func spans(trace *profile.Trace, category string) (out []profile.Event) {
	for _, e := range trace.Events {
		if e.Phase == "X" && e.Category == category {
			out = append(out, e)
		}
	}
	return out
}

// apart fails if two spans of one track overlap, which Perfetto does not accept.
func apart(t *testing.T, trace *profile.Trace) {
	t.Helper()
	last := map[int]profile.Event{}
	for _, e := range trace.Events { // sorted by their beginning
		if e.Phase != "X" {
			continue
		}
		if o := last[e.Track]; o.Start+o.Took > e.Start+0.002 { // rounded to nanoseconds
			t.Errorf("track %d: %s from %v for %v, and then %s at %v", e.Track, o.Name, o.Start, o.Took,
				e.Name, e.Start)
		}
		last[e.Track] = e
	}
}

const timelineKernels = `
import triton
import triton.language as tl

@triton.jit
def scale(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

@triton.autotune(configs=[triton.Config({"B": 64}), triton.Config({"B": 128})], key=["n"], warmup=1, rep=1)
@triton.jit
def chosen(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, i, mask=i < n)
`

// TestStartProfile records every way to launch, a compilation, a tuning and copies on a device of the host.
func TestStartProfile(t *testing.T) {
	s := stream(t, "interp")
	trace := recorded(t, func() {
		m, err := nereid.Parse("k.py", []byte(timelineKernels), nereid.With(nereid.Config{}))
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("scale")
		if err != nil {
			t.Fatal(err)
		}
		x, err := nereid.NewTensor(s.Device(), nereid.Float32, 256)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if err := nereid.CopyFrom(x, make([]float32, 256)); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := k.Launch(s, nereid.Grid{4}, x, 256, 64); err != nil {
				t.Fatal(err)
			}
		}
		b, err := k.Bind(s, x, 256, 64)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if err := b.Launch(nereid.Grid{4}); err != nil {
			t.Fatal(err)
		}
		tuned, err := m.Kernel("chosen")
		if err != nil {
			t.Fatal(err)
		}
		if err := tuned.Launch(s, nereid.Grid{4}, x, 256); err != nil {
			t.Fatal(err)
		}
	})
	apart(t, trace)
	rows := trace.Kernels()
	i := slices.IndexFunc(rows, func(k profile.Kernel) bool { return k.Name == "scale" })
	if i < 0 || rows[i].Launches != 4 || rows[i].Device != "interp" || rows[i].Total <= 0 {
		t.Fatalf("the rows are %+v", rows)
	}
	for category, least := range map[string]int{
		profile.CategoryCompile: 3, profile.CategoryStage: 3, profile.CategoryTune: 1,
		profile.CategoryCopy: 1,
	} {
		if n := len(spans(trace, category)); n < least {
			t.Errorf("%d spans of %s, want %d", n, category, least)
		}
	}
	e := spans(trace, profile.CategoryKernel)[0]
	if e.Args["grid"] != "4x1x1" || e.Args["bytes"] != 1024.0 || e.Args["device"] != "interp" {
		t.Errorf("a launch has the facts %v", e.Args)
	}
	share := 0.0
	for _, r := range rows {
		share += r.Share
	}
	if share < 0.999 || share > 1.001 {
		t.Errorf("the shares come to %v", share)
	}
	if trace := recorded(t, func() {}); len(spans(trace, profile.CategoryKernel)) != 0 {
		t.Error("a second profile has the launches of the first")
	}
}

// TestProfileDeviceTimes records launches on a GPU, whose kernels take 50 µs by its own clock: on a stream,
// and as a graph.
func TestProfileDeviceTimes(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, _ func() map[string]int) {
		trace := recorded(t, func() {
			k := stubKernel(t, "plain")
			x, err := nereid.NewTensor(s.Device(), nereid.Float32, 16)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			launch := func() error { return k.Launch(s, nereid.Grid{4}, x, 7) }
			for range 3 {
				if err := launch(); err != nil {
					t.Fatal(err)
				}
			}
			g, err := s.Capture(launch)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			if err := g.Launch(s); err != nil {
				t.Fatal(err)
			}
			if err := s.Sync(); err != nil {
				t.Fatal(err)
			}
		})
		apart(t, trace)
		rows := trace.Kernels()
		i := slices.IndexFunc(rows, func(k profile.Kernel) bool { return k.Name == "plain" })
		if i < 0 || rows[i].Launches != 3 || rows[i].Median.Round(time.Microsecond) != stubTime {
			t.Errorf("the rows are %+v", rows)
		}
		if i := slices.IndexFunc(rows, func(k profile.Kernel) bool {
			return k.Name == "(graph)"
		}); i < 0 || rows[i].Launches != 1 {
			t.Errorf("no graph: %+v", rows)
		}
		if n := len(spans(trace, profile.CategoryLaunch)); n != 5 { // 3, one that is captured, the graph
			t.Errorf("%d launches on the host", n)
		}
		if r := trace.Devices["cuda:0"].BytesPerSecond; r <= 0 {
			t.Errorf("the peak is %v", r)
		}
		begins, ends := arrows(trace)
		if len(begins) != 4 || !slices.Equal(begins, ends) {
			t.Errorf("arrows from %v to %v", begins, ends)
		}
	})
}

// arrows returns the numbers of arrows, at their beginnings and at their ends, sorted.
func arrows(trace *profile.Trace) (begins, ends []uint64) {
	for _, e := range trace.Events {
		switch e.Phase {
		case "s":
			begins = append(begins, e.ID)
		case "f":
			ends = append(ends, e.ID)
		}
	}
	slices.Sort(begins)
	slices.Sort(ends)
	return begins, ends
}

// TestProfileWriter fails a profile whose writer fails, and no launch.
func TestProfileWriter(t *testing.T) {
	p, err := nereid.StartProfile(full{})
	if err != nil {
		t.Fatal(err)
	}
	s := stream(t, "interp")
	k := kernelOf(t, "k.py", timelineKernels, "scale", nereid.With(nereid.Config{}))
	x := nereid.FromSlice(make([]float32, 64))
	if err := k.Launch(s, nereid.Grid{1}, x, 64, 64); err != nil {
		t.Error(err)
	}
	if err := p.Stop(); err == nil || !strings.Contains(err.Error(), "not complete") {
		t.Errorf("Stop: %v", err)
	}
}

// full is a writer that fails.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, bytes.ErrTooLarge }

// TestProfileOff: a kernel that is first launched while nobody records takes the short way, on which nothing
// asks whether launches are recorded (package warm cannot: it does not import the recorder), and allocates
// nothing. One that is first launched in a recording takes the long way, which does.
func TestProfileOff(t *testing.T) {
	s := stream(t, "cpu")
	allocations := func() float64 {
		m, err := nereid.Parse("k.py", []byte(timelineKernels), nereid.With(nereid.Config{}))
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("scale")
		if err != nil {
			t.Fatal(err)
		}
		x, err := nereid.NewTensor(s.Device(), nereid.Float32, 256)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		args := []any{x, 256, 64}
		launch := func() {
			if err := k.Launch(s, nereid.Grid{4}, args...); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			launch()
		}
		return testing.AllocsPerRun(50, launch)
	}
	var on float64
	recorded(t, func() { on = allocations() })
	if off := allocations(); off != 0 || on == 0 {
		t.Errorf("a launch allocates %v times, and %v times while launches are recorded", off, on)
	}
}
