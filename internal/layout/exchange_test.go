package layout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// wavefronts is how many times the banks must be accessed for one instruction of a warp, at worst, and how
// many times at least, given the bytes that it moves. access maps (register, lane, warp, …) to (offset,
// round).
func wavefronts(access Layout, bits, vec int) (worst, least int) {
	perThread := max(4, vec*bits/8)
	lanes := min(32, 128/perThread) // of one phase
	for reg := 0; reg < access.InSize(Register); reg += vec {
		for phase := 0; phase < 32/lanes; phase++ {
			words := map[int]map[int]bool{}
			all := map[int]bool{}
			for lane := phase * lanes; lane < (phase+1)*lanes; lane++ {
				in := make([]int, len(access.InNames()))
				in[slices.Index(access.InNames(), Register)] = reg
				in[slices.Index(access.InNames(), Lane)] = lane
				first := access.Apply(in...)[0] * bits / 8
				for b := 0; b < max(1, vec*bits/8); b++ {
					w := (first + b) / 4
					if words[w%32] == nil {
						words[w%32] = map[int]bool{}
					}
					words[w%32][w] = true
					all[w] = true
				}
			}
			for _, ws := range words {
				worst = max(worst, len(ws))
			}
			least = max(least, (len(all)+31)/32)
		}
	}
	return worst, least
}

// vectorOf is how many registers in a row an access may move at once.
func vectorOf(access Layout, bits int) (int, Layout) {
	n, order := LargestVector(access, 128/bits)
	return n, order.Apply(access)
}

// checkExchange looks whether an exchange holds every element once, rounds are rounds on both sides, and
// how often banks are accessed.
func checkExchange(t *testing.T, src, dst Layout, bits int) (conflicts bool) {
	t.Helper()
	src, dst = src.RemoveZeroBases(Register), dst.RemoveZeroBases(Register)
	mem := Exchange(src, dst, bits)
	if !mem.IsInvertible() {
		t.Fatalf("not every element has one place in%s", mem)
	}
	for _, l := range []Layout{src, dst} {
		access := l.InvertAndCompose(mem)
		for _, in := range access.InNames() {
			for i := range access.InBits(in) {
				if r := access.BasisAlong(in, i, Rounds); r != 0 && in != Register {
					t.Fatalf("%s decides about rounds in%s", in, access)
				}
			}
		}
		n, access := vectorOf(access, bits)
		if worst, least := wavefronts(access, bits, n); worst > least {
			conflicts = true
		}
	}
	return conflicts
}

// TestExchange takes random conversions between layouts of unit vectors, like blocked ones and those of
// tensor cores.
func TestExchange(t *testing.T) {
	conflicts, n := 0, 0
	each(t, 400, func(t *testing.T, r *rand.Rand) {
		dim := 7 + r.IntN(6)
		bits := 8 << r.IntN(4)
		if checkExchange(t, randomRegisters(r, dim), randomRegisters(r, dim), bits) {
			conflicts++
		}
		n++
	})
	if conflicts > 0 {
		t.Errorf("%d of %d conversions have bank conflicts", conflicts, n)
	}
}

// randomRegisters deals the bits of a tensor out to lanes, warps and registers.
func randomRegisters(r *rand.Rand, dim int) Layout {
	perm := r.Perm(dim)
	unit := func(list []int) [][]int {
		var out [][]int
		for _, b := range list {
			out = append(out, []int{1 << b})
		}
		return out
	}
	warps := min(2, dim-5)
	return Must(New([]Bases{{Register, unit(perm[5+warps:])}, {Lane, unit(perm[:5])},
		{Warp, unit(perm[5 : 5+warps])}}, []Dim{{"dim0", 1 << dim}}))
}

// TestExchangeKnown: conversions that every kernel has are free of conflicts.
func TestExchangeKnown(t *testing.T) {
	tile := func(regs, lanes, warps []int, order []int) Layout {
		return Product(IdentityND(Register, regs, order), IdentityND(Lane, lanes, order),
			IdentityND(Warp, warps, order)).
			NotSmaller(Shape([]int{64, 64})).TransposeOuts("dim0", "dim1")
	}
	rows := func(v int) Layout {
		return tile([]int{1, v}, []int{32 * v / 64, 64 / v}, []int{4, 1}, []int{1, 0})
	}
	cols := func(v int) Layout {
		return tile([]int{v, 1}, []int{64 / v, 32 * v / 64}, []int{1, 4}, []int{0, 1})
	}
	mma := Product(Identity1D(2, Register, "dim1"), Identity1D(4, Lane, "dim1"), Identity1D(8, Lane, "dim0"),
		Identity1D(2, Register, "dim0")).
		TransposeOuts("dim1", "dim0").Mul(Identity1D(4, Warp,
		"dim0")).NotSmaller(Shape([]int{64, 64})).TransposeOuts("dim0", "dim1")
	tests := []struct {
		name     string
		src, dst Layout
		bits     int
	}{
		{"transpose of f32", rows(4), cols(4), 32},
		{"transpose of f16", rows(8), cols(8), 16},
		{"accumulator to rows, f32", mma, rows(4), 32},
		{"accumulator to rows, f16", mma, rows(8), 16},
		{"rows to rows, f16", rows(8), rows(4), 16},
	}
	for _, tt := range tests {
		if checkExchange(t, tt.src, tt.dst, tt.bits) {
			t.Errorf("%s has bank conflicts: from%s\nto%s\nby%s", tt.name, tt.src, tt.dst,
				Exchange(tt.src, tt.dst, tt.bits))
		}
	}
	mem := Exchange(rows(8), rows(8), 16)
	if mem.InSize(Rounds) < 2 {
		t.Errorf("what stays in its registers needs no more than a round's memory:%s", mem)
	}
	mustPanic(t, func() { Exchange(rows(8), Zeros1D(2, Register, "dim0", 64), 16) })
}

func ExampleExchange() {
	// A warp has 4 elements in a row and wants 4 in a column, of an 16x8 tensor of 32 bits.
	src := Product(Identity1D(4, Register, "dim1"), Identity1D(2, Lane, "dim1"),
		Identity1D(16, Lane, "dim0")).TransposeOuts("dim0", "dim1")
	dst := Product(Identity1D(4, Register, "dim0"), Identity1D(4, Lane, "dim0"), Identity1D(8, Lane, "dim1"))
	mem := Exchange(src, dst, 32)
	fmt.Println(mem.InDims())
	store, vec := src.InvertAndCompose(mem), 0
	vec, _ = LargestVector(store, 4)
	fmt.Println(vec, "elements stored at once")
	// Output:
	// [{offset 128} {round 1}]
	// 1 elements stored at once
}
