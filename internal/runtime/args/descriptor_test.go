package args

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/signature"
)

// TestDescriptorClass: a descriptor's class says its element type and block, and whether the hardware can
// describe the tensor.
func TestDescriptorClass(t *testing.T) {
	seen := map[Class]string{}
	for _, elem := range []dtype.Type{dtype.Float16, dtype.Int8, dtype.Float8E4B15} {
		for _, block := range [][]int64{{1}, {1024}, {64, 32}, {32, 64}, {1, 64, 32}, {1, 1, 128, 64},
			{2, 2, 2, 2, 2}, {1024, 1024, 1024, 1024, 1024}} {
			d := &Descriptor{Base: &Tensor{Elem: elem, Addr: 4096}, Block: block,
				Shape: make([]int64, len(block)), Strides: make([]int64, len(block))}
			c, ok := d.Class(4096)
			name := fmt.Sprint(elem, block)
			if !ok || c.elem() != elem || !slices.Equal(c.block(), block) || c.Words() != 4*len(block)+2 ||
				c&ClassKind != ClassDesc || seen[c] != "" {
				t.Errorf("%s: %v, %s %v, %d words, like %q", name, ok, c.elem(), c.block(),
					c.Words(), seen[c])
			}
			seen[c] = name
		}
	}
	for _, block := range [][]int64{{}, {0}, {3}, {2048}, {1, 1, 1, 1, 1, 1}} {
		d := &Descriptor{Base: &Tensor{Elem: dtype.Int8, Addr: 16}, Block: block,
			Shape: make([]int64, len(block)), Strides: make([]int64, len(block))}
		if c, ok := d.Class(16); ok {
			t.Errorf("blocks of %v have the class %#x", block, c)
		}
	}
}

func TestMappable(t *testing.T) {
	for _, c := range []struct {
		addr           uint64
		elem           dtype.Type
		shape, strides []int64
		want           bool
	}{
		{4096, dtype.Float16, []int64{64, 64}, []int64{64, 1}, true},
		{4112, dtype.Float16, []int64{64, 64}, []int64{8, 1}, true},
		{4104, dtype.Float16, []int64{64, 64}, []int64{64, 1}, false},
		{4096, dtype.Float16, []int64{64, 64}, []int64{65, 1}, false},
		{4096, dtype.Float16, []int64{64, 64}, []int64{64, 2}, false},
		{4096, dtype.Float32, []int64{64, 64}, []int64{4, 1}, true},
		{4096, dtype.Int8, []int64{64, 64}, []int64{8, 1}, false},
		{4096, dtype.Int8, []int64{64, 64}, []int64{0, 1}, false},
		{4096, dtype.Int8, []int64{64, 64}, []int64{-16, 1}, false},
		{4096, dtype.Int8, []int64{64, 64}, []int64{1 << 40, 1}, false},
		{4096, dtype.Int8, []int64{0, 64}, []int64{16, 1}, false},
		{4096, dtype.Int8, []int64{1 << 31, 64}, []int64{16, 1}, false},
		{4096, dtype.Float16, []int64{3, 5, 64}, []int64{320, 64, 1}, true},
		{4096, dtype.Float16, []int64{3, 5, 64}, []int64{321, 64, 1}, false},
		{4096, dtype.Float16, []int64{1, 5, 64}, []int64{0, 64, 1}, true},
		{4096, dtype.Float16, []int64{3, 5, 64}, []int64{0, 64, 1}, false},
		{4096, dtype.Float16, []int64{64, 60}, []int64{64, 1}, false},
		{4096, dtype.Int8, []int64{16}, []int64{1}, true},
		{4096, dtype.Int8, []int64{7}, []int64{1}, false},
		{4096, dtype.Float8E5, []int64{48}, []int64{1}, true},
	} {
		d := &Descriptor{Base: &Tensor{Elem: c.elem, Addr: c.addr}, Shape: c.shape, Strides: c.strides,
			Block: slices.Repeat([]int64{16}, len(c.shape))}
		if got := d.mappable(c.addr); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
		if d.NaN = true; d.mappable(c.addr) != (c.want && c.elem != dtype.Float8E5) {
			t.Errorf("%+v, padded with NaN: %v", c, !c.want)
		}
		class, ok := d.Class(c.addr)
		if !ok || (class&ClassDiv16 != 0) != d.mappable(c.addr) {
			t.Errorf("%+v: class %#x, %v", c, class, ok)
		}
	}
}

// TestDescriptorSpecs: both ways give the same words and classes, and the compiler learns what they say.
func TestDescriptorSpecs(t *testing.T) {
	params := NewParams([]signature.Param{{Name: "d"}, {Name: "n"}})
	for strides, want := range map[int64]string{64: "tensordesc<fp16[32, 16]>, i32",
		63: "tensordesc<fp16[32, 16]>:pointer, i32"} {
		d := &Descriptor{Base: &Tensor{Elem: dtype.Float16, Addr: 4096}, Shape: []int64{5, 56},
			Strides: []int64{strides, 1}, Block: []int64{32, 16}, NaN: true}
		var short, long Frame
		if err := short.Specialize(params, []any{d, 7}, nil); err != nil {
			t.Fatal(err)
		}
		if err := long.Specialize(params, []any{d, 7}, lender{}); err != nil {
			t.Fatal(err)
		}
		words := []uint64{4096, 5, 56, uint64(strides), 1, 1, 5, 56, uint64(strides), 1, 7}
		if !short.Same(&long.Look) || !slices.Equal(short.Words, words) || !slices.Equal(long.Words, words) ||
			!short.Described {
			t.Errorf("%v and %v, %v and %v", short.Classes, long.Classes, short.Words, long.Words)
		}
		specs, err := long.Specs(params)
		if got := signature.Format(specs); err != nil || got != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
		if n := testing.AllocsPerRun(100, func() { _ = short.Specialize(params, []any{d, 7}, nil) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}
