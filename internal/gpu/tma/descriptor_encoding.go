package tma

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/products"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// OptimizeDescriptorEncoding gives every tensor descriptor the layout that its blocks have in shared memory:
// the copy engine writes the layout that the tensor map was made for. A product that reads a block from
// shared memory chooses; otherwise the widest swizzle that fits is taken. Values that control flow connects
// get one layout.
//
//	%x = tt.descriptor_load %d[…] : <tensor<64x64xf16>> -> …           %d : <tensor<64x64xf16, #shared>>
//	%m = ttg.local_alloc %x : … -> memdesc<…, #shared, …>        =>
var OptimizeDescriptorEncoding = pass.Pass{
	Name: "triton-nvidia-optimize-descriptor-encoding",
	Doc:  "choose the layouts of tensor descriptors in shared memory",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, fn := range ttgir.OpsOf(m.Op, tt.Func) {
			if fn.Region(0).Empty() {
				continue
			}
			ctx.At(fn)
			encodeDescriptors(fn)
		}
		return nil
	},
}

// descWish is what the uses of a descriptor, and of all descriptors connected with it, want.
type descWish struct {
	enc    ir.Attr // layout that a product reads, nil for no wish
	cga    [][]int64
	shape  []int64 // shape of the tensors, which gathers make larger than the block; nil before the first use
	forced bool    // the default layout: it crosses a function's boundary, or two products disagree
}

// descGroups collects the descriptors of a function in groups of one layout.
type descGroups struct {
	parent map[*ir.Value]*ir.Value
	list   []*ir.Value // in the order in which they were met
	wishes map[*ir.Value]*descWish
}

// find returns the representative of v's group; a new value is a group of its own.
func (g *descGroups) find(v *ir.Value) *ir.Value {
	p, ok := g.parent[v]
	switch {
	case !ok:
		g.parent[v] = v
		g.list = append(g.list, v)
		g.wishes[v] = &descWish{}
		return v
	case p == v:
		return v
	}
	g.parent[v] = g.find(p)
	return g.parent[v]
}

// tie puts descriptors into one group; other values are ignored.
func (g *descGroups) tie(vs ...*ir.Value) {
	if tt.DescBlock(vs[0].Type) == nil {
		return
	}
	first := g.find(vs[0])
	for _, v := range vs[1:] {
		if other := g.find(v); other != first {
			g.parent[other] = first
		}
	}
}

// encodeDescriptors sets the types of a function's descriptors.
func encodeDescriptors(fn *ir.Op) {
	g := &descGroups{parent: map[*ir.Value]*ir.Value{}, wishes: map[*ir.Value]*descWish{}}
	for op := range fn.Ops() {
		for _, v := range slices.Concat(op.Operands(), op.Results()) {
			g.tie(v)
		}
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				for _, a := range b.Args() {
					g.tie(a)
				}
			}
		}
		g.connect(op)
	}
	isKernel := fn.Text("sym_visibility") != "private"
	for _, a := range fn.Body(0).Args() {
		if tt.DescBlock(a.Type) != nil && !isKernel {
			g.wishes[g.find(a)].forced = true
		}
	}
	for op := range fn.Ops() {
		g.use(op)
	}
	for _, v := range g.list {
		v.Type = withSharedLayout(v.Type, g.wishes[g.find(v)])
	}
	encodeDescSignature(fn)
}

// connect ties the descriptors that an op passes on.
func (g *descGroups) connect(op *ir.Op) {
	switch op.Def {
	case scf.For:
		for i, init := range scf.Inits(op) {
			g.tie(init, scf.IterArgs(op)[i], op.Body(0).Last().Operand(i), op.Result(i))
		}
	case scf.While:
		for i, init := range op.Operands() {
			g.tie(init, op.Body(0).Arg(i), op.Body(1).Last().Operand(i))
		}
		for i, v := range op.Body(0).Last().Operands()[1:] {
			g.tie(v, op.Body(1).Arg(i), op.Result(i))
		}
	case scf.If:
		for i, r := range op.Results() {
			g.tie(r, op.Body(0).Last().Operand(i), op.Body(1).Last().Operand(i))
		}
	case arith.Select:
		g.tie(op.Result(0), op.Operand(1), op.Operand(2))
	case cf.Br:
		for i, v := range op.Operands() {
			g.tie(v, op.Successors()[0].Arg(i))
		}
	case cf.CondBr:
		for k, to := range op.Successors() {
			for i, v := range op.Group(k + 1) {
				g.tie(v, to.Arg(i))
			}
		}
	}
}

