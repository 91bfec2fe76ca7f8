package layout

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomSpace has up to n dimensions with up to two bits each.
func randomSpace(r *rand.Rand, names string, n int) []Dim {
	var dims []Dim
	for i := range 1 + r.IntN(n) {
		dims = append(dims, Dim{names[i : i+1], 1 << r.IntN(3)})
	}
	return dims
}

func randomLayout(r *rand.Rand, ins, outs []Dim) Layout {
	var bases []Bases
	for _, in := range ins {
		b := Bases{Name: in.Name}
		for range log2(in.Size) {
			v := make([]int, len(outs))
			for i, o := range outs {
				v[i] = r.IntN(o.Size)
			}
			b.Vectors = append(b.Vectors, v)
		}
		bases = append(bases, b)
	}
	return Must(New(bases, outs))
}

// randomSurjective tries until it has one.
func randomSurjective(r *rand.Rand, ins, outs []Dim) (Layout, bool) {
	for range 50 {
		if l := randomLayout(r, ins, outs); l.IsSurjective() {
			return l, true
		}
	}
	return Layout{}, false
}

// points are all points of a space, in the order of its dimensions.
func points(dims []Dim) [][]int {
	out := [][]int{nil}
	for _, d := range dims {
		var next [][]int
		for _, p := range out {
			for x := range d.Size {
				next = append(next, append(slices.Clone(p), x))
			}
		}
		out = next
	}
	return out
}

