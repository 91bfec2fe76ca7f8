package gomlx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/nereid-lang/nereid"
	"github.com/pkg/errors"
)

// Sort implements compute.Function. All sorts are stable. The comparator's parameters are in pairs, two
// of each tensor, as GoMLX gives them.
func (f *Function) Sort(comparator compute.Function, axis int, stable bool, inputs ...compute.Value) (
	[]compute.Value, error) {
	s, err := f.sub("Sort", comparator)
	if err != nil {
		return nil, err
	}
	in, err := f.values("Sort", inputs...)
	if err != nil {
		return nil, err
	}
	if len(in) == 0 || len(s.params) != 2*len(in) || len(s.outputs) != 1 ||
		s.outputs[0].shape.DType != dtypes.Bool || !s.outputs[0].shape.IsScalar() {
		return nil, errors.Errorf("Sort: a comparator of %d parameters for %d tensors", len(s.params),
			len(in))
	}
	rank := in[0].shape.Rank()
	if axis < 0 {
		axis += rank
	}
	if axis < 0 || axis >= rank {
		return nil, errors.Errorf("Sort: axis %d of %s", axis, in[0].shape)
	}
	for i, n := range in {
		if !n.shape.EqualDimensions(in[0].shape) {
			return nil, errors.Errorf("Sort: the shapes %s and %s", in[0].shape, n.shape)
		}
		for _, p := range s.params[2*i : 2*i+2] {
			if !p.shape.IsScalar() || p.shape.DType != n.shape.DType {
				return nil, errors.Errorf("Sort: a parameter of the comparator is %s, not a %s", p.shape,
					n.shape.DType)
			}
		}
	}
	return f.calls(compute.OpTypeSort, in, shapesOf(in), control{axis: axis,
		again: func(f *Function, in []compute.Value, subs []*Function) ([]compute.Value, error) {
			return f.Sort(subs[0], axis, stable, in[:len(s.params)/2]...)
		}}, s)
}

// lowerSort makes a sorting network: launches that each compare pairs of elements, and exchange those in
// the wrong order. Elements carry their places along, which decide between equal ones. All comparisons
// put the smaller element first, so that places behind the end need no elements.
func lowerSort(l *lowering, n *node) error {
	c, cmp := n.attr.(control), n.subs[0]
	outs := l.madeSlots(n, tempBlock)
	dims := n.outs[0].Dimensions
	for i := range outs {
		l.copyStep(l.slotOf[n.inputs[i]], outs[i])
	}
	size, length := product(dims), dims[c.axis]
	if size == 0 || length < 2 {
		return nil
	}
	places := l.newSlot(tempBlock, shapes.Make(dtypes.Int32, dims...))
	if err := l.iotaStep(places, length, product(dims[c.axis+1:])); err != nil {
		return err
	}
	for _, m := range cmp.nodes {
		if m.op != compute.OpTypeParameter && m.op != opCapture && m.op != compute.OpTypeConstant &&
			!fusible(m) {
			return missing("%s in the comparator of Sort", opName(m))
		}
	}
	for i, x := range cmp.captured {
		l.slotOf[x] = l.slotOf[n.inputs[c.first[0]+i]]
	}
	text, leaves := sortText(cmp, n.outs, length, product(dims[c.axis+1:]))
	slots := slices.Concat(l.slotsOf(leaves), outs, []int{places})
	pairs := size / length * pow2(length) / 2
	block := min(l.b.tileElements()/4, max(16, pow2(pairs)))
	for h := 2; h <= pow2(length); h *= 2 {
		for g := h; g > 1; g /= 2 {
			if err := l.launchOn("sort", text, slots, nereid.Grid{nereid.Cdiv(pairs, block)}, pairs, g,
				g == h, block); err != nil {
				return err
			}
		}
	}
	return nil
}

// iotaStep fills a slot with places along an axis.
func (l *lowering) iotaStep(s, length, inner int) error {
	size := product(l.slots[s].dims)
	c := min(l.b.tileElements(), max(16, pow2(size)))
	lines := []string{"    i = tl.program_id(0) * C + tl.arange(0, C)",
		fmt.Sprintf("    tl.store(out0 + i, i // %d %% %d, mask=i < n)", inner, length)}
	return l.launchOn("places", sourceOf("places", []string{"out0", "n", "C: tl.constexpr"}, lines), []int{s},
		nereid.Grid{nereid.Cdiv(size, c)}, size, c)
}

// sortText writes the kernel of one launch: blocks of h elements, in which the first half is compared
// with the second, in reverse order if FLIP.
func sortText(cmp *Function, types []shapes.Shape, length, inner int) (string, []*node) {
	k := newKernelText(func(n *node) bool { return n.op == opCapture })
	half := pow2(length) / 2
	k.line("i = tl.program_id(0) * C + tl.arange(0, C)")
	k.line("line = i // %d", half)
	k.line("pair = i %% %d", half)
	k.line("half = h // 2")
	k.line("first = pair // half * h")
	k.line("a = first + pair %% half")
	k.open("if FLIP:")
	k.line("b = first + h - 1 - pair %% half")
	k.close()
	k.open("else:")
	k.line("b = a + half")
	k.close()
	k.line("inside = (i < n) & (a < %d) & (b < %d)", length, length)
	k.line("base = line // %d * %d + line %% %d", inner, length*inner, inner)
	k.line("a = base + a * %d", inner)
	k.line("b = base + b * %d", inner)
	k.colIn = expr{"inside", false, true}
	var left, right []value
	for i, s := range types {
		dt := s.DType
		for _, side := range []string{"a", "b"} {
			text := fmt.Sprintf("tl.load(y%d + %s, mask=inside, other=0)", i, side)
			if computed(dt) != dt {
				text += ".to(" + languageNames[computed(dt)] + ")"
			}
			v := value{k.let(expr{text, false, true}), computed(dt)}
			if side == "a" {
				left = append(left, v)
			} else {
				right = append(right, v)
			}
		}
	}
	k.line("place_a = tl.load(place + a, mask=inside, other=0)")
	k.line("place_b = tl.load(place + b, mask=inside, other=0)")
	before := func(x, y []value) string {
		k.memo = append(k.memo, map[string]value{})
		for i := range x {
			k.memo[len(k.memo)-1][fmt.Sprintf("%d|%s", cmp.params[2*i].id, index{}.key())] = x[i]
			k.memo[len(k.memo)-1][fmt.Sprintf("%d|%s", cmp.params[2*i+1].id, index{}.key())] = y[i]
		}
		v := k.eval(cmp.outputs[0], index{})
		k.memo = k.memo[:len(k.memo)-1]
		return v.s
	}
	k.line("swap = inside & (%s | ((place_b < place_a) & ~%s))", before(right, left), before(left, right))
	for i, s := range types {
		k.line("tl.store(y%d + a, %s, mask=swap)", i, storedText(right[i], s.DType))
		k.line("tl.store(y%d + b, %s, mask=swap)", i, storedText(left[i], s.DType))
	}
	k.line("tl.store(place + a, place_b, mask=swap)")
	k.line("tl.store(place + b, place_a, mask=swap)")
	var params []string
	for i := range k.leaves {
		params = append(params, fmt.Sprintf("x%d", i))
	}
	for i := range types {
		params = append(params, fmt.Sprintf("y%d", i))
	}
	params = append(params, "place", "n", "h", "FLIP: tl.constexpr", "C: tl.constexpr")
	text := sourceOf("sort", params, k.lines)
	return strings.Replace(text, "@triton.jit\n", "@triton.jit(do_not_specialize=[\"h\"])\n", 1), k.leaves
}
