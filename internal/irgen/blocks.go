package irgen

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// rangeOf is 0, 1, … n-1.
func (g *generator) rangeOf(n int64) *ir.Value {
	return g.b.ValA(tt.MakeRange, ir.Tensor([]int64{n}, ir.I32, nil),
		[]ir.NamedAttr{ir.A("start", ir.I32Attr(0)), ir.A("end", ir.I32Attr(n))})
}

// tensor is a tensor in scope, or a new one.
func (g *generator) tensor() *ir.Value {
	var fit []*ir.Value
	for _, v := range g.scope {
		if _, ok := v.Type.(*ir.TensorType); ok {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return g.rangeOf(pick(&g.src, sizes))
	}
	return pick(&g.src, fit)
}

// maxElems bounds the size of a tensor: programs are for running.
const maxElems = 1 << 8

// shape makes an operation that gives values another shape, or picks among values.
func (g *generator) shape() {
	v := g.tensor()
	t := v.Type.(*ir.TensorType)
	switch g.src.n(8) {
	case 0, 1:
		e := pick(&g.src, elems)
		g.add(g.b.Val(tt.Splat, ir.Tensor(t.Shape, e, nil), g.any(e)))
	case 2:
		g.expand(v, t)
	case 3:
		g.broadcast(v, t)
	case 4:
		g.reshape(v, t)
	case 5:
		g.transpose(v, t)
	case 6:
		g.pickValue()
	case 7:
		if t.NumElements()*2 <= maxElems {
			joined := g.b.Val(tt.Join, ir.Tensor(append(slices.Clone(t.Shape), 2), t.Elem, nil), v, g.any(t))
			g.add(joined)
			if g.src.oneIn(2) {
				g.add(g.b.Op(tt.Split, []*ir.Value{joined}, []ir.Type{t, t}).Results()...)
			}
		}
	}
}

func (g *generator) expand(v *ir.Value, t *ir.TensorType) {
	if t.Rank() >= 3 {
		return
	}
	axis := g.src.n(t.Rank() + 1)
	shape := slices.Insert(slices.Clone(t.Shape), axis, 1)
	g.add(g.b.ValA(tt.ExpandDims, ir.Tensor(shape, t.Elem, nil),
		[]ir.NamedAttr{ir.A("axis", ir.I32Attr(int64(axis)))}, v))
}

func (g *generator) broadcast(v *ir.Value, t *ir.TensorType) {
	shape := slices.Clone(t.Shape)
	for i, n := range shape {
		if n == 1 {
			shape[i] = pick(&g.src, sizes)
		}
	}
	if to := ir.Tensor(shape, t.Elem, nil); to.NumElements() <= maxElems {
		g.add(g.b.Val(tt.Broadcast, to, v))
	}
}

// reshape splits a tensor's elements into rows, or joins them.
func (g *generator) reshape(v *ir.Value, t *ir.TensorType) {
	n := t.NumElements()
	shape := []int64{n}
	if rows := pick(&g.src, sizes); rows <= n && g.src.oneIn(2) {
		shape = []int64{rows, n / rows}
	}
	g.add(g.b.Val(tt.Reshape, ir.Tensor(shape, t.Elem, nil), v))
}

func (g *generator) transpose(v *ir.Value, t *ir.TensorType) {
	order := make([]int64, t.Rank())
	shape := make([]int64, t.Rank())
	turn := g.src.n(t.Rank())
	for i := range order {
		order[i] = int64((i + turn) % t.Rank())
		shape[i] = t.Shape[order[i]]
	}
	g.add(g.b.ValA(tt.Trans, ir.Tensor(shape, t.Elem, nil),
		[]ir.NamedAttr{ir.A("order", ir.DenseArray(ir.I32, order...))}, v))
}

// pickValue makes a select, with one condition or one for each element.
func (g *generator) pickValue() {
	v := pick(&g.src, g.scope)
	cond := g.any(ir.I1)
	if t, ok := v.Type.(*ir.TensorType); ok && g.src.oneIn(2) {
		cond = g.any(t.With(ir.I1))
	}
	g.add(g.b.Val(arith.Select, v.Type, cond, v, g.any(v.Type)))
}

// combiners are the functions that reductions use: associative and commutative, exactly.
var combiners = map[bool][]*ir.OpDef{
	true:  {arith.MaxNumF, arith.MinNumF, arith.MaximumF},
	false: {arith.AddI, arith.MulI, arith.AndI, arith.OrI, arith.XOrI, arith.MaxSI, arith.MinUI},
}

func (g *generator) reduce() {
	v := g.tensor()
	t := v.Type.(*ir.TensorType)
	axis := g.src.n(t.Rank())
	shape := slices.Delete(slices.Clone(t.Shape), axis, axis+1)
	var result ir.Type = t.Elem
	if len(shape) > 0 {
		result = ir.Tensor(shape, t.Elem, nil)
	}
	def, end := tt.Reduce, tt.ReduceReturn
	attrs := []ir.NamedAttr{ir.A("axis", ir.I32Attr(int64(axis)))}
	if g.src.oneIn(3) {
		def, end, result = tt.Scan, tt.ScanReturn, t
		attrs = append(attrs, ir.A("reverse", ir.BoolAttr(g.src.oneIn(2))))
	}
	body := ir.NewBlock(t.Elem, t.Elem)
	b := ir.NewBuilder(body)
	combined := b.Val(pick(&g.src, combiners[ir.IsFloat(t.Elem)]), t.Elem, body.Arg(0), body.Arg(1))
	b.Op(end, []*ir.Value{combined}, nil)
	op := g.b.Create(ir.State{Def: def, Operands: []*ir.Value{v}, Results: []ir.Type{result}, Attrs: attrs,
		Regions: []*ir.Region{ir.NewRegion(body)}})
	g.add(op.Result(0))
}

// address is pointers into a buffer: one, or one for each element of a tensor of indices, all inside.
func (g *generator) address(buffer int) (ptr *ir.Value, like ir.Type) {
	p := g.params[buffer]
	if g.src.oneIn(4) {
		i := g.b.Val(arith.AndI, ir.I32, g.any(ir.I32), g.fixed(ir.I32, BufferLen-1))
		return g.b.Val(tt.AddPtr, p.Type, p, i), ir.I32
	}
	t := ir.Tensor(g.tensor().Type.(*ir.TensorType).Shape, ir.I32, nil)
	i := g.b.Val(arith.AndI, t, g.any(t), g.fixed(t, BufferLen-1))
	ps := g.b.Val(tt.Splat, t.With(p.Type), p)
	return g.b.Val(tt.AddPtr, ps.Type, ps, i), t
}

func (g *generator) load() {
	ptr, like := g.address(g.src.n(4))
	t := tt.Pointee(ptr.Type)
	var mask, other *ir.Value
	if g.src.oneIn(2) {
		mask = g.any(ir.WithElem(like, ir.I1))
		other = g.any(t) // without it, the value where the mask is false is undefined
	}
	g.add(g.b.Groups(tt.Load, [][]*ir.Value{{ptr}, {mask}, {other}}, []ir.Type{t}).Result(0))
}

func (g *generator) store() { g.storeValue(g.plain()) }

// storeValue stores v, brought to the type of a buffer. Elements of one tensor go to places of their own,
// so that the order in which they are stored does not matter.
func (g *generator) storeValue(v *ir.Value) {
	buffer := 3
	to := ir.WithElem(v.Type, ir.I32)
	if ir.IsFloat(ir.ElemOf(v.Type)) {
		buffer, to = 2, ir.WithElem(v.Type, ir.F32)
	}
	v = g.convert(v, to)
	p := g.params[buffer]
	start := g.b.Val(arith.AndI, ir.I32, g.any(ir.I32), g.fixed(ir.I32, BufferLen/2-1))
	p = g.b.Val(tt.AddPtr, p.Type, p, start)
	if t, ok := v.Type.(*ir.TensorType); ok {
		n := t.NumElements()
		flat := ir.Tensor([]int64{n}, t.Elem, nil)
		v = g.b.Val(tt.Reshape, flat, v)
		ps := g.b.Val(tt.Splat, flat.With(p.Type), p)
		p = g.b.Val(tt.AddPtr, ps.Type, ps, g.rangeOf(n))
	}
	var mask *ir.Value
	if g.src.oneIn(3) {
		mask = g.any(ir.WithElem(v.Type, ir.I1))
	}
	g.b.Groups(tt.Store, [][]*ir.Value{{p}, {v}, {mask}}, nil)
}

// convert brings v to another width of its kind.
func (g *generator) convert(v *ir.Value, to ir.Type) *ir.Value {
	from, want := ir.ElemOf(v.Type), ir.ElemOf(to)
	w, n := ir.BitWidth(from), ir.BitWidth(want)
	switch {
	case from == want:
		return v
	case ir.IsFloat(from) && w < n:
		return g.b.Val(arith.ExtF, to, v)
	case ir.IsFloat(from):
		return g.b.Val(arith.TruncF, to, v)
	case w < n:
		return g.b.Val(arith.ExtSI, to, v)
	}
	return g.b.Val(arith.TruncI, to, v)
}
