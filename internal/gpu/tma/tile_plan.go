package tma

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// How the addresses of an access are those of a tile: strides, dimensions and coordinates. Bounds are in
// tile_bounds.go.

// plan returns how a load is a tile, nil if it may be none.
func (t *tiler) plan(load *ir.Op) *tilePlan {
	if !isPlainLoad(load) {
		return nil
	}
	p := t.shape(load, ttgir.TensorOf(load.Result(0)))
	if p == nil || t.stored(p.base) {
		return nil
	}
	p.apart = t.storedBefore(load)
	return p
}

// shape returns how a load or a store of a tensor is a tile, nil if it may be none. Whether other accesses
// must be ordered with it is not looked at.
func (t *tiler) shape(op *ir.Op, typ *ir.TensorType) *tilePlan {
	if typ == nil || typ.Rank() != 2 || !fitsTile(typ) {
		return nil
	}
	form := t.addr.Form(op.Operand(0))
	if form == nil || len(form.Strides) != 2 {
		return nil
	}
	p := &tilePlan{op: op, base: -1}
	if !t.contiguous(p, form) || !t.split(p, form.Uniform) || !t.bounds(p) || !t.isSafe(p) {
		return nil
	}
	return p
}

// fitsTile reports whether the copy engine moves tensors of a type. Either dimension may be the contiguous
// one.
func fitsTile(typ *ir.TensorType) bool {
	bits := int64(ir.BitWidth(typ.Elem))
	if tt.IsPtr(typ.Elem) || bits < 8 || bits > 64 {
		return false
	}
	return min(typ.Shape[0], typ.Shape[1])*bits >= 128
}

// isPlainLoad reports whether a load has no option that a descriptor load lacks.
func isPlainLoad(load *ir.Op) bool {
	if tt.IsVolatile(load) || ttgir.IsHinted(load) {
		return false
	}
	if len(load.Group(2)) == 0 {
		return true
	}
	other := arith.Uniform(arith.ValueOf(load.Group(2)[0]))
	switch a := other.(type) {
	case *ir.FloatAttr:
		return a.Bits == 0
	case *ir.IntegerAttr:
		return a.Value == 0
	}
	return false
}

// contiguous sets the two dimensions of a plan from their strides, the one along which memory is contiguous
// last. It returns false if there is none.
func (t *tiler) contiguous(p *tilePlan, form *address.Form) bool {
	size := address.ElementBytes(p.op.Operand(0).Type)
	strides := make([]address.Term, 2)
	for k := range strides {
		terms := t.addr.Terms(form.Strides[k])
		if len(terms) != 1 {
			return false
		}
		strides[k] = terms[0]
	}
	isUnit := func(s address.Term) bool { return len(s.Of) == 0 && s.Factor == size }
	switch {
	case isUnit(strides[1]):
	case isUnit(strides[0]):
		p.swapped = true
		slices.Reverse(strides)
	default:
		return false
	}
	for _, s := range strides {
		p.dims = append(p.dims, tileDim{stride: s, at: address.Sum{}})
	}
	return t.isStride(strides[0], size)
}

// isStride reports whether a term can be the stride of a tensor map: positive, a product of arguments and a
// multiple of 16 bytes.
func (t *tiler) isStride(s address.Term, size int64) bool {
	align := s.Factor
	for _, f := range s.Of {
		if t.argument(f) < 0 {
			return false
		}
		align *= t.divisor(f)
		if align%16 == 0 {
			align = 16
		}
	}
	return s.Factor > 0 && s.Factor%size == 0 && align%16 == 0
}

// argument returns the number of the kernel's argument that a symbol is, or -1.
func (t *tiler) argument(s address.Symbol) int {
	if s.Value == nil || s.Value.Def() != nil || s.Value.Block() != t.fn.Body(0) || tt.IsPtr(s.Value.Type) {
		return -1
	}
	return s.Value.Index()
}

// divisor returns a power of two that a symbol is a multiple of.
func (t *tiler) divisor(s address.Symbol) int64 {
	if s.Value == nil {
		return 1
	}
	if w, ok := t.wraps[s.Value]; ok {
		return w.n
	}
	return min(t.axes.Of(s.Value).Divisibility[0], 1<<20)
}

// split writes the address of a tile's first element as a base pointer and one coordinate for each dimension
// of a tensor map. It reports false if a term of the address fits no dimension.
func (t *tiler) split(p *tilePlan, at address.Sum) bool {
	size := address.ElementBytes(p.op.Operand(0).Type)
	for _, term := range t.addr.Terms(at) {
		if i := slices.IndexFunc(term.Of, func(s address.Symbol) bool {
			return s.Value != nil && tt.IsPtr(s.Value.Type)
		}); i >= 0 {
			if p.base >= 0 || len(term.Of) > 1 || term.Factor != 1 || !t.isBase(term.Of[0].Value) {
				return false
			}
			p.base = term.Of[0].Value.Index()
			continue
		}
		if term.Factor%size != 0 || !t.place(p, term, size) {
			return false
		}
	}
	return p.base >= 0
}

