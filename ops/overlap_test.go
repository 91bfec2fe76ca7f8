package ops_test

import (
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/target/nvidia/sim"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/ops"
)

var (
	globalRead  = regexp.MustCompile(`\b(ld\.global|cp\.async\.(ca|cg|bulk))`)
	globalWrite = regexp.MustCompile(`\b(st\.global|atom\.|red\.)`)
)

// TestOverlap: kernels that may begin before the one before them has ended wait for its end before they
// write, and before they read what nobody promised.
func TestOverlap(t *testing.T) {
	var mu sync.Mutex
	var seen []nereid.Variant
	hook := func(v nereid.Variant, _ time.Duration, _ bool, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil && v.Options.LaunchPDL {
			seen = append(seen, v)
		}
	}
	lib := ops.Load(nereid.With(nereid.Config{Hooks: nereid.Hooks{AfterCompile: hook}}))
	dev := txtest.Device(t, "sim:90", nereid.OpenDevice)
	s := lib.On(txtest.Open(t, dev.NewStream, t.Context()))
	defer s.Close()
	overlapping(t, s)
	files, err := fs.Sub(ops.Files, "kernels")
	if err != nil {
		t.Fatal(err)
	}
	early := 0
	for _, v := range seen {
		m, err := nereid.LoadFS(files, v.File)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel(v.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		code, err := k.CompileFor(t.Context(), "cuda:90", v.Signature, v.Options, "ptx")
		if err != nil {
			t.Fatal(err)
		}
		ptx := string(code.Stages[len(code.Stages)-1].Text)
		before, _, found := strings.Cut(ptx, "griddepcontrol.wait")
		promised := strings.HasSuffix(v.Signature, "True, True") // FIXED and OVERLAP
		switch reads := globalRead.MatchString(before); {
		case !found:
			t.Errorf("%s(%s) does not wait", v.Kernel, v.Signature)
		case globalWrite.MatchString(before):
			t.Errorf("%s(%s) writes before it waits", v.Kernel, v.Signature)
		case reads && !promised:
			t.Errorf("%s(%s) reads before it waits", v.Kernel, v.Signature)
		case reads:
			early++
		}
	}
	if len(seen) < 5 || early < 1 {
		t.Errorf("%d kernels overlap with others, and %d of them read before they wait", len(seen), early)
	}
}

// TestOverlapWithoutWait: without the waits the simulator finds a launch that reads what the one before it
// writes.
func TestOverlapWithoutWait(t *testing.T) {
	dev := txtest.Device(t, "sim:90", nereid.OpenDevice)
	ctx := sim.WithWatch(t.Context(), sim.Watch{Change: func(ptx string) string {
		return strings.ReplaceAll(ptx, "griddepcontrol.wait;", "")
	}})
	s := ops.Load().On(txtest.Open(t, dev.NewStream, ctx))
	defer s.Close()
	const size = 64
	w, _ := quantizedMatrix(t, s, 1, size, size)
	x := made(t, s, nereid.Float16, func(i int) float64 { return float64(i % 7) }, 1, size)
	for range 3 {
		x = ops.MatMulQuantized(s, x, w, ops.FixedWeights)
	}
	if err := x.Err(); err == nil || !strings.Contains(err.Error(), "before griddepcontrol.wait") {
		t.Errorf("products of products without a wait: %v", err)
	}
}

// overlapping calls the ops whose kernels overlap, with promises and without.
func overlapping(t *testing.T, s *ops.Stream) {
	t.Helper()
	const heads, kv, size, page = 4, 2, 16, 16
	w, _ := quantizedMatrix(t, s, 1, (heads+2*kv)*size, 64)
	index := made(t, s, nereid.Int32, func(int) float64 { return 1 }, 2)
	x := ops.TakeQuantized(s, w, index, nereid.Float16)
	pages := s.New(nereid.Float16, 4, page, kv, size)
	angles := s.New(nereid.Float32, 64, size/2)
	cache := ops.PagedCache{Keys: pages, Values: pages, Table: s.New(nereid.Int32, 2, 4),
		Lengths: made(t, s, nereid.Int32, func(int) float64 { return 2 }, 2),
		Slots:   made(t, s, nereid.Int32, func(int) float64 { return -1 }, 2)}
	for _, x := range []*nereid.Tensor{pages, angles, cache.Table} {
		if err := x.Fill(0); err != nil {
			t.Fatal(err)
		}
	}
	for _, promise := range []bool{false, true} {
		options := []ops.MatMulOption{ops.Norm(x.Select(0, 0), 1e-5)}
		if promise {
			options = append(options, ops.FixedWeights)
		}
		qkv := ops.MatMulQuantized(s, x, w, options...)
		for _, shape := range [][]int{{2, 1, -1}, {1, 2, -1}} {
			c := cache
			if shape[1] == 2 {
				c.Table, c.Lengths = c.Table.Slice(0, 0, 1, 1), c.Lengths.Slice(0, 0, 1, 1)
			}
			out := ops.AppendAttention(s, qkv.Reshape(shape...), heads, c,
				ops.Rotary{Cos: angles, Sin: angles}, ops.AttentionOptions{})
			if err := out.Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
