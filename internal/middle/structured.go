package middle

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/tts"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// TritonToStructured describes the blocks of memory that loads and stores access.
//
//	%p = tt.splat %a                          %p = tts.make_tptr %a to sizes: [64], strides: [1],
//	%q = tt.addptr %p, %offsets         =>           offsets: [%o], shape: [0], order: []
//	%x = tt.load %q, %mask                    %x = "tts.load"(%p, %n)
//
// Accesses whose pointers or masks have no such description stay as they are. Functions are rewritten where
// they stand; loops carry the offsets and strides that change in them, beside what they carried.
var TritonToStructured = StructuredOptions{}.Pass()

// StructuredOptions say which accesses TritonToStructured describes.
type StructuredOptions struct {
	// EvenOnly leaves blocks alone that are data along a dimension, for which there is
	// tts.make_gather_scatter_tptr.
	EvenOnly bool
}

// Pass returns the conversion with these options.
func (o StructuredOptions) Pass() pass.Pass {
	return pass.Pass{
		Name: "triton-to-structured",
		Doc: "describe the blocks of memory that loads and stores access (dialect tts); " +
			"enable-make-gather-scatter=false leaves those alone that are data along a dimension",
		Run: o.run,
		Configure: func(options map[string]string) (pass.Pass, error) {
			o := o // each configuration begins with the pass's own
			for name, value := range options {
				on, err := strconv.ParseBool(value)
				if name != "enable-make-gather-scatter" || err != nil {
					return pass.Pass{}, fmt.Errorf("triton-to-structured has no option %s=%s: there is "+
						"enable-make-gather-scatter=false", name, value)
				}
				o.EvenOnly = !on
			}
			return o.Pass(), nil
		},
	}
}

func (o StructuredOptions) run(ctx *pass.Context, m *ir.Module) error {
	if hasBlocks(m) {
		if err := runAll(ctx, m, pass.RewriteTensorPointer, pass.RewriteTensorDescriptor,
			pass.Canonicalize); err != nil {
			return err
		}
	}
	for _, fn := range functions(m) {
		ctx.At(fn)
		d := &describer{converter: inPlace(ctx, m), even: o.EvenOnly, plans: map[*ir.Op]*plan{},
			needs: map[*carry]bool{}}
		d.apart = true
		d.function(fn)
		if d.err != nil {
			return d.err
		}
		eraseDead(fn)
	}
	return nil
}

// functions returns the functions of a module that have a body.
func functions(m *ir.Module) []*ir.Op {
	var out []*ir.Op
	for op := range m.Block().Ops() {
		if isFunction(op) && !op.Region(0).Empty() {
			out = append(out, op)
		}
	}
	return out
}

func isFunction(op *ir.Op) bool { return op.Def == tt.Func || op.Def == funcd.Func }

// inPlace returns a converter that emits scalars and tensors into a function of the input.
func inPlace(ctx *pass.Context, m *ir.Module) *converter {
	return &converter{
		uses: &uses{analysis: newAnalysis(m), needed: map[*ir.Value]bool{}, seen: map[*carry]bool{}},
		ctx:  ctx, m: m, here: true, vals: map[*ir.Value]*ir.Value{}, syms: map[*symbol]*ir.Value{},
		srcs: map[*source]*ir.Value{},
	}
}

// eraseDead erases what nobody uses any more, last operations first.
func eraseDead(fn *ir.Op) {
	var ops []*ir.Op
	fn.Walk(func(op *ir.Op) bool {
		ops = append(ops, op)
		return true
	})
	for _, op := range slices.Backward(ops) {
		if op.IsDead() {
			op.Erase()
		}
	}
}

// describer rewrites the accesses of one function.
type describer struct {
	*converter
	even  bool
	plans map[*ir.Op]*plan
	needs map[*carry]bool // what has to be carried as offsets and strides
}

func (d *describer) function(fn *ir.Op) {
	d.analysis.function(fn)
	fn.Walk(func(op *ir.Op) bool {
		if op.Def == tt.Load || op.Def == tt.Store {
			if p := d.plan(op); p != nil {
				d.plans[op] = p
				d.needPlan(p)
			}
		}
		return true
	})
	for b := range fn.Region(0).Blocks() {
		d.block(b)
	}
}

