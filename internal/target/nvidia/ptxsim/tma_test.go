package ptxsim

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// tritonKernel is a kernel of testdata/tma/tma.py that Triton has compiled:
//
//	peer/oracle.py stages OUT --specs testdata/tma/specs.json --target cuda:90
//
// Of the PTX, the sections of debug information and the folders of file names are left out.
type tritonKernel struct {
	m    *Module
	meta struct {
		Name            string
		Shared, Scratch int
		TensorDesc      []struct {
			Swizzle  int   `json:"swizzle"`
			ElemType int   `json:"elem_type"`
			Block    []int `json:"block_size"`
		}
	}
}

func readTriton(t *testing.T, name string, change func(string) string) *tritonKernel {
	t.Helper()
	k := &tritonKernel{}
	text, err := os.ReadFile("testdata/tma/" + name + ".ptx")
	if err != nil {
		t.Fatal(err)
	}
	meta, err := os.ReadFile("testdata/tma/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(meta, &k.meta)
	}
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		text = []byte(change(string(text)))
	}
	if k.m, err = Parse(text); err != nil {
		t.Fatal(err)
	}
	return k
}

// tensorOf is a matrix, or a tensor of any rank, of floats in memory.
type tensorOf struct {
	format *num.Format
	shape  []int
	pitch  int // elements from row to row
	data   []byte
	addr   uint64
}

func newTensor(mem *Memory, f *num.Format, fill func(i int) float64, shape ...int) *tensorOf {
	last := shape[len(shape)-1]
	x := &tensorOf{format: f, shape: shape, pitch: (last + 15) &^ 15}
	n := x.pitch
	for _, d := range shape[:len(shape)-1] {
		n *= d
	}
	x.data = make([]byte, n*f.Bits/8)
	for i := range n {
		simmem.Store(x.data[i*f.Bits/8:], f.Encode(fill(i)), f.Bits/8)
	}
	x.addr = mem.Alloc(x.data)
	return x
}

func (x *tensorOf) at(i ...int) float64 {
	k := 0
	for d, n := range i {
		if d == len(i)-1 {
			k *= x.pitch
		} else if d > 0 {
			k *= x.shape[d]
		}
		k += n
	}
	return x.format.Decode(simmem.Load(x.data[k*x.format.Bits/8:], x.format.Bits/8))
}

// args appends the arguments of a descriptor: its map, sizes and strides.
func (k *tritonKernel) args(l *Launch, number int, x *tensorOf, nan bool) {
	d := k.meta.TensorDesc[number]
	m := &TensorMap{Address: x.addr, Type: d.ElemType, Swizzle: swizzles[d.Swizzle], NaN: nan}
	stride := uint64(x.format.Bits / 8)
	for i := len(x.shape) - 1; i >= 0; i-- {
		m.Dims, m.Box = append(m.Dims, uint64(x.shape[i])), append(m.Box, uint32(d.Block[i]))
		if i == len(x.shape)-1 {
			stride *= uint64(x.pitch)
			continue
		}
		m.Strides = append(m.Strides, stride)
		stride *= uint64(x.shape[i])
	}
	if l.Bytes == nil {
		l.Bytes = map[int][]byte{}
	}
	l.Bytes[len(l.Args)] = m.Encode()
	l.Args = append(l.Args, 0)
	for _, n := range x.shape {
		l.Args = append(l.Args, uint64(n))
	}
	for range x.shape {
		l.Args = append(l.Args, 0) // kernels of descriptors alone do not read them
	}
}

var (
	f16 = types["f16"].fmt
	f32 = types["f32"].fmt
)

// product runs one of the products and compares it with one in float64.
func product2(t *testing.T, name string, change func(string) string, m, n, k int, l Launch) error {
	t.Helper()
	x := readTriton(t, name, change)
	r := rand.New(rand.NewPCG(1, 2))
	random := func(int) float64 { return r.Float64()*2 - 1 }
	mem := NewMemory()
	a, b := newTensor(mem, f16, random, m, k), newTensor(mem, f16, random, n, k)
	c := newTensor(mem, f16, func(int) float64 { return -7 }, m, n)
	l.Kernel, l.Shared, l.Memory, l.Lax = x.meta.Name, x.meta.Shared, mem, true
	bm, bn := 64, 64
	if name == "narrow" {
		bn = 128
	}
	if name == "made" {
		if k%16+n%16 != 0 {
			t.Fatal("these sizes are strides")
		}
		l.Grid = [3]int{3, 1, 1}
		l.Args = []uint64{a.addr, b.addr, c.addr, uint64(m), uint64(n), uint64(k),
			mem.Alloc(make([]byte, 3*x.meta.Scratch)), 0}
	} else {
		l.Grid = [3]int{(m + bm - 1) / bm, (n + bn - 1) / bn, 1}
		for i, d := range []*tensorOf{a, b, c} {
			x.args(&l, i, d, false)
		}
		l.Args = append(l.Args, uint64(m), uint64(n), uint64(k))
	}
	if err := x.m.Run(context.Background(), &l); err != nil {
		return err
	}
	for i := range m {
		for j := range c.pitch {
			want := -7.0
			if j < n {
				want = 0
				for p := range k {
					want += a.at(i, p) * b.at(j, p)
				}
			}
			if got := c.at(i, j); math.Abs(got-want) > 2e-3*max(1, math.Abs(want)) {
				return fmt.Errorf("c[%d, %d] is %v, not %v", i, j, got, want)
			}
		}
	}
	return nil
}

