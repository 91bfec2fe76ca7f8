package nereid_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nereid-lang/nereid"
)

const exampleScale = `
import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(x_ptr + i, 2 * x, mask=i < n)
`

// exampleKernel is the kernel scale under a configuration.
func exampleKernel(c nereid.Config) (*nereid.Module, *nereid.Kernel) {
	m, err := nereid.Parse("scale.py", []byte(exampleScale), nereid.With(c))
	if err != nil {
		panic(err)
	}
	k, err := m.Kernel("scale")
	if err != nil {
		panic(err)
	}
	return m, k
}

// One run of a program notes what it launches. The next compiles that before it takes requests, and refuses
// to compile anything else.
func ExampleModule_Warmup() {
	dev, _ := nereid.OpenDevice("interp")
	s, _ := dev.NewStream(context.Background())
	defer s.Close()
	x := nereid.FromSlice(append(make([]float32, 0, 64), 1, 2, 3))

	rec := &nereid.Recorder{} // with a File, it is written as a manifest
	_, k := exampleKernel(nereid.Config{Record: rec})
	k.Launch(s, nereid.Grid{1}, x, 3, 16)

	m, k := exampleKernel(nereid.Config{Strict: true})
	err := m.Warmup(context.Background(), dev, rec.Variants(),
		func(done, total int, v nereid.Variant, err error) {
			fmt.Println(done, "of", total, v.Kernel, err)
		})
	fmt.Println("warm:", err)
	fmt.Println(k.Launch(s, nereid.Grid{1}, x, 3, 16))
	err = k.Launch(s, nereid.Grid{1}, x, 3, 32)
	fmt.Println(errors.Is(err, nereid.ErrNotCompiled), err)
	// Output:
	// 1 of 1 scale <nil>
	// warm: <nil>
	// <nil>
	// true nereid: scale.py:scale(*fp32:16, i32, 32) num_warps=4 num_stages=3: not compiled ahead of time, and the configuration is strict: record what is launched (Config.Record) and compile it at the start (Module.Warmup) (parameter BLOCK is 32, and was 16 before)
}

// Hooks see compilations and launches, and may refuse to compile.
func ExampleHooks() {
	dev, _ := nereid.OpenDevice("interp")
	s, _ := dev.NewStream(context.Background())
	defer s.Close()
	_, k := exampleKernel(nereid.Config{Hooks: nereid.Hooks{
		BeforeCompile: func(_ context.Context, v nereid.Variant) error {
			if strings.Contains(v.Signature, "4096") {
				return errors.New("no blocks of 4096 here")
			}
			return nil
		},
		Stage: func(v nereid.Variant, s nereid.Stage) { fmt.Println("stage", s.Name, s.Took > 0) },
		AfterLaunch: func(l nereid.Launching, err error) {
			fmt.Println("launched", l.Variant.Kernel, l.Grid, err)
		},
	}})
	x := nereid.FromSlice([]float32{1, 2, 3})
	k.Launch(s, nereid.Grid{1}, x, 3, 16)
	k.Launch(s, nereid.Grid{1}, x, 3, 16) // compiled already
	fmt.Println(k.Launch(s, nereid.Grid{1}, x, 3, 4096))
	// Output:
	// stage source true
	// stage ttir true
	// launched scale (1, 1, 1) <nil>
	// launched scale (1, 1, 1) <nil>
	// stage source true
	// no blocks of 4096 here
}

// A kernel under @triton.autotune is tuned by its first launch for a key, on the device and with the
// arguments of that launch.
func ExampleTuneOptions() {
	const src = `
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (16, 32, 64)], key=["n"])
@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(x_ptr + i, 2 * x, mask=i < n)
`
	m, err := nereid.Parse("scale.py", []byte(src), nereid.With(nereid.Config{Tune: nereid.TuneOptions{
		Rep:    time.Millisecond,
		Budget: time.Minute,
		Done: func(best string, all []nereid.Tuned) {
			fmt.Println(len(all), "configs, one chosen:", best != "")
		},
	}}))
	if err != nil {
		fmt.Println(err)
		return
	}
	k, _ := m.Kernel("scale")
	dev, _ := nereid.OpenDevice("interp")
	s, _ := dev.NewStream(context.Background())
	defer s.Close()
	x := make([]float32, 100)
	grid := nereid.GridFunc(func(m nereid.Meta) nereid.Grid {
		return nereid.Grid{(100 + m.Int("BLOCK") - 1) / m.Int("BLOCK")}
	})
	for range 3 {
		if err := k.Launch(s, grid, nereid.FromSlice(x), 100); err != nil {
			fmt.Println(err)
		}
	}
	// Output: 3 configs, one chosen: true
}

// Kernels that take tensor descriptors load and store blocks of a tensor; what lies outside of it reads as
// zero.
func ExampleDescriptor() {
	m, err := nereid.Parse("flip.py", []byte(`
import triton
import triton.language as tl

@triton.jit
def flip(src, dst, B: tl.constexpr):
    dst.store([0, 0], tl.trans(src.load([0, 0])))
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	k, _ := m.Kernel("flip")
	dev, _ := nereid.OpenDevice("interp")
	s, _ := dev.NewStream(context.Background())
	defer s.Close()
	x, y := make([]float32, 4*4), make([]float32, 4*4)
	for i := range x {
		x[i] = float32(i)
	}
	of := func(data []float32) *nereid.Descriptor {
		return &nereid.Descriptor{Base: nereid.FromSlice(data), Shape: []int64{4, 4}, Strides: []int64{4, 1},
			Block: []int64{4, 4}}
	}
	err = k.Launch(s, nereid.Grid{1}, of(x), of(y), 4)
	fmt.Println(y[:4], err)
	// Output: [0 4 8 12] <nil>
}

// Measure times launches as Triton's do_bench does.
func ExampleStream_Measure() {
	dev, _ := nereid.OpenDevice("interp")
	s, _ := dev.NewStream(context.Background())
	defer s.Close()
	_, k := exampleKernel(nereid.Config{})
	x := nereid.FromSlice(make([]float32, 64))
	took, err := s.Measure(time.Millisecond, 5*time.Millisecond, func() error {
		return k.Launch(s, nereid.Grid{4}, x, 64, 16)
	})
	fmt.Println(took > 0, err)
	// Output: true <nil>
}
