package ttng

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Tensor memory, and the products that accumulate there.
var (
	TMEMAlloc = Dialect.Op(ir.OpDef{
		Name:     "tmem_alloc",
		Doc:      "Makes a buffer in tensor memory, with a tensor in it or empty.",
		Traits:   ir.Allocates,
		Operands: ir.Slots("src", ir.Optional(tt.Tensor)),
		Results:  ir.Slots("result", mem, "token", token),
		Format:   "($src^)? attr-dict `:` functional-type(operands, results)",
	})
	TMEMLoad = Dialect.Op(ir.OpDef{
		Name:     "tmem_load",
		Doc:      "Loads a tensor from tensor memory.",
		Traits:   ir.Reads,
		Operands: ir.Slots("src", mem, "dep", token),
		Results:  ir.Slots("result", tt.Tensor, "token", token),
		PrintFn:  printTMEMLoad,
		ParseFn:  parseTMEMLoad,
	})
	TMEMStore = Dialect.Op(ir.OpDef{
		Name:     "tmem_store",
		Doc:      "Stores a tensor into tensor memory.",
		Traits:   ir.Writes,
		Operands: ir.Slots("dst", mem, "dep", token, "src", tt.Tensor, "pred", ir.Bool),
		Results:  ir.Slots("token", token),
		PrintFn:  printTMEMStore,
		ParseFn:  parseTMEMStore,
	})
	TMEMSubSlice = Dialect.Op(ir.OpDef{
		Name:     "tmem_subslice",
		Doc:      "The view of the columns from N on.",
		Traits:   ir.Pure,
		Operands: ir.Slots("src", mem),
		Results:  ir.Slots("result", mem),
		Attrs:    ir.Attrs("N", ir.AnyI32),
		Format:   "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))",
	})
	TMEMCopy = Dialect.Op(ir.OpDef{
		Name:     "tmem_copy",
		Doc:      "Starts a copy from shared to tensor memory.",
		Traits:   shared,
		Operands: ir.Slots("src", mem, "dst", mem, "barrier", ir.Optional(mem)),
		Format:   "$src `,` $dst (`,` $barrier^)? attr-dict `:` qualified(type(operands))",
	})
	TCGen5MMA = Dialect.Op(ir.OpDef{
		Name:   "tc_gen5_mma",
		Doc:    "The matrix product of a and b, added to d in tensor memory.",
		Traits: shared | ir.SegmentedOperands,
		Operands: ir.Slots("a", mem, "b", mem, "d", mem, "acc_dep", token, "useD", ir.Bool, "pred", ir.Bool,
			"barriers", memDeps, "barrier_preds", ir.Variadic(ir.Bool)),
		Results: ir.Slots("token", token),
		Attrs:   ir.Attrs("is_async", unit, "two_ctas", unit),
		PrintFn: printMMA,
		ParseFn: parseMMA,
	})
	TCGen5MMAScaled = Dialect.Op(ir.OpDef{
		Name:   "tc_gen5_mma_scaled",
		Doc:    "The matrix product of a and b in microscaled formats, added to d in tensor memory.",
		Traits: shared | ir.SegmentedOperands,
		Operands: ir.Slots("a", mem, "b", mem, "d", mem, "acc_dep", token, "a_scale", mem, "b_scale", mem,
			"useD", ir.Bool, "pred", ir.Bool, "barriers", memDeps, "barrier_preds", ir.Variadic(ir.Bool)),
		Results: ir.Slots("token", token),
		Attrs:   ir.Attrs("a_type", tt.ScaleKind, "b_type", tt.ScaleKind, "is_async", unit),
		PrintFn: printMMAScaled,
		ParseFn: parseMMAScaled,
	})
	TCGen5Commit = Dialect.Op(ir.OpDef{
		Name:     "tc_gen5_commit",
		Doc:      "Makes a barrier complete when the products started so far are.",
		Traits:   ir.Writes,
		Operands: ir.Slots("barrier", mem, "pred", pred),
		Attrs:    ir.Attrs("two_ctas", unit),
		Format:   "$barrier (`,` $pred^)? attr-dict `:` qualified(type($barrier))",
	})
)

// Encodings of tensor memory.
var (
	tensorMemory = Dialect.NewAttr(ir.AttrTypeDef{
		Name: "tensor_memory", Doc: "The memory of the tensor cores.",
		Print: func(*ir.Printer, *ir.DialectAttr) {},
	})
	tmemEncoding = Dialect.NewAttr(ir.AttrTypeDef{
		Name: "tensor_memory_encoding", Alias: "tmem",
		Doc: "A tensor in tensor memory, in blocks of rows and columns.",
	})
	tmemScales = Dialect.NewAttr(ir.AttrTypeDef{
		Name: "tensor_memory_scales_encoding", Alias: "tmem_scales",
		Doc: "The scales of microscaled operands in tensor memory.",
	})

	// TensorMemory is `#ttng.tensor_memory`, the memory space of buffers in tensor memory.
	TensorMemory ir.Attr = tensorMemory.Get()
)