// isBase reports whether a pointer is an argument that is aligned to 16 bytes.
func (t *tiler) isBase(v *ir.Value) bool {
	return v.Def() == nil && v.Block() == t.fn.Body(0) && t.axes.Of(v).Divisibility[0]%16 == 0
}

// place assigns a term of the address, such as stride_m*pid_m*BLOCK_M, to a dimension of the tile: the
// term's kernel arguments must be the dimension's stride, and the rest is added to its coordinate. If no
// dimension has this stride, the term becomes a new dimension. It reports whether that worked.
func (t *tiler) place(p *tilePlan, term address.Term, size int64) bool {
	var args, rest []address.Symbol
	for _, s := range term.Of {
		if t.argument(s) >= 0 {
			args = append(args, s)
		} else {
			rest = append(rest, s)
		}
	}
	if t.along(p, term.Factor, args, rest) {
		return true
	}
	if len(rest) == 0 { // the same number in all programs: columns, if anything
		return t.along(p, term.Factor, nil, args)
	}
	if len(p.dims) == maxTileRank {
		return false
	}
	stride := address.Term{Factor: size, Of: args}
	if !t.isStride(stride, size) {
		if stride.Factor = term.Factor; !t.isStride(stride, size) {
			return false
		}
	}
	at := t.addr.Sum(address.Term{Factor: term.Factor / stride.Factor, Of: rest})
	p.dims = slices.Insert(p.dims, 0, tileDim{stride: stride, at: at})
	return true
}

// along adds factor times rest to the coordinate of a dimension whose stride has the arguments args.
func (t *tiler) along(p *tilePlan, factor int64, args, rest []address.Symbol) bool {
	for i := range p.dims {
		if d := &p.dims[i]; slices.Equal(d.stride.Of, args) && factor%d.stride.Factor == 0 {
			d.at = d.at.Plus(1, t.addr.Sum(address.Term{Factor: factor / d.stride.Factor, Of: rest}))
			return true
		}
	}
	return false
}

// maxTileRank is the most dimensions that a tensor map has.
const maxTileRank = 5

// isSafe reports whether the copy engine accesses exactly what the op accesses.
func (t *tiler) isSafe(p *tilePlan) bool {
	size := address.ElementBytes(p.op.Operand(0).Type)
	for i := range p.dims {
		d := &p.dims[i]
		at, ok := t.overLoops(d.at)
		if !ok || !t.isNarrow(at) || !(d.above && p.op.Def == tt.Load) && !t.isNatural(p, at) {
			return false
		}
		d.at = at
		for _, s := range d.stride.Of {
			p.natural = append(p.natural, t.argument(s))
		}
		for _, term := range t.addr.Terms(d.size) {
			for _, s := range term.Of {
				p.natural = append(p.natural, t.argument(s))
			}
		}
	}
	if !t.isAligned(p.dims[len(p.dims)-1].at, size) {
		return false
	}
	slices.Sort(p.natural)
	p.natural = slices.Compact(p.natural)
	return true
}

// isAligned reports whether a column is a multiple of 16 bytes for sure.
func (t *tiler) isAligned(at address.Sum, size int64) bool {
	for _, term := range t.addr.Terms(at) {
		n := term.Factor * size
		for _, s := range term.Of {
			n *= t.divisor(s)
			if n%16 == 0 {
				n = 16
			}
		}
		if n%16 != 0 {
			return false
		}
	}
	return true
}

// overLoops returns a sum with loops' variables in place of the numbers of iterations.
func (t *tiler) overLoops(p address.Sum) (address.Sum, bool) {
	out := address.Sum{}
	for _, term := range t.addr.Terms(p) {
		i := slices.IndexFunc(term.Of, func(s address.Symbol) bool { return s.Loop != nil })
		if i < 0 {
			out = out.Plus(1, t.addr.Sum(term))
			continue
		}
		loop := term.Of[i].Loop
		step, ok := arith.IntOf(scf.Step(loop))
		if term.Of[i].End || !ok || step <= 0 || term.Factor%step != 0 {
			return nil, false
		}
		first := t.addr.Form(scf.LowerBound(loop))
		if first == nil {
			return nil, false
		}
		rest := t.addr.Sum(address.Term{
			Factor: term.Factor / step, Of: slices.Delete(slices.Clone(term.Of), i, i+1)})
		iv := t.addr.Sum(address.Term{Factor: 1, Of: []address.Symbol{{Value: scf.IV(loop)}}})
		product := rest.Times(iv.Plus(-1, first.Uniform))
		if product == nil {
			return nil, false
		}
		out = out.Plus(1, product)
	}
	for _, term := range t.addr.Terms(out) {
		if slices.ContainsFunc(term.Of, func(s address.Symbol) bool { return s.Loop != nil }) {
			return t.overLoops(out) // of a loop around
		}
	}
	return out, true
}