// use adds the wish of an op to the groups of its descriptors.
func (g *descGroups) use(op *ir.Op) {
	switch op.Def {
	case tt.DescLoad, tt.DescGather:
		enc := sharedByUsers(op)
		t := ttgir.TensorOf(op.Result(0))
		from := enc
		if from == nil {
			from = t.Encoding
		}
		g.want(op.Operand(0), descWish{enc: enc, cga: ttgir.CgaOf(from), shape: t.Shape})
	case tt.DescStore, tt.DescReduce, tt.DescScatter:
		t := ttgir.TensorOf(ttgir.DescValue(op))
		g.want(op.Operand(0), descWish{cga: ttgir.CgaOf(t.Encoding), shape: t.Shape})
	case tt.Call, tt.Return:
		for _, v := range slices.Concat(op.Operands(), op.Results()) {
			if tt.DescBlock(v.Type) != nil {
				g.want(v, descWish{forced: true})
			}
		}
	}
}

// sharedByUsers returns the layout of the first buffer that a load fills and the copy engine can write.
func sharedByUsers(load *ir.Op) ir.Attr {
	for u := range load.Result(0).Users() {
		var enc ir.Attr
		switch u.Def {
		case ttg.LocalAlloc:
			enc = pipeline.EncodingOfBuffer(u.Result(0))
		case ttg.LocalStore:
			enc = pipeline.EncodingOfBuffer(u.Operand(1))
		}
		if l, ok := ttg.As[ttg.NVMMAShared](enc); ok && !l.Transposed {
			return enc
		}
	}
	return nil
}

// want combines a wish with those before it.
func (g *descGroups) want(desc *ir.Value, w descWish) {
	old := g.wishes[g.find(desc)]
	old.forced = old.forced || w.forced || old.enc != nil && w.enc != nil && old.enc != w.enc
	if old.enc == nil {
		old.enc = w.enc
	}
	if w.shape == nil {
		return
	}
	w.shape = padShape(w.shape, tt.DescBlock(desc.Type).Rank())
	if old.shape == nil {
		old.shape, old.cga = w.shape, w.cga
		return
	}
	for i, n := range w.shape {
		old.shape[i] = min(old.shape[i], n)
	}
	if !slices.EqualFunc(old.cga, w.cga, slices.Equal) {
		old.cga = nil
	}
}

// padShape returns a shape with leading dimensions of size one, rank in all.
func padShape(shape []int64, rank int) []int64 {
	return append(slices.Repeat([]int64{1}, max(0, rank-len(shape))), shape...)
}

// withSharedLayout returns a descriptor's type with the layout of a wish; other types stay.
func withSharedLayout(t ir.Type, w *descWish) ir.Type {
	block := tt.DescBlock(t)
	if block == nil {
		return t
	}
	var enc ir.Attr
	switch {
	case !w.forced && w.enc != nil:
		enc = pipeline.SharedForRank(w.enc, block.Rank())
	case !w.forced && w.shape != nil:
		enc = fallbackShared(ir.Tensor(w.shape, block.Elem, nil), w.cga)
	default:
		enc = fallbackShared(block, nil)
	}
	return tt.DescType.Get(block.WithEncoding(enc))
}

// fallbackShared returns rows with the widest swizzle that fits.
func fallbackShared(t *ir.TensorType, cga [][]int64) ir.Attr {
	l := products.NvmmaLayout(t, ttgir.RowMajor(t.Rank()))
	l.CGALayout = cga
	return pipeline.SharedForRank(l.Attr(), t.Rank())
}

// encodeDescSignature makes a function's type agree with its arguments. Results have the default layout.
func encodeDescSignature(fn *ir.Op) {
	t := funclike.Type(fn)
	ins, outs := slices.Clone(t.Ins), slices.Clone(t.Outs)
	for i, a := range fn.Body(0).Args() {
		ins[i] = a.Type
	}
	for i := range outs {
		outs[i] = withSharedLayout(outs[i], &descWish{})
	}
	funclike.SetType(fn, ir.Func(ins, outs))
}