func init() {
	tensorMemory.Parse = func(*ir.Parser) (ir.Attr, bool) { return TensorMemory, true }
	tmemEncoding.Print, tmemEncoding.Parse = printTMEM, parseTMEM
	tmemScales.Print, tmemScales.Parse = printScales, parseScales
}

// TMEM is `#ttng.tensor_memory_encoding`, taken apart.
type TMEM struct {
	BlockM, BlockN, ColStride int64
	CTASplitM, CTASplitN      int64 // 0 for 1
	TwoCTAs                   bool
}

// Attr is the interned attribute.
func (l TMEM) Attr() ir.Attr {
	return tmemEncoding.Get(l.BlockM, l.BlockN, l.ColStride, max(l.CTASplitM, 1), max(l.CTASplitN, 1),
		l.TwoCTAs)
}

// TMEMOf takes an encoding of tensor memory apart.
func TMEMOf(a ir.Attr) (TMEM, bool) {
	d, ok := a.(*ir.DialectAttr)
	if !ok || d.Def != tmemEncoding {
		return TMEM{}, false
	}
	p := d.Params
	return TMEM{p[0].(int64), p[1].(int64), p[2].(int64), p[3].(int64), p[4].(int64), p[5].(bool)}, true
}

// Scales is `#ttng.tensor_memory_scales_encoding`.
func Scales(splitM, splitN int64) ir.Attr { return tmemScales.Get(max(splitM, 1), max(splitN, 1)) }

// IsTMEM reports whether an encoding is one of tensor memory.
func IsTMEM(a ir.Attr) bool {
	d, ok := a.(*ir.DialectAttr)
	return ok && (d.Def == tmemEncoding || d.Def == tmemScales)
}

func printTMEM(p *ir.Printer, a *ir.DialectAttr) {
	l, _ := TMEMOf(a)
	p.Textf("<blockM = %d, blockN = %d, colStride = %d", l.BlockM, l.BlockN, l.ColStride)
	if l.CTASplitM != 1 {
		p.Textf(", CTASplitM = %d", l.CTASplitM)
	}
	if l.CTASplitN != 1 {
		p.Textf(", CTASplitN = %d", l.CTASplitN)
	}
	if l.TwoCTAs {
		p.Text(", twoCTAs = true")
	}
	p.Text(">")
}

func parseTMEM(p *ir.Parser) (ir.Attr, bool) {
	pos := p.Pos()
	var l TMEM
	ok := parseStruct(p, map[string]*int64{"blockM": &l.BlockM, "blockN": &l.BlockN,
		"colStride": &l.ColStride, "CTASplitM": &l.CTASplitM, "CTASplitN": &l.CTASplitN},
		map[string]*bool{"twoCTAs": &l.TwoCTAs})
	if ok && (l.BlockM <= 0 || l.BlockN <= 0 || l.ColStride <= 0) {
		return nil, p.Errorf(pos, "blockM, blockN and colStride must be positive")
	}
	return l.Attr(), ok
}

func printScales(p *ir.Printer, a *ir.DialectAttr) {
	p.Text("<")
	sep := ""
	for i, name := range []string{"CTASplitM", "CTASplitN"} {
		if v := a.Params[i].(int64); v != 1 {
			p.Textf("%s%s = %d", sep, name, v)
			sep = ", "
		}
	}
	p.Text(">")
}

func parseScales(p *ir.Parser) (ir.Attr, bool) {
	var m, n int64
	ok := parseStruct(p, map[string]*int64{"CTASplitM": &m, "CTASplitN": &n}, nil)
	return Scales(m, n), ok
}

// parseStruct reads <name = value, …> in any order.
func parseStruct(p *ir.Parser, ints map[string]*int64, flags map[string]*bool) bool {
	return p.List("<", ">", func() bool {
		pos := p.Pos()
		name, ok := p.Keyword()
		if !ok || !p.Literal("=") {
			return false
		}
		if dst := ints[name]; dst != nil {
			*dst, ok = p.Int()
			return ok
		}
		if dst := flags[name]; dst != nil {
			*dst = p.Try("true")
			return *dst || p.Literal("false")
		}
		return p.Errorf(pos, "unexpected key: %s", name)
	})
}

// Access to a descriptor's parts, shortened.
func desc(v *ir.Value) ttg.MemDesc { m, _ := ttg.MemDescOf(v.Type); return m }
