package nereid_test

import (
	"errors"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/genrt"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const descriptorKernels = `
import triton
import triton.language as tl

@triton.jit
def scale(x_desc, y_desc, row, B: tl.constexpr):
    y_desc.store([row, 0], x_desc.load([row, 0]) * B)
`

type scaleConsts struct{ B int }

func (c scaleConsts) args() []any { return []any{nereid.Arg("B", c.B)} }

func newTypedScale() *genrt.Typed[scaleConsts] {
	return &genrt.Typed[scaleConsts]{
		Load: func() (*nereid.Module, error) {
			return nereid.Parse("k.py", []byte(descriptorKernels), nereid.With(nereid.Config{}))
		},
		Name:   "scale",
		Consts: scaleConsts.args,
		Kinds:  "ooi",
	}
}

// rowsOf describes rows of floats in memory that begins at an element, so many elements apart.
func rowsOf(x *nereid.Tensor, from, rows, columns, apart int) *nereid.Descriptor {
	return &nereid.Descriptor{
		Base: x.Offset(4 * from), Shape: []int64{int64(rows), int64(columns)},
		Strides: []int64{int64(apart), 1}, Block: []int64{4, 16},
	}
}

// TestDescriptorAlignment: a descriptor of any memory works, also where the hardware for descriptors cannot
// represent it, and by every way to launch.
func TestDescriptorAlignment(t *testing.T) {
	for _, device := range []string{"interp", "cpu", "sim:80", "sim:90"} {
		t.Run(device, func(t *testing.T) {
			s := stream(t, device)
			k := kernelOf(t, "k.py", descriptorKernels, "scale", nereid.With(nereid.Config{}))
			typed := newTypedScale()
			for _, c := range [][4]int{{0, 5, 16, 16}, {1, 5, 16, 16}, {0, 5, 13, 17}, {4, 3, 20, 20},
				{4, 5, 1, 20}, {0, 5, 16, 16}} {
				launches := map[string]func(x, y *nereid.Descriptor) error{
					"Launch": func(x, y *nereid.Descriptor) error {
						return k.Launch(s, nereid.Grid{1}, x, y, 2, 3)
					},
					"Bind": func(x, y *nereid.Descriptor) error {
						b, err := k.Bind(s, x, y, 2, 3)
						if err != nil {
							return err
						}
						defer b.Close()
						return b.Launch(nereid.Grid{1})
					},
					"genrt": func(x, y *nereid.Descriptor) error {
						call := typed.Call(scaleConsts{3})
						call.Descriptor(x)
						call.Descriptor(y)
						call.Int(2)
						return call.Launch(s, nereid.Grid{1})
					},
				}
				for name, launch := range launches {
					for range 2 {
						x, _, out := tensors(t, s.Device(), 160)
						from, rows, columns, apart := c[0], c[1], c[2], c[3]
						if err := launch(rowsOf(x, from, rows, columns, apart),
							rowsOf(out, from, rows, columns, apart)); err != nil {
							t.Fatalf("%s %v: %v", name, c, err)
						}
						for i := range 160 {
							row, column := (i-from)/apart, (i-from)%apart
							want := 0.0
							if i >= from && row >= 2 && row < min(rows, 6) && column < min(columns, 16) {
								want = 3 * float64(i)
							}
							if got := at(t, out, i); got != want {
								t.Fatalf("%s %v: element %d is %v, not %v", name, c, i, got, want)
							}
						}
					}
				}
			}
		})
	}
}

// TestStubDescriptors: warm launches with descriptors allocate nothing on a GPU.
func TestStubDescriptors(t *testing.T) {
	if raceDetector {
		txtest.NotHere(t, "with the race detector, launches allocate")
	}
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		k := kernelOf(t, "k.py", descriptorKernels, "scale", nereid.With(nereid.Config{}))
		x, y, _ := tensors(t, s.Device(), 64)
		a, b := rowsOf(x, 0, 4, 16, 16), rowsOf(y, 0, 4, 16, 16)
		bound, err := k.Bind(s, a, b, 2, 3)
		if err != nil {
			t.Fatal(err)
		}
		typed := newTypedScale()
		grid, list := nereid.Programs(nereid.Grid{1}), []any{a, b, 2, 3}
		for name, launch := range map[string]func() error{
			"Launch": func() error { return k.Launch(s, grid, list...) },
			"Bind":   func() error { return bound.Launch(nereid.Grid{1}) },
			"genrt": func() error {
				call := typed.Call(scaleConsts{3})
				call.Descriptor(a)
				call.Descriptor(b)
				call.Int(2)
				return call.Launch(s, nereid.Grid{1})
			},
		} {
			if n := testing.AllocsPerRun(100, func() {
				if err := launch(); err != nil {
					t.Fatal(err)
				}
			}); n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
		// a kernel's maps are made once for each tensor; Launch, Bind and the generated code have two kernels
		if n := calls()["cuTensorMapEncodeTiled"]; n != 4 {
			t.Errorf("%d maps were made, not 4", n)
		}
		g, err := s.Capture(func() error { return k.Launch(s, grid, list...) })
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(g.Launch(s), s.Sync(), g.Close()); err != nil {
			t.Error(err)
		}
		calls()
		odd := rowsOf(x, 1, 3, 16, 16)
		for range 2 {
			if err := errors.Join(k.Launch(s, grid, odd, b, 2, 3),
				k.Launch(s, grid, a, b, 2, 3)); err != nil {
				t.Error(err)
			}
		}
		// the kernel for x without a map has one for y
		if got := calls(); got["cuTensorMapEncodeTiled"] != 1 || got["cuModuleLoadDataEx"] != 1 {
			t.Errorf("memory that is not aligned: %v", got)
		}
		if err := bound.SetTensor(0, x); err == nil {
			t.Error("a descriptor was changed to a tensor")
		}
	})
}

const hookedDescriptors = `
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

def set_blocks(nargs):
    if not isinstance(nargs["x_desc"], TensorDescriptor):
        return
    nargs["x_desc"].block_shape = [nargs["M"], nargs["N"]]
    nargs["y_desc"].block_shape = [nargs["M"], nargs["N"]]

configs = [triton.Config({"M": m, "N": n}, num_warps=w, pre_hook=set_blocks)
           for m, n, w in [(2, 8, 1), (4, 16, 2)]]

@triton.autotune(configs=configs, key=["rows"])
@triton.jit
def scale(x_desc, y_desc, rows, M: tl.constexpr, N: tl.constexpr):
    for i in range(0, rows, M):
        for j in range(0, 16, N):
            y_desc.store([i, j], x_desc.load([i, j]) * 3)
`

// TestTunedDescriptors: hooks of configs say what the blocks of descriptors are, as those of Triton's
// tutorials do.
func TestTunedDescriptors(t *testing.T) {
	for _, device := range []string{"cpu", "sim:90"} {
		t.Run(device, func(t *testing.T) {
			s := stream(t, device)
			k := kernelOf(t, "k.py", hookedDescriptors, "scale", nereid.With(nereid.Config{}))
			for range 3 {
				x, _, out := tensors(t, s.Device(), 80)
				a, b := rowsOf(x, 0, 5, 16, 16), rowsOf(out, 0, 5, 16, 16)
				a.Block, b.Block = []int64{1, 1}, []int64{1, 1} // as in the tutorials: none is right
				if err := k.Launch(s, nereid.Grid{1}, a, b, 5); err != nil {
					t.Fatal(err)
				}
				for i := range 80 {
					if got := at(t, out, i); got != 3*float64(i) {
						t.Fatalf("element %d is %v", i, got)
					}
				}
				if a.Block[0] != 1 {
					t.Error("the caller's descriptor was changed")
				}
			}
		})
	}
}