// block rewrites the accesses of a block, and gives its loops and branches what they have to carry.
func (d *describer) block(b *ir.Block) {
	var ops []*ir.Op
	for op := range b.Ops() {
		ops = append(ops, op)
	}
	for _, op := range ops {
		d.ctx.At(op)
		switch {
		case isFlow(op.Def):
			d.flow(op)
		case d.plans[op] != nil:
			d.b = ir.At(op)
			d.rewrite(op, d.plans[op])
		}
	}
}

// plan is how an access is described.
type plan struct {
	ptr     *ir.TensorType
	src     *source
	base    expr // what is added to the base pointer
	strides []expr
	offsets []expr
	shape   []expr
	dim     int // along which offsets or mask are data, or -1
	index   *index
	step    expr // the even part of the offsets along dim
	share   expr
	masked  bool
	bounds  []bounds
	conds   []cond
	rests   []rest
	other   *ir.Value
	fill    *uniform // other, when its elements are equal
}

// plan returns how an access is described, or nil when it cannot be.
func (d *describer) plan(op *ir.Op) *plan {
	ptr := op.Operand(0)
	t, ok := ptr.Type.(*ir.TensorType)
	if !ok || tt.IsPtrLike(tt.Pointee(t)) {
		return nil
	}
	s := d.stateOf(ptr)
	if !s.known() || s.src == nil {
		return nil
	}
	p := &plan{ptr: t, src: s.src, dim: -1}
	if !d.address(p, s) {
		return nil
	}
	mask := op.Slot(2)
	if op.Def == tt.Load {
		mask, p.other = op.Slot(1), op.Slot(2)
	}
	if mask != nil && !p.mask(d.maskOf(mask)) || p.dim >= 0 && (d.even || p.wraps()) {
		return nil
	}
	p.irregular()
	if p.other != nil {
		if u, ok := d.uniformOf(p.other); ok {
			p.fill = &u
		}
	}
	return p
}

// address takes over offsets and strides. What is added to a dimension that wraps around goes to another one,
// or to the base.
func (d *describer) address(p *plan, s *state) bool {
	rest, into := expr{}, -1
	for i, x := range s.dims {
		stride, offset, shape := x.stride, x.share, expr{}
		switch {
		case x.split != nil, x.index != nil && (p.dim >= 0 || tt.IsPtrLike(x.index.v.Type)),
			x.wrap != nil && (x.wrap.unsigned || !x.stride.is(0)):
			return false
		case x.index != nil:
			p.dim, p.index = i, x.index
		case x.wrap != nil:
			w := x.wrap
			rest = rest.add(x.share)
			stride, offset, shape = w.scale, d.mul(w.start, w.scale), d.mul(w.mod, w.scale)
		case into < 0:
			into = i
		}
		p.strides, p.offsets = append(p.strides, stride), append(p.offsets, offset)
		p.shape = append(p.shape, shape)
	}
	if into >= 0 {
		p.offsets[into] = p.offsets[into].add(rest)
	} else {
		p.base = rest
	}
	return true
}

func (p *plan) wraps() bool {
	return slices.ContainsFunc(p.shape, func(e expr) bool { return !e.is(0) })
}

// mask takes over a mask, or reports that it has no place in a description.
func (p *plan) mask(m *mask) bool {
	if m.bottom {
		return false
	}
	p.masked, p.conds, p.rests = true, m.cs, m.rest
	for _, b := range m.dims {
		for _, lo := range b.lo {
			if k, ok := lo.isConst(); !ok || k > 0 {
				return false
			}
		}
		p.bounds = append(p.bounds, bounds{hi: b.hi})
	}
	for _, r := range m.rest {
		if r.dim < 0 || p.dim >= 0 && p.dim != r.dim {
			return false
		}
		p.dim = r.dim
	}
	return true
}