// TestTritonTMA runs what Triton made of products with descriptors: passed as maps, made in the kernel, and
// with producers and consumers in warps of their own.
func TestTritonTMA(t *testing.T) {
	for _, name := range []string{"passed", "narrow", "specialized", "made"} {
		for _, size := range [][3]int{{64, 64, 320}, {64, 128, 64}, {100, 72, 136}} {
			if name == "made" {
				size = [3]int{size[0], size[1] &^ 15, size[2] &^ 15}
			}
			list := []Launch{{}}
			if size[0] == 100 {
				list = everyOrder(t)
			}
			for _, l := range list {
				if err := product2(t, name, nil, size[0], size[1], size[2], l); err != nil {
					t.Fatalf("%s %v, %+v: %v", name, size, l, err)
				}
			}
		}
	}
}

// TestTritonReduce adds blocks of rows to one block.
func TestTritonReduce(t *testing.T) {
	x := readTriton(t, "add_rows", nil)
	mem := NewMemory()
	in := newTensor(mem, f32, func(i int) float64 { return float64(i % 97) }, 90, 64)
	out := newTensor(mem, f32, func(int) float64 { return 1 }, 32, 64)
	l := Launch{Kernel: x.meta.Name, Shared: x.meta.Shared, Memory: mem, Lax: true,
		Grid: [3]int{3, 1, 1}}
	x.args(&l, 0, in, false)
	x.args(&l, 1, out, false)
	if err := x.m.Run(context.Background(), &l); err != nil {
		t.Fatal(err)
	}
	for i := range 32 {
		for j := range 64 {
			want := 1.0
			for r := i; r < 90; r += 32 {
				want += in.at(r, j)
			}
			if got := out.at(i, j); got != want {
				t.Fatalf("out[%d, %d] is %v, not %v", i, j, got, want)
			}
		}
	}
}

// TestTritonShift: three dimensions; blocks that begin before the tensor and end behind it are padded when
// loaded, and cut off when stored. Columns are multiples of 16 bytes (see TestIllegalBulk).
func TestTritonShift(t *testing.T) {
	x := readTriton(t, "shift", nil)
	for _, at := range [][2]int{{0, 0}, {0, 1}, {8, 2}, {16, 4}, {24, 5}} {
		for _, nan := range []bool{false, true} {
			mem := NewMemory()
			in := newTensor(mem, f16, func(i int) float64 { return float64(i % 1000) }, 6, 3, 24)
			out := newTensor(mem, f16, func(int) float64 { return -1 }, 7, 2, 40)
			l := Launch{Kernel: x.meta.Name, Shared: x.meta.Shared, Memory: mem, Lax: true,
				Grid: [3]int{1, 1, 1}}
			x.args(&l, 0, in, nan)
			x.args(&l, 1, out, false)
			l.Args = append(l.Args, uint64(uint32(at[0])), uint64(uint32(at[1])))
			if err := x.m.Run(context.Background(), &l); err != nil {
				t.Fatal(err)
			}
			for i := range 7 {
				for j := range 2 {
					for k := range 40 {
						want := -1.0
						inBox := i >= at[1] && i < at[1]+4 && k >= at[0] && k < at[0]+16
						switch {
						case inBox && i < 6 && k < 24:
							want = in.at(i, j, k)
						case inBox && nan:
							want = math.NaN()
						case inBox:
							want = 0
						}
						if got := out.at(i, j, k); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
							t.Fatalf("%v: out[%d, %d, %d] is %v, not %v", at, i, j, k, got, want)
						}
					}
				}
			}
		}
	}
}

// TestTritonFaults takes away from Triton's code what makes it right.
func TestTritonFaults(t *testing.T) {
	drop := func(line string) func(string) string {
		return func(s string) string {
			if !strings.Contains(s, line) {
				t.Errorf("there is no %q", line)
			}
			lines := strings.Split(s, "\n")
			return strings.Join(slices.DeleteFunc(lines, func(l string) bool {
				return strings.Contains(l, line)
			}), "\n")
		}
	}
	for _, c := range []struct {
		name, kernel string
		change       func(string) string
		want         string
	}{
		{"no wait", "passed", drop("@!complete bra.uni waitLoop;"), "without a wait"},
		{"no fence before the store", "passed", drop("fence.proxy.async.shared::cta;"),
			"no fence.proxy.async"},
		{"too few bytes", "passed", func(s string) string {
			return strings.ReplaceAll(s, ", 16384;", ", 16000;")
		}, "deadlock"},
		{"no arrival", "specialized", drop("mbarrier.arrive.shared::cta.b64"), "deadlock"},
		{"no acquire of the map", "made", drop("fence.proxy.tensormap::generic.acquire.gpu"),
			"not made visible"},
	} {
		err := product2(t, c.kernel, c.change, 64, 64, 320, Launch{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