func each(t *testing.T, n int, f func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	for seed := range uint64(n) {
		f(t, rand.New(rand.NewPCG(seed, 7)))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestApplyIsLinear(t *testing.T) {
	each(t, 200, func(t *testing.T, r *rand.Rand) {
		ins, outs := randomSpace(r, "abc", 3), randomSpace(r, "xyz", 3)
		l := randomLayout(r, ins, outs)
		ps := points(ins)
		p, q := ps[r.IntN(len(ps))], ps[r.IntN(len(ps))]
		sum := make([]int, len(p))
		for i := range p {
			sum[i] = p[i] ^ q[i]
		}
		x, y, z := l.Apply(p...), l.Apply(q...), l.Apply(sum...)
		for i := range z {
			if x[i]^y[i] != z[i] {
				t.Errorf("L(%v) xor L(%v) != L(%v) for%s", p, q, sum, l)
			}
		}
		for _, d := range ins {
			for i := range l.InBits(d.Name) {
				unit := make([]int, len(ins))
				unit[slices.Index(ins, d)] = 1 << i
				if got := l.Apply(unit...); !slices.Equal(got, l.Basis(d.Name, i)) {
					t.Errorf("basis %d of %s: %v, image %v", i, d.Name, l.Basis(d.Name, i), got)
				}
			}
		}
	})
}

// image collects, for each output point, the inputs that map there.
func image(l Layout) map[string][][]int {
	m := map[string][][]int{}
	for _, p := range points(l.InDims()) {
		k := fmt.Sprint(l.Apply(p...))
		m[k] = append(m[k], p)
	}
	return m
}

func TestRankAndKernel(t *testing.T) {
	each(t, 300, func(t *testing.T, r *rand.Rand) {
		l := randomLayout(r, randomSpace(r, "abc", 3), randomSpace(r, "xyz", 3))
		im := image(l)
		if 1<<l.Rank() != len(im) {
			t.Errorf("rank %d, %d points in the image of%s", l.Rank(), len(im), l)
		}
		if l.IsSurjective() != (len(im) == l.TotalOutSize()) ||
			l.IsInjective() != (len(im) == l.TotalInSize()) {
			t.Errorf("surjective %t, injective %t for%s", l.IsSurjective(), l.IsInjective(), l)
		}
		copies := len(im[fmt.Sprint(make([]int, len(l.OutDims())))])
		free := 0
		masks := l.FreeVariables()
		for i, m := range masks {
			free += bits.OnesCount(uint(m))
			if m != l.FreeVariablesIn(l.InNames()[i]) {
				t.Errorf("FreeVariablesIn(%s)", l.InNames()[i])
			}
		}
		if 1<<free != copies {
			t.Errorf("free variables %v, but %d copies of the first element in%s", masks, copies, l)
		}
		// With the free bits 0, the others still reach everything, each once.
		seen := map[string]bool{}
		for _, p := range points(l.InDims()) {
			masked := false
			for i, x := range p {
				masked = masked || x&masks[i] != 0
			}
			if !masked {
				seen[fmt.Sprint(l.Apply(p...))] = true
			}
		}
		if len(seen) != len(im) {
			t.Errorf("without the free variables %v, %d of %d are reached by%s", masks, len(seen), len(im), l)
		}
	})
}

func TestCompose(t *testing.T) {
	each(t, 200, func(t *testing.T, r *rand.Rand) {
		a, b, c := randomSpace(r, "abc", 3), randomSpace(r, "xyz", 3), randomSpace(r, "uvw", 2)
		inner := randomLayout(r, a, b)
		wider := slices.Clone(b)
		for i := range wider {
			wider[i].Size <<= r.IntN(2)
		}
		r.Shuffle(len(wider), func(i, j int) { wider[i], wider[j] = wider[j], wider[i] })
		outer := randomLayout(r, wider, c)
		comp := inner.Compose(outer)
		for _, p := range points(a) {
			mid := inner.Apply(p...)
			args := make([]int, len(wider))
			for i, d := range b {
				args[slices.IndexFunc(wider, func(w Dim) bool { return w.Name == d.Name })] = mid[i]
			}
			if got, want := comp.Apply(p...), outer.Apply(args...); !slices.Equal(got, want) {
				t.Errorf("at %v: %v, want %v", p, got, want)
			}
		}
	})
}

func TestInvertAndCompose(t *testing.T) {
	each(t, 400, func(t *testing.T, r *rand.Rand) {
		outs := randomSpace(r, "xyz", 3)
		outer, ok := randomSurjective(r, randomSpace(r, "abc", 3), outs)
		if !ok {
			return
		}
		smaller := slices.Clone(outs)
		for i := range smaller {
			smaller[i].Size = max(1, smaller[i].Size>>r.IntN(2))
		}
		l := randomLayout(r, randomSpace(r, "abc", 3), smaller)
		if r.IntN(3) == 0 { // dimensions in common
			l = outer
		}
		c := l.InvertAndCompose(outer)
		back := c.Compose(outer)
		if !slices.Equal(c.InNames(), l.InNames()) || !slices.Equal(c.OutNames(), outer.InNames()) {
			t.Errorf("from %v to %v", c.InNames(), c.OutNames())
		}
		for _, p := range points(l.InDims()) {
			if got, want := back.Apply(p...), l.Apply(p...); !slices.Equal(got, want) {
				t.Errorf("outer(C(%v)) = %v, but l is %v there\nl:%s\nouter:%s\nC:%s", p, got, want,
					l, outer, c)
				return
			}
		}
		for _, name := range outer.InNames() {
			if l.Equal(outer) && !c.IsTrivialOver(name) {
				t.Errorf("%s does not have to move, but does in%s", name, c)
			}
		}
	})
}

func TestInvert(t *testing.T) {
	each(t, 300, func(t *testing.T, r *rand.Rand) {
		outs := randomSpace(r, "xyz", 3)
		l, ok := randomSurjective(r, randomSpace(r, "abc", 3), outs)
		if !ok {
			return
		}
		inv := l.PseudoInvert()
		for _, p := range points(outs) {
			if got := inv.Compose(l).Apply(p...); !slices.Equal(got, p) {
				t.Errorf("l(inv(%v)) = %v", p, got)
			}
		}
		if !l.IsInvertible() {
			return
		}
		for _, p := range points(l.InDims()) {
			if got := l.Compose(l.Invert()).Apply(p...); !slices.Equal(got, p) {
				t.Errorf("inv(l(%v)) = %v", p, got)
			}
		}
	})
}

// TestTryInvertAndCompose asks for a conversion that cannot be: the target does not hold all elements.
func TestTryInvertAndCompose(t *testing.T) {
	whole := Identity1D(4, "a", "x")
	half := Zeros1D(2, "b", "x", 4)
	if _, ok := whole.TryInvertAndCompose(half); ok {
		t.Error("found a place for elements that are nowhere")
	}
	if _, ok := half.TryInvertAndCompose(whole); !ok {
		t.Error("found no place for element 0")
	}
}

func TestMulAndDivide(t *testing.T) {
	each(t, 400, func(t *testing.T, r *rand.Rand) {
		l := randomLayout(r, randomSpace(r, "abc", 3), randomSpace(r, "xyz", 3))
		m := randomLayout(r, randomSpace(r, "abd", 3), randomSpace(r, "xyw", 3))
		p := l.Mul(m)
		// By the definition: split each coordinate into its low part, l's, and its high part, m's.
		for _, pt := range points(p.InDims()) {
			lo, hi := make([]int, len(l.InDims())), make([]int, len(m.InDims()))
			for i, d := range p.InDims() {
				x := pt[i]
				if l.HasIn(d.Name) {
					lo[slices.Index(l.InNames(), d.Name)] = x % l.InSize(d.Name)
					x /= l.InSize(d.Name)
				}
				if m.HasIn(d.Name) {
					hi[slices.Index(m.InNames(), d.Name)] = x
				}
			}
			want := make([]int, len(p.OutDims()))
			for i, d := range p.OutDims() {
				shift := 1
				if l.HasOut(d.Name) {
					want[i] = l.Apply(lo...)[slices.Index(l.OutNames(), d.Name)]
					shift = l.OutSize(d.Name)
				}
				if m.HasOut(d.Name) {
					want[i] += shift * m.Apply(hi...)[slices.Index(m.OutNames(), d.Name)]
				}
			}
			if got := p.Apply(pt...); !slices.Equal(got, want) {
				t.Errorf("product at %v: %v, want %v", pt, got, want)
			}
		}
		if q, ok := p.DivideLeft(l); !ok || !l.Mul(q).Equal(p) {
			t.Errorf("cannot divide a product by its left factor%s\n%s", l, m)
		}
		if q, ok := p.DivideRight(m); !ok ||
			!q.Mul(m).TransposeIns(p.InNames()...).TransposeOuts(p.OutNames()...).Equal(p) {
			t.Errorf("cannot divide a product by its right factor%s\n%s", l, m)
		}
	})
}

// TestDivideOnlyFactors checks that a quotient, where there is one, gives the dividend back.
func TestDivideOnlyFactors(t *testing.T) {
	found := 0
	each(t, 2000, func(t *testing.T, r *rand.Rand) {
		ins, outs := []Dim{{"a", 4}, {"b", 2}}, []Dim{{"x", 4}, {"y", 2}}
		l := randomLayout(r, ins, outs)
		b := randomLayout(r, []Dim{{"a", 1 << r.IntN(2)}}, []Dim{{"x", 1 << r.IntN(2)}})
		if q, ok := l.DivideLeft(b); ok {
			found++
			if !b.Mul(q).Equal(l) {
				t.Errorf("%s\ndivided by%s\nis not%s", l, b, q)
			}
		}
	})
	if found < 50 {
		t.Errorf("only %d quotients: the test shows nothing", found)
	}
}

func TestMulOrder(t *testing.T) {
	ab := Identity1D(2, "i", "a").Mul(Identity1D(2, "i", "b"))
	bc := Identity1D(2, "i", "b").Mul(Identity1D(2, "i", "c"))
	ba := Identity1D(2, "i", "b").Mul(Identity1D(2, "i", "a"))
	if got := strings.Join(ab.Mul(bc).OutNames(), ""); got != "abc" {
		t.Errorf("order %s", got)
	}
	mustPanic(t, func() { ab.Mul(ba) })
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}

func TestReshape(t *testing.T) {
	each(t, 200, func(t *testing.T, r *rand.Rand) {
		l := randomLayout(r, []Dim{{"a", 4}, {"b", 2}}, []Dim{{"x", 4}, {"y", 4}})
		flat := l.FlattenIns().FlattenOuts()
		split := l.ReshapeIns(Dim{"p", 2}, Dim{"q", 4}).ReshapeOuts(Dim{"u", 8}, Dim{"v", 2})
		swapped := l.TransposeIns("b", "a").TransposeOuts("y", "x")
		for _, p := range points(l.InDims()) {
			at, v := p[0]+4*p[1], l.Apply(p...)
			w := v[0] + 4*v[1]
			if got := flat.Apply(at)[0]; got != w || flat.ApplyFlat(at) != w {
				t.Errorf("flat: %d, want %d", got, w)
			}
			if got := split.Apply(at%2, at/2); got[0] != w%8 || got[1] != w/8 {
				t.Errorf("split: %v, want %d", got, w)
			}
			if got := swapped.Apply(p[1], p[0]); got[0] != v[1] || got[1] != v[0] {
				t.Errorf("swapped: %v, want %v", got, v)
			}
		}
		if !swapped.Equivalent(l) || swapped.Equal(l) {
			t.Error("a transposed layout is equivalent, not equal")
		}
	})
}

func TestTensorShapes(t *testing.T) {
	l := IdentityND(Register, []int{4, 8}, []int{1, 0}).TransposeOuts("dim0", "dim1")
	for i := range 32 {
		if got := l.Apply(i); got[0] != i/8 || got[1] != i%8 {
			t.Fatalf("register %d is at %v", i, got)
		}
		if got := l.ReshapeTensor([]int{2, 2, 8}).Apply(i); got[0] != i/16 || got[1] != i/8%2 ||
			got[2] != i%8 {
			t.Errorf("reshaped: register %d is at %v", i, got)
		}
		if got := l.PermuteTensor([]int{1, 0}).Apply(i); got[0] != i%8 || got[1] != i/8 {
			t.Errorf("transposed: register %d is at %v", i, got)
		}
		if got := l.DropTensorDim(0).Apply(i); got[0] != i%8 {
			t.Errorf("dropped: register %d is at %v", i, got)
		}
	}
}

func TestResize(t *testing.T) {
	l := Must(New([]Bases{{"a", [][]int{{1, 0}, {2, 1}, {0, 2}}}}, []Dim{{"x", 4}, {"y", 4}}))
	if got := l.ResizeIn("a", 2); !got.Equal(Must(New([]Bases{{"a", [][]int{{1, 0}}}},
		[]Dim{{"x", 4}, {"y", 4}}))) {
		t.Errorf("in:%s", got)
	}
	if got := l.ResizeOut("x", 2); !got.Equal(Must(New([]Bases{{"a", [][]int{{1, 0}, {0, 1}, {0, 2}}}},
		[]Dim{{"x", 2}, {"y", 4}}))) {
		t.Errorf("out:%s", got)
	}
	if got := l.WithOutSize("x", 8); got.OutSize("x") != 8 || !got.EqualIgnoringOutSizes(l) || got.Equal(l) {
		t.Errorf("larger:%s", got)
	}
}

func TestConcat(t *testing.T) {
	a, b := Identity1D(4, "a", "x"), Strided1D(2, 2, "b", "x")
	both := a.ConcatIns(b)
	if got := both.Apply(1, 1)[0]; got != 3 {
		t.Errorf("inputs: %d", got)
	}
	c := Zeros1D(4, "a", "y", 2)
	if got := a.ConcatOuts(c).Apply(3); got[0] != 3 || got[1] != 0 {
		t.Errorf("outputs: %v", got)
	}
	if !a.Mul(Identity1D(1, "b", "x")).DropIn("b").Equal(a) ||
		!a.Mul(Identity1D(1, "a", "y")).DropOut("y").Equal(a) {
		t.Error("dropping")
	}
}

func TestQuotient(t *testing.T) {
	inner := Identity1D(4, "a", "x")
	l := inner.Mul(Identity1D(2, "w", "w"))
	if q, ok := l.Quotient("w"); !ok || !q.Equal(inner) {
		t.Errorf("quotient%s", q)
	}
	if _, ok := l.RenameOut("x", "a").Mul(Identity1D(2, "w", "a")).Quotient("w"); ok {
		t.Error("a dimension that moves another is no trivial one")
	}
	if !l.SublayoutIsZero([]string{"a"}, []string{"w"}) || l.SublayoutIsZero([]string{"a"}, []string{"x"}) {
		t.Error("sublayouts")
	}
}

func TestNumConsecutive(t *testing.T) {
	tests := []struct {
		l    Layout
		want int
	}{
		{Empty(), 1},
		{Identity1D(8, "a", "x"), 8},
		{Identity1D(4, "a", "x").Mul(Identity1D(4, "b", "x")), 4},
		{Strided1D(8, 2, "a", "x"), 1},
		{Must(New([]Bases{{"a", [][]int{{1}, {2}}}, {"b", [][]int{{2}}}}, []Dim{{"x", 4}})), 2},
		{Must(New([]Bases{{"a", [][]int{{1, 0}, {2, 1}}}}, []Dim{{"x", 4}, {"y", 2}})), 2},
	}
	for _, tt := range tests {
		if got := tt.l.NumConsecutive(); got != tt.want {
			t.Errorf("%d, want %d for%s", got, tt.want, tt.l)
		}
	}
}

func TestFit(t *testing.T) {
	l := Identity1D(2, Register, "dim0").Mul(Identity1D(4, Lane, "dim0")).Mul(Identity1D(2, Register, "dim0"))
	// 16 elements in 8: the largest stride, a register's, becomes a copy, or goes.
	if got := l.NotLarger(Shape([]int{8})); !got.Equal(Must(New([]Bases{{Register, [][]int{{1}, {0}}},
		{Lane, [][]int{{2}, {4}}}}, Shape([]int{8})))) {
		t.Errorf("copies:%s", got)
	}
	if got := l.NotLargerDropping(Shape([]int{4}),
		Register); !got.Equal(Must(New([]Bases{{Register, [][]int{{1}}}, {Lane, [][]int{{2}, {0}}}},
		Shape([]int{4})))) {
		t.Errorf("dropped:%s", got)
	}
	if got := l.NotSmaller(Shape([]int{64})); !got.Equal(l.Mul(Identity1D(4, Register, "dim0"))) {
		t.Errorf("grown:%s", got)
	}
}

func TestAction(t *testing.T) {
	l := Must(New([]Bases{{Register, [][]int{{4}, {1}, {0}, {2}}}}, []Dim{{Offset, 8}}))
	n, order := LargestVector(l.RemoveZeroBases(Register), 8)
	if n != 8 || !slices.Equal(order.Bits, []int{1, 2, 0}) {
		t.Errorf("vector of %d by %v", n, order.Bits)
	}
	a := NonZero(l, Register)
	values := make([]int, 16)
	for i := range values {
		values[i] = l.ApplyFlat(i)
	}
	kept := Permute(a, values)
	for i, v := range kept {
		if want := a.Apply(l).ApplyFlat(i); v != want {
			t.Errorf("register %d holds %d, want %d", i, v, want)
		}
	}
	both := a.Then(order)
	if got, want := both.Apply(l), order.Apply(a.Apply(l)); !got.Equal(want) {
		t.Errorf("one action after the other: %s\nwant%s", got, want)
	}
	if !order.Then(order.Inverse()).IsIdentity() ||
		!order.Inverse().Apply(order.Apply(a.Apply(l))).Equal(a.Apply(l)) {
		t.Error("inverse")
	}
	if n, _ := LargestVector(Identity1D(2, Register,
		Offset).Mul(Identity1D(4, Lane, Offset)).Mul(Identity1D(2, Register, Offset)), 8); n != 2 {
		t.Errorf("vector of %d over lanes", n)
	}
}

func TestFacts(t *testing.T) {
	// sizePerThread [1,2], threadsPerWarp [4,8], warps [2,1], order [1,0], on 16x64
	l := Product(IdentityND(Register, []int{1, 2}, []int{1, 0}), IdentityND(Lane, []int{4, 8}, []int{1, 0}),
		IdentityND(Warp, []int{2, 1}, []int{1, 0})).NotSmaller(Shape([]int{16, 64})).TransposeOuts("dim0",
		"dim1")
	tests := []struct {
		name      string
		got, want []int
	}{
		{"lanes", l.CountPerDim(Lane), []int{4, 8}},
		{"warps", l.CountPerDim(Warp), []int{2, 1}},
		{"registers", l.CountPerDim(Register), []int{2, 8}},
		{"size per thread", l.SizePerThread(), []int{1, 2}},
		{"order", l.Order(), []int{1, 0}},
		{"thread order", l.ThreadOrder(), []int{1, 0}},
		{"warp order", l.WarpOrder(), []int{0, 1}},
		{"contiguous per thread", l.ContigPerThread(), []int{1, 2}},
		{"contiguous per warp", l.ContigPerWarp(), []int{4, 16}},
	}
	for _, tt := range tests {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

func TestNew(t *testing.T) {
	outs := []Dim{{"x", 4}}
	tests := []struct {
		ins  []Bases
		outs []Dim
		want string
	}{
		{[]Bases{{"a", [][]int{{4}}}}, outs, "basis vector 0 of a: 4 is outside of x, whose size is 4"},
		{[]Bases{{"a", [][]int{{1}, {-1}}}}, outs,
			"basis vector 1 of a: -1 is outside of x, whose size is 4"},
		{[]Bases{{"a", [][]int{{1, 1}}}}, outs, "basis vector 0 of a: 2 entries for 1 dimensions"},
		{nil, []Dim{{"x", 3}}, "size 3 of x is no power of two"},
		{nil, []Dim{{"x", 2}, {"x", 2}}, "dimension x twice"},
		{[]Bases{{Name: "a"}, {Name: "a"}}, outs, "dimension a twice"},
	}
	for _, tt := range tests {
		if _, err := New(tt.ins, tt.outs); err == nil || err.Error() != tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
	if _, err := NewSurjective([]Bases{{"a", [][]int{{1}, {4}}}}, []string{"x"}); err == nil {
		t.Error("2 is not reached")
	}
	if l, err := NewSurjective([]Bases{{"a", [][]int{{1}, {3}}}}, []string{"x"}); err != nil ||
		l.OutSize("x") != 4 {
		t.Errorf("%v, size %d", err, l.OutSize("x"))
	}
}

func TestString(t *testing.T) {
	l := Identity1D(2, Register, "dim0").Mul(Identity1D(1, Lane, "dim1")).Mul(Strided1D(4, 2, Warp, "dim1"))
	want := `
 - register=1 -> (1, 0)
 - lane is a size 1 dimension
 - warp=1 -> (0, 2)
   warp=2 -> (0, 4)
where out dims are: [dim0 (size 2), dim1 (size 8)]`
	if got := l.String(); got != want {
		t.Errorf("%s\nwant%s", got, want)
	}
	if l.Key() == l.TransposeOuts("dim1", "dim0").Key() ||
		l.Key() != Must(New(l.AllBases(), l.OutDims())).Key() {
		t.Error("keys")
	}
}

func TestPicture(t *testing.T) {
	l := Product(IdentityND(Register, []int{1, 2}, []int{1, 0}), IdentityND(Lane, []int{2, 1}, []int{1, 0}),
		Zeros1D(2, Warp, "dim0", 1)).TransposeOuts("dim0", "dim1")
	want := "w0,1:t0:r0 w0,1:t0:r1\nw0,1:t1:r0 w0,1:t1:r1\n"
	if got := l.Picture(); got != want {
		t.Errorf("picture:\n%swant:\n%s", got, want)
	}
	swizzled := Must(New([]Bases{{Offset, [][]int{{0, 1}, {0, 2}, {1, 1}}}}, Shape([]int{2, 4})))
	if got, want := swizzled.Picture(), "0 1 2 3\n5 4 7 6\n"; got != want {
		t.Errorf("picture:\n%swant:\n%s", got, want)
	}
	cube := IdentityND(Offset, []int{2, 1, 2}, []int{2, 1, 0}).TransposeOuts("dim0", "dim1", "dim2")
	if got, want := cube.Picture(), "[0, :, :]\n0 1\n[1, :, :]\n2 3\n"; got != want {
		t.Errorf("picture:\n%swant:\n%s", got, want)
	}
}