// irregular moves all that is known of the offsets along a dimension that is data into what its tensor holds.
func (p *plan) irregular() {
	if p.dim < 0 {
		return
	}
	p.step, p.share = p.strides[p.dim], p.offsets[p.dim]
	p.strides[p.dim], p.offsets[p.dim] = constant(1), expr{}
	if p.index != nil && p.step.is(0) && (p.share.is(0) || len(p.offsets) > 1) {
		p.strides[p.dim], p.index = p.index.scale, &index{p.index.v, p.index.axis, constant(1)}
	}
	for i := range p.offsets {
		if i != p.dim { // one scalar for all
			p.offsets[i], p.share = p.offsets[i].add(p.share), expr{}
			break
		}
	}
}

// needPlan says that what a plan is made of has to be carried through loops and branches.
func (d *describer) needPlan(p *plan) {
	d.needScalars(slices.Concat([]expr{p.base, p.step, p.share}, p.strides, p.offsets, p.shape), p.conds,
		p.src)
	for _, b := range p.bounds {
		d.needScalars(b.hi, nil, nil)
	}
	if p.index != nil {
		d.needScalars([]expr{p.index.scale}, nil, nil)
	}
	if p.fill != nil {
		d.needScalars([]expr{p.fill.e}, nil, nil)
	}
}

func (d *describer) needScalars(es []expr, cs []cond, src *source) {
	for _, c := range cs {
		es = append(es, c.x)
		if c.sym != nil {
			d.needCarried(c.sym.owner)
		}
	}
	for _, e := range es {
		e.leaves(func(a *atom) {
			if a.sym != nil {
				d.needCarried(a.sym.owner)
			}
		})
	}
	if src != nil && src.sym != nil {
		d.needCarried(src.sym.owner)
	}
}

func (d *describer) needCarried(c *carry) {
	if d.needs[c] {
		return
	}
	d.needs[c] = true
	for _, v := range c.from() {
		if x := d.descs[v]; x != nil && !x.undefined() {
			d.needScalars(x.exprs(), x.conds(), x.source())
		}
	}
}

// rewrite puts accesses of a described block in the place of a load or store.
func (d *describer) rewrite(op *ir.Op, p *plan) {
	ptr, mask := d.pointer(p), d.maskDims(p)
	dynamic, static := indexlist.Split(mask)
	attr := ir.A(tts.StaticMask, static)
	if op.Def == tt.Store {
		d.b.Groups(tts.Store, [][]*ir.Value{{ptr}, {op.Operand(1)}, dynamic}, nil, attr)
		op.Erase()
		return
	}
	var other []*ir.Value
	if p.fill != nil && p.masked {
		u, _ := d.uniform(op.Slot(2))
		other = []*ir.Value{u}
	}
	v := d.b.Groups(tts.Load, [][]*ir.Value{{ptr}, dynamic, other}, op.ResultTypes(), attr).Result(0)
	v.Name = op.Result(0).Name
	if p.other != nil && p.masked && p.fill == nil { // another element in each place
		v = d.b.Val(arith.Select, v.Type, op.Slot(1), v, op.Slot(2))
	}
	d.vals[op.Result(0)] = v // descriptions speak of the old one
	d.descs[v] = d.descs[op.Result(0)]
	op.Result(0).ReplaceAllUses(v)
	op.Erase()
}

// pointer describes the block that is accessed.
func (d *describer) pointer(p *plan) *ir.Value {
	elem := p.ptr.Elem
	base := d.base(p.src, elem)
	if !p.base.is(0) {
		base = d.b.Val(tt.AddPtr, elem, base, d.scalar(p.base, ir.I64))
	}
	strides, strideAttr := indexlist.Split(d.entries(p.strides))
	offsets, offsetAttr := indexlist.Split(d.entries(p.offsets))
	attrs := []ir.NamedAttr{ir.A("sizes", ir.DenseArray(ir.I64, p.ptr.Shape...)),
		ir.A(tts.StaticStrides, strideAttr), ir.A(tts.StaticOffsets, offsetAttr)}
	if p.dim >= 0 {
		groups := [][]*ir.Value{{base}, {d.offsetsAlong(p)}, strides, offsets, d.maskAlong(p)}
		return d.b.Groups(tts.MakeGatherScatterTPtr, groups, []ir.Type{p.ptr},
			append(attrs, ir.A("gather_scatter_dim", ir.I32Attr(int64(p.dim))))...).Result(0)
	}
	shape, shapeAttr := indexlist.Split(d.entries(p.shape))
	return d.b.Groups(tts.MakeTPtr, [][]*ir.Value{{base}, strides, offsets, shape}, []ir.Type{p.ptr},
		append(attrs, ir.A(tts.StaticShape, shapeAttr), ir.A("order", ir.DenseArray(ir.I32)))...).Result(0)
}

