package gpu

import (
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// TileMode says which loads by pointers the copy engine executes.
type TileMode int

const (
	NoTiles     TileMode = iota
	PayingTiles          // those of loops of products, where that is faster
	AllTiles             // all that are known to be tiles, for tests
)

// TileLoads gives loads by pointers to the copy engine, where their addresses are those of a tile of a tensor
// whose strides are arguments. The kernel gets an argument for each such tensor: a descriptor that the host
// makes of other arguments at the launch (tt.Tile).
//
//	%p = %x + head*%sh + (n + rows)*%sn + cols       func (…, %d: tensordesc<1x64x128xf16> {nereid.tile})
//	%v = tt.load %p, n + rows < %len, 0         =>   %v = tt.descriptor_load %d[head, n, 0]
//
// Products of program numbers and strides become dimensions of their own. A mask must be a bound for each
// dimension, which the copy engine then has as the size of the tensor; what lies beyond is 0. Without a
// bound, a coordinate must be known not to be negative, since the engine reads nothing there.
//
// The engine reads memory in a way of its own, which no barrier of threads orders. A load stays as it is if
// the kernel stores through the same argument or has atomics. If it may have stored through another one
// before, the host checks that this is other memory.
func TileLoads(mach Machine, numStages int, mode TileMode) pass.Pass {
	return pass.Pass{
		Name: "nereid-gpu-tile-loads",
		Doc:  "give loads of tiles by pointers to the copy engine",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			fns := opsOf(m.Op, tt.Func)
			if mode == NoTiles || mach.NumCTAs > 1 || len(fns) != 1 || fns[0].Region(0).Empty() {
				return nil
			}
			t := tiler{mach: mach, stages: numStages, all: mode == AllTiles, fn: fns[0]}
			if isOrdered(t.fn) || t.hasDescriptors() {
				return nil
			}
			for _, p := range t.plans(m) {
				ctx.At(p.load)
				t.replace(p)
			}
			return nil
		},
	}
}

// tiler finds the loads of one kernel that are tiles.
type tiler struct {
	mach   Machine
	stages int
	all    bool // also where it does not pay
	fn     *ir.Op

	addr  *address.Analysis
	axes  *axisinfo.Analysis
	wraps map[*ir.Value]wrap // by the scalar that stands for a wrapped index
	maps  []tileMap
}

// tileMap is a descriptor that the kernel has already.
type tileMap struct {
	attr ir.Attr
	desc *ir.Value
}

// tilePlan is a load that is a tile.
type tilePlan struct {
	load      *ir.Op
	base      int
	dims      []tileDim // outermost first; the last two are those of the tensor
	swapped   bool      // the tensor's first dimension is the contiguous one
	natural   []int
	multiples []tt.TileMultiple
	guards    []tt.TileGuard
}

// tileDim is a dimension of a tile.
type tileDim struct {
	stride address.Term // in bytes
	at     address.Sum  // coordinate of the tile's first element
	size   address.Sum  // nil for no bound
	above  bool         // a mask leaves out negative coordinates
}

// hasDescriptors reports whether the kernel has descriptors of its own.
func (t *tiler) hasDescriptors() bool {
	for op := range t.fn.Ops() {
		for _, v := range op.Operands() {
			if tt.DescBlock(v.Type) != nil {
				return true
			}
		}
	}
	return false
}

// isOrdered reports whether a kernel's accesses may be ordered with those of other programs, or are not all
// to be seen.
func isOrdered(fn *ir.Op) bool {
	for op := range fn.Ops() {
		switch op.Def {
		case tt.AtomicRMW, tt.AtomicCAS, tt.Call, tt.DescReduce:
			return true
		case tt.Load:
			if tt.IsVolatile(op) {
				return true
			}
		case tt.InlineAsm, tt.ExternElementwise:
			if op.IntOr("pure", 0) == 0 || readsMachine(op) {
				return true
			}
		}
	}
	return false
}

