package nereid_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestCompileStageLaunches: a kernel that starts from the text of each of its stages gives the results of the
// kernel itself, on the simulator of a GPU.
func TestCompileStageLaunches(t *testing.T) {
	dev := stream(t, "sim:90").Device()
	k := sharedKernel(t, "vector_add.py", "add_kernel")
	ctx := t.Context()
	c, err := k.CompileFor(ctx, "cuda:90", "*fp32:16, *fp32:16, *fp32:16, i32, 256", nereid.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"source", "ttir", "ttgir", "llir", "ptx"} {
		t.Run(stage, func(t *testing.T) {
			description, err := c.LaunchInfo()
			if err != nil {
				t.Fatal(err)
			}
			in := nereid.StageText{Name: "add." + stage, Text: c.Stage(stage), Description: description}
			again, err := nereid.CompileStage(ctx, "", in, nereid.Options{}, "")
			if err != nil {
				t.Fatal(err)
			}
			sum(t, dev, again)
		})
	}
}

// sum launches a saved copy of the add kernel.
func sum(t *testing.T, dev *nereid.Device, c *nereid.Compiled) {
	t.Helper()
	var file bytes.Buffer
	if err := c.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := nereid.LoadCompiled(dev, &file)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	s, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x, y, out := tensors(t, dev, 300)
	if err := loaded.Launch(s, nereid.Grid{2, 1, 1}, x, y, out, 300); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 255, 299} {
		if got, want := at(t, out, i), at(t, x, i)+at(t, y, i); got != want {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
}

// TestLaunchInfoOfDescriptors: a descriptor is one argument of 128 bytes where the code takes a tensor map,
// and its parts where it does not.
func TestLaunchInfoOfDescriptors(t *testing.T) {
	src := `
import triton
import triton.language as tl

@triton.jit
def move(a, b, n):
    tile = a.load([0, 0])
    tl.store(b + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], tile)
`
	for target, want := range map[string][]string{
		"cuda:90": {"tensormap a 0 128", "scalar a.shape.0 128 4", "scalar a.shape.1 132 4",
			"scalar a.stride.0 136 8", "scalar a.stride.1 144 8", "pointer b 152 8", "scalar n 160 4"},
		"cuda:80": {"pointer a.desc.base 0 8", "scalar a.desc.shape.0 8 8", "scalar a.desc.shape.1 16 8",
			"scalar a.desc.stride.0 24 8", "scalar a.desc.stride.1 32 8", "scalar a.desc.nan 40 1",
			"scalar a.shape.0 44 4", "scalar a.shape.1 48 4", "scalar a.stride.0 56 8",
			"scalar a.stride.1 64 8", "pointer b 72 8", "scalar n 80 4"},
	} {
		t.Run(target, func(t *testing.T) {
			m, err := nereid.Parse("k.py", []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			k, err := m.Kernel("move")
			if err != nil {
				t.Fatal(err)
			}
			c, err := k.CompileFor(context.Background(), target, "tensordesc<fp16[16, 16]>, *fp16:16, i32",
				nereid.Options{}, "")
			if err != nil {
				txtest.NeedFound(t, "llvm", err)
			}
			text, err := c.LaunchInfo()
			if err != nil {
				t.Fatal(err)
			}
			var d struct {
				Arguments []struct {
					Kind, Name   string
					Offset, Size int
				}
			}
			if err := json.Unmarshal(text, &d); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range d.Arguments {
				got = append(got, fmt.Sprint(a.Kind, " ", a.Name, " ", a.Offset, " ", a.Size))
			}
			if !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

// A hook replaces the text of a stage, from which the compilation goes on; the cache keeps nothing of it.
func TestReplaceStage(t *testing.T) {
	for _, test := range []struct{ device, stage, old, new string }{
		{"sim:90", "ttir", "1.000000e+00", "2.000000e+00"}, {"sim:90", "ttgir", "1.000000e+00", "2.000000e+00"},
		{"sim:90", "ptx", "0f3F800000", "0f40000000"}, {"cpu", "source", "1.000000e+00", "2.000000e+00"},
	} {
		t.Run(test.device+" "+test.stage, func(t *testing.T) {
			s := stream(t, test.device)
			kept, err := nereid.OpenCache(nereid.CacheOptions{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer kept.Close()
			launch := func(replace func(nereid.Variant, string, []byte) []byte) (float32, error) {
				m, err := nereid.Parse("k.py", []byte(mergedKernel), nereid.With(nereid.Config{Cache: kept,
					Hooks: nereid.Hooks{ReplaceStage: replace}}))
				if err != nil {
					t.Fatal(err)
				}
				k, err := m.Kernel("add")
				if err != nil {
					t.Fatal(err)
				}
				x, y := make([]float32, 64), make([]float32, 64)
				err = k.Launch(s, nereid.Grid{1}, nereid.FromSlice(x), nereid.FromSlice(y), 64)
				return y[5], err
			}
			seen := false
			got, err := launch(func(v nereid.Variant, stage string, text []byte) []byte {
				if stage != test.stage || v.Kernel != "add" {
					return nil
				}
				seen = bytes.Contains(text, []byte(test.old))
				return bytes.ReplaceAll(text, []byte(test.old), []byte(test.new))
			})
			if err != nil || !seen || got != 2 {
				t.Errorf("replaced: %v, %v, the text has it %v", got, err, seen)
			}
			if got, err := launch(nil); err != nil || got != 1 {
				t.Errorf("not replaced: %v, %v", got, err)
			}
			if _, err := launch(func(_ nereid.Variant, stage string, _ []byte) []byte {
				if stage == "ttir" {
					return []byte("no module")
				}
				return nil
			}); err == nil {
				t.Error("a text that is no IR is compiled")
			}
		})
	}
}