// base returns the pointer that a source begins with.
func (d *describer) base(src *source, t ir.Type) *ir.Value {
	v := d.memory(src)
	if v.Type != t {
		v = d.b.Val(tt.Bitcast, t, v)
	}
	return v
}

func (d *describer) entries(es []expr) []indexlist.Entry {
	out := make([]indexlist.Entry, len(es))
	for i, e := range es {
		out[i] = d.entry(e)
	}
	return out
}

// maskDims returns the lengths of a mask; a condition that fails makes the first one zero.
func (d *describer) maskDims(p *plan) []indexlist.Entry {
	if !p.masked {
		return nil
	}
	out := indexlist.Consts(p.ptr.Shape...)
	for i, b := range p.bounds {
		if len(b.hi) > 0 {
			_, n := d.clamp(b, p.ptr.Shape[i])
			out[i] = entryOf(n)
		}
	}
	if all := d.all(p.conds); all != nil {
		n := out[0].Value
		if n == nil {
			n = d.index(out[0].Const)
		}
		out[0] = indexlist.Entry{Value: d.b.Val(arith.Select, ir.Index, all, n, d.index(0))}
	}
	return out
}

// offsetsAlong returns the offsets along a dimension that is data, as a tensor of that dimension. Sums and
// products are done in 64 bits.
func (d *describer) offsetsAlong(p *plan) *ir.Value {
	shape := p.ptr.Shape[p.dim : p.dim+1]
	wide := ir.Tensor(shape, ir.I64, nil)
	var sum *ir.Value
	add := func(v *ir.Value) {
		if sum != nil {
			v = d.b.Val(arith.AddI, wide, sum, v)
		}
		sum = v
	}
	times := func(v *ir.Value, by expr) {
		if !by.is(1) {
			v = d.b.Val(arith.MulI, wide, v, d.splat(by, wide))
		}
		add(v)
	}
	if p.index != nil {
		v := d.reshape(d.val(p.index.v), shape)
		if p.index.scale.is(1) && p.step.is(0) && p.share.is(0) {
			return v
		}
		times(d.widened(v, wide), p.index.scale)
	}
	if !p.step.is(0) {
		row := d.b.ValA(tt.MakeRange, ir.Tensor(shape, ir.I32, nil),
			[]ir.NamedAttr{ir.A("start", ir.I32Attr(0)), ir.A("end", ir.I32Attr(shape[0]))})
		times(d.widened(row, wide), p.step)
	}
	if !p.share.is(0) || sum == nil {
		add(d.splat(p.share, wide))
	}
	return sum
}

// widened returns a tensor of integers in 64 bits.
func (d *describer) widened(v *ir.Value, t *ir.TensorType) *ir.Value {
	if v.Type == ir.Type(t) {
		return v
	}
	return d.b.Val(arith.ExtSI, t, v)
}

// splat returns a tensor of one integer.
func (d *describer) splat(e expr, t *ir.TensorType) *ir.Value {
	return d.b.Val(tt.Splat, t, d.scalar(e, t.Elem))
}

// maskAlong returns the mask along a dimension that is data, if any.
func (d *describer) maskAlong(p *plan) []*ir.Value {
	var all *ir.Value
	for _, r := range p.rests {
		v := d.reshape(d.val(r.v), p.ptr.Shape[p.dim:p.dim+1])
		if all != nil {
			v = d.b.Val(arith.AndI, v.Type, all, v)
		}
		all = v
	}
	if all == nil {
		return nil
	}
	return []*ir.Value{all}
}