// readsMachine reports whether op is assembly that reads special registers, such as the number of the block.
// Then the program's number that it knows is that of the launch.
func readsMachine(op *ir.Op) bool {
	return op.Def == tt.InlineAsm && strings.Contains(op.Text("asm_string"), "%")
}

// plans returns the loads that become descriptor loads.
func (t *tiler) plans(m *ir.Module) []*tilePlan {
	t.addr, t.axes = address.New(t.fn), axisinfo.Module(m)
	t.suppose()
	var out []*tilePlan
	if t.all {
		for _, load := range opsOf(t.fn, tt.Load) {
			if p := t.plan(load); p != nil {
				out = append(out, p)
			}
		}
		return out
	}
	for _, loop := range forLoops(t.fn) {
		out = append(out, t.planLoop(loop)...)
	}
	return out
}

// planLoop returns the loads of a loop that feed products, if all of them are tiles and it pays.
func (t *tiler) planLoop(loop *ir.Op) (out []*tilePlan) {
	if loop.IntOr(stagesAttr, int64(t.stages)) < 2 || !mayPipeline(loop) {
		return nil
	}
	if !t.hasChain(loop) && !t.isWide(loop) {
		return nil
	}
	for op := range body(loop) {
		if op.Def != tt.Load || op.Block() != loop.Body(0) || !t.feedsProducts(op) {
			continue
		}
		p := t.plan(op)
		if p == nil || !pays(op) {
			return nil
		}
		out = append(out, p)
	}
	if len(out) > 0 {
		out = append(out, t.planBefore(loop)...)
	}
	return out
}

// planBefore returns the loads before a loop that feed its products and are tiles.
func (t *tiler) planBefore(loop *ir.Op) (out []*tilePlan) {
	for op := range body(loop) {
		if !t.mach.isGroupProduct(op) {
			continue
		}
		load := op.Operand(0).DefBy(tt.Load)
		known := func(p *tilePlan) bool { return p.load == load }
		if load == nil || load.Block() != loop.Block() || !t.feedsProducts(load) ||
			slices.ContainsFunc(out, known) {
			continue
		}
		if p := t.plan(load); p != nil && pays(load) {
			out = append(out, p)
		}
	}
	return out
}

// hasChain reports whether threads compute the left operand of a product from another product of the same
// iteration, as in attention, and several warp groups do. There the time for addresses and copies is taken
// from the computation.
func (t *tiler) hasChain(loop *ir.Op) bool {
	if t.mach.NumWarps < 2*groupWarps {
		return false
	}
	for op := range body(loop) {
		if t.mach.isGroupProduct(op) && fromProduct(op.Operand(0), loop, tt.Dot) {
			return true
		}
	}
	return false
}

// wideSums is the number of a thread's sums from which on loops of plain products gain from the copy engine.
const wideSums = 128

// isWide reports whether the products of a loop have large results, in several warp groups. With small ones,
// the programs are short, or several to an SM: they begin before a map is fetched, and hide what copies take.
func (t *tiler) isWide(loop *ir.Op) bool {
	for op := range body(loop) {
		if t.mach.isGroupProduct(op) && t.mach.NumWarps >= 2*groupWarps {
			shape := tensorOf(op.Result(0)).Shape
			return shape[0]*shape[1] >= int64(wideSums*32*t.mach.NumWarps)
		}
	}
	return false
}

// feedsProducts reports whether a load has no users but products of warp groups, directly or transposed.
func (t *tiler) feedsProducts(load *ir.Op) bool {
	found := false
	for u := range load.Result(0).Users() {
		if u.Def == tt.Trans {
			for v := range u.Result(0).Users() {
				if !t.mach.isGroupProduct(v) {
					return false
				}
			}
		} else if !t.mach.isGroupProduct(u) {
			return false
		}
		found = true
	}
	return found
}

// isGroupProduct reports whether an op is a product of 16-bit floats that AccelerateMatmul gives to wgmma.
func (m Machine) isGroupProduct(op *ir.Op) bool {
	if op.Def != tt.Dot || m.NumWarps%groupWarps != 0 {
		return false
	}
	x, out := tensorOf(op.Operand(0)), tensorOf(op.Result(0))
	return out.Rank() == 2 && out.Shape[0]%64 == 0 && out.Shape[1]%16 == 0 && x.Shape[1] >= 16 &&
		(x.Elem == ir.F16 || x.Elem == ir.BF16)
}

// pays reports whether the copy engine copies a load's tile faster than threads do: a few large copies.
func pays(load *ir.Op) bool {
	t := tensorOf(load.Result(0))
	return t.Shape[0]*t.Shape[1]*int64(ir.BitWidth(t.Elem)/8) >= minTile && min(t.Shape[0], t.Shape[1]) >= 32
}

// minTile is the number of bytes of a tile below which copies by threads are as fast.
const minTile = 4 << 10

// plan returns how a load is a tile, nil if it is none for sure.
func (t *tiler) plan(load *ir.Op) *tilePlan {
	typ := tensorOf(load.Result(0))
	if typ == nil || typ.Rank() != 2 || !fitsTile(typ) || !isPlainLoad(load) {
		return nil
	}
	form := t.addr.Form(load.Operand(0))
	if form == nil || len(form.Strides) != 2 {
		return nil
	}
	p := &tilePlan{load: load, base: -1}
	if !t.contiguous(p, form, typ) || !t.split(p, form.Uniform) || !t.bounds(p) || !t.isSafe(p) {
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

// isPlainLoad reports whether a load has nothing that a descriptor load has not.
func isPlainLoad(load *ir.Op) bool {
	if tt.IsVolatile(load) || isHinted(load) {
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

// contiguous finds the two dimensions of the tensor.
func (t *tiler) contiguous(p *tilePlan, form *address.Form, typ *ir.TensorType) bool {
	size := address.ElementBytes(p.load.Operand(0).Type)
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

// split distributes the address of a tile's first element over the dimensions.
func (t *tiler) split(p *tilePlan, at address.Sum) bool {
	size := address.ElementBytes(p.load.Operand(0).Type)
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

// place adds a term of the address to the coordinate of a dimension whose stride has the same arguments. If
// there is none, the term is one.
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

// isSafe reports whether the copy engine reads exactly what the load reads.
func (t *tiler) isSafe(p *tilePlan) bool {
	size := address.ElementBytes(p.load.Operand(0).Type)
	for i := range p.dims {
		d := &p.dims[i]
		at, ok := t.overLoops(d.at)
		if !ok || !t.isNarrow(at) || !d.above && !t.isNatural(p, at) {
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
	if !t.isAligned(p.dims[len(p.dims)-1].at, size) || t.stored(p.base) {
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

// stored reports whether the kernel may store through an argument.
func (t *tiler) stored(arg int) bool {
	for _, op := range opsOf(t.fn, tt.Store) {
		roots := t.addr.Roots(op.Operand(0))
		if slices.Contains(roots, nil) || slices.Contains(roots, t.fn.Body(0).Arg(arg)) {
			return true
		}
	}
	return false
}

// storedBefore returns the arguments through which a program may have stored when it comes to a load.
func (t *tiler) storedBefore(load *ir.Op) (args []int) {
	for _, op := range opsOf(t.fn, tt.Store) {
		if !mayPrecede(op, load) {
			continue
		}
		for _, root := range t.addr.Roots(op.Operand(0)) {
			if root != nil && root.IsArg() {
				args = append(args, root.Index())
			}
		}
	}
	slices.Sort(args)
	return slices.Compact(args)
}

// mayPrecede reports whether a may be executed before b: a loop is around both, or a stands before b.
func mayPrecede(a, b *ir.Op) bool {
	for !a.Block().IsInside(b.Parent()) {
		b = b.Parent()
	}
	for p := b.Parent(); p != nil; p = p.Parent() {
		if p.Def == scf.For || p.Def == scf.While {
			return true
		}
	}
	for a.Parent() != b.Parent() {
		a = a.Parent()
	}
	return a.Block() != b.Block() || a.Before(b)
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

// replace makes a load one through a descriptor.
func (t *tiler) replace(p *tilePlan) {
	typ := tensorOf(p.load.Result(0))
	shape := slices.Clone(typ.Shape)
	if p.swapped {
		slices.Reverse(shape)
	}
	block := ir.Tensor(padShape(shape, len(p.dims)), typ.Elem, nil)
	desc := t.descriptor(t.tileOf(p).Attr(), tt.DescType.Get(block), p.load.Loc)
	b := ir.At(p.load)
	var at []*ir.Value
	for _, d := range p.dims {
		at = append(at, t.emit(b, d.at))
	}
	load := b.Groups(tt.DescLoad, [][]*ir.Value{{desc}, at}, []ir.Type{ir.Tensor(shape, typ.Elem, nil)})
	x := load.Result(0)
	x.Name = p.load.Result(0).Name
	if p.swapped {
		x = b.ValA(tt.Trans, typ, []ir.NamedAttr{ir.A("order", ir.I32Array(1, 0))}, x)
	}
	p.load.ReplaceWith(x)
}

// tileOf returns the tile of a plan.
func (t *tiler) tileOf(p *tilePlan) tt.Tile {
	size := address.ElementBytes(p.load.Operand(0).Type)
	out := tt.Tile{Base: p.base, Natural: p.natural, Multiples: p.multiples, Guards: p.guards,
		Apart: t.storedBefore(p.load)}
	for _, d := range p.dims {
		dim := tt.TileDim{Stride: t.tileTerm(d.stride)}
		dim.Stride.Factor /= size
		if d.size != nil {
			for _, s := range t.addr.Terms(d.size) {
				dim.Size = append(dim.Size, t.tileTerm(s))
			}
		}
		out.Dims = append(out.Dims, dim)
	}
	return out
}

func (t *tiler) tileTerm(term address.Term) tt.TileTerm {
	out := tt.TileTerm{Factor: term.Factor}
	for _, s := range term.Of {
		out.Args = append(out.Args, t.argument(s))
	}
	return out
}

// descriptor returns the kernel's argument for a tile, a new one if there is none.
func (t *tiler) descriptor(attr ir.Attr, typ ir.Type, loc ir.Loc) *ir.Value {
	for _, m := range t.maps {
		if m.attr == attr && m.desc.Type == typ {
			return m.desc
		}
	}
	desc := t.fn.Body(0).AddArg(typ, loc)
	ft := funclike.Type(t.fn)
	funclike.SetType(t.fn, ir.Func(append(slices.Clone(ft.Ins), typ), ft.Outs))
	funclike.SetArgAttr(t.fn, desc.Index(), tt.TileAttr, attr)
	t.maps = append(t.maps, tileMap{attr, desc})
	return desc
}

// emit computes a sum of products in 32 bits.
func (t *tiler) emit(b *ir.Builder, p address.Sum) *ir.Value {
	var sum *ir.Value
	for _, term := range t.addr.Terms(p) {
		var x *ir.Value
		for _, s := range term.Of {
			x = binary(b, arith.MulI, x, s.Value)
		}
		if x == nil || term.Factor != 1 {
			x = binary(b, arith.MulI, x, arith.ConstInt(b, term.Factor, ir.I32))
		}
		sum = binary(b, arith.AddI, sum, x)
	}
	if sum == nil {
		return arith.ConstInt(b, 0, ir.I32)
	}
	return sum
}

// binary returns an operation's result, y if there is no x.
func binary(b *ir.Builder, def *ir.OpDef, x, y *ir.Value) *ir.Value {
	if x == nil {
		return y
	}
	return b.Val(def, ir.I32, x, y)
}
