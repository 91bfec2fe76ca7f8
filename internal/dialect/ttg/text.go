package ttg

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
)

// layoutAttr declares a layout: alias is its name in the head of a text, read makes it of a dictionary.
// Like Triton, some layouts take unknown keys without a word.
func layoutAttr(name, alias, doc string, read func(f *fields) Layout) *ir.AttrTypeDef {
	return Dialect.NewAttr(ir.AttrTypeDef{
		Name:  name,
		Doc:   doc,
		Alias: alias,
		Print: printLayout,
		Parse: func(p *ir.Parser) (ir.Attr, bool) {
			f, ok := readFields(p)
			if !ok || !p.Literal(">") {
				return nil, false
			}
			return f.finish(read(f))
		},
	})
}

func printLayout(p *ir.Printer, a *ir.DialectAttr) {
	d := &dict{p: p}
	p.Text("<{")
	Decode(a).print(d)
	p.Text("}>")
}

var (
	blocked = layoutAttr("blocked", "blocked", "A tensor in registers, in blocks for each thread, warp "+
		"and CTA.", func(f *fields) Layout {
		l := Blocked{SizePerThread: f.ints("sizePerThread"), ThreadsPerWarp: f.ints("threadsPerWarp"),
			WarpsPerCTA: f.ints("warpsPerCTA"), Order: f.ints("order")}
		l.CGALayout = f.bases("CGALayout", true)
		return l
	})
	slice = layoutAttr("slice", "", "A layout with one dimension squeezed out.", func(f *fields) Layout {
		return Slice{Dim: f.int("dim"), Parent: f.attr("parent")}
	})
	dotOp = layoutAttr("dot_op", "", "An operand of a matrix product in registers.", func(f *fields) Layout {
		return DotOp{OpIdx: f.int("opIdx"), Parent: f.attr("parent"), KWidth: f.intOr("kWidth", 0)}
	})
	nvidiaMma = layoutAttr("nvidia_mma", "mma", "The result of NVIDIA's tensor cores in registers.",
		func(f *fields) Layout {
			f.lenient = true
			return NvidiaMma{f.intOr("versionMajor", 0), f.intOr("versionMinor", 0), f.ints("warpsPerCTA"),
				f.bases("CGALayout", true), f.ints("instrShape")}
		})
	amdMfma = layoutAttr("amd_mfma", "mma", "The result of CDNA's matrix cores in registers.",
		func(f *fields) Layout {
			f.lenient = true
			return AMDMfma{f.intOr("version", 0), f.ints("warpsPerCTA"), f.ints("instrShape"),
				f.bool("isTransposed"), f.bases("CGALayout", true), f.intsOr("tilesPerWarp"),
				f.intOr("elementBitWidth", 32)}
		})
	amdWmma = layoutAttr("amd_wmma", "mma", "The result of RDNA's matrix cores in registers.",
		func(f *fields) Layout {
			f.lenient = true
			return AMDWmma{f.int("version"), f.boolOr("isTranspose"), f.ints("warpsPerCTA"),
				f.bases("CGALayout", true), f.intsOr("tilesPerWarp"), f.intsOr("instrShape")}
		})
	linear = layoutAttr("linear", "linear", "A tensor in registers, by a linear map of bits.",
		func(f *fields) Layout {
			f.lenient = true
			return Linear{f.bases("register", false), f.bases("lane", false), f.bases("warp", false),
				f.bases("block", false)}
		})
	swizzled = layoutAttr("swizzled_shared", "shared",
		"Shared memory whose rows are permuted against bank conflicts.", func(f *fields) Layout {
			return Swizzled{f.int("vec"), f.int("perPhase"), f.int("maxPhase"), f.ints("order"),
				f.bases("CGALayout", true)}
		})
	rotating = layoutAttr("amd_rotating_shared", "shared", "Shared memory whose permutation of rows rotates.",
		func(f *fields) Layout {
			return Rotating{f.int("vec"), f.int("perPhase"), f.int("maxPhase"), f.ints("order"),
				f.bases("CGALayout", true)}
		})
	nvmmaShared = layoutAttr("nvmma_shared", "shared",
		"Shared memory as NVIDIA's tensor cores and copy engines read it.", func(f *fields) Layout {
			l := NVMMAShared{f.int("swizzlingByteWidth"), f.boolOr("transposed"), f.intOr("elementBitWidth",
				0), f.boolOr("fp4Padded"), f.bases("CGALayout", true), f.intOr("rank", 0)}
			if n := basisRank(l.CGALayout); l.Dims == 0 && n > 0 {
				l.Dims = int64(n)
			}
			return l
		})
	padded = Dialect.NewAttr(ir.AttrTypeDef{
		Name: "padded_shared", Alias: "shared", Doc: "Shared memory with free elements at intervals.",
		Print: printPadded, Parse: parsePadded,
	})
	sharedLinear = Dialect.NewAttr(ir.AttrTypeDef{
		Name: "shared_linear", Alias: "shared", Doc: "Shared memory, by a linear map of bits.",
		Print: printSharedLinear, Parse: parseSharedLinear,
	})

	sharedMemory = Dialect.NewAttr(ir.AttrTypeDef{
		Name: "shared_memory", Alias: "smem", Doc: "The memory that the threads of a CTA share.",
		Print: func(*ir.Printer, *ir.DialectAttr) {},
	})

	// SharedMemory is `#ttg.shared_memory`, the memory space of buffers in shared memory.
	SharedMemory ir.Attr = sharedMemory.Get()
)

func init() {
	sharedMemory.Parse = func(*ir.Parser) (ir.Attr, bool) { return SharedMemory, true }
}

// dict writes the fields of a layout, comma-separated.
type dict struct {
	p    *ir.Printer
	some bool
}

func (d *dict) name(name string) {
	if d.some {
		d.p.Text(", ")
	}
	d.some = true
	d.p.Text(name + " = ")
}

func (d *dict) int(name string, v int64)    { d.name(name); d.p.Textf("%d", v) }
func (d *dict) bool(name string, v bool)    { d.name(name); d.p.Textf("%t", v) }
func (d *dict) attr(name string, a ir.Attr) { d.name(name); d.p.Attr(a) }
func (d *dict) ints(name string, v []int64) { d.name(name); d.p.Ints(v) }

func (d *dict) bases(name string, vs [][]int64) {
	d.name(name)
	d.p.Text("[")
	for i, v := range vs {
		if i > 0 {
			d.p.Text(", ")
		}
		d.p.Ints(v)
	}
	d.p.Text("]")
}

// cga writes the layout of a cluster unless there is just one CTA.
func (d *dict) cga(vs [][]int64) {
	if len(vs) > 0 {
		d.bases("CGALayout", vs)
	}
}

func (l Blocked) print(d *dict) {
	d.ints("sizePerThread", l.SizePerThread)
	d.ints("threadsPerWarp", l.ThreadsPerWarp)
	d.ints("warpsPerCTA", l.WarpsPerCTA)
	d.ints("order", l.Order)
	d.cga(l.CGALayout)
}

func (l Slice) print(d *dict) {
	d.int("dim", l.Dim)
	d.attr("parent", l.Parent)
}

func (l DotOp) print(d *dict) {
	d.int("opIdx", l.OpIdx)
	d.attr("parent", l.Parent)
	if l.KWidth != 0 {
		d.int("kWidth", l.KWidth)
	}
}

func (l NvidiaMma) print(d *dict) {
	d.int("versionMajor", l.VersionMajor)
	d.int("versionMinor", l.VersionMinor)
	d.ints("warpsPerCTA", l.WarpsPerCTA)
	d.cga(l.CGALayout)
	d.ints("instrShape", l.InstrShape)
}

func (l AMDMfma) print(d *dict) {
	d.int("version", l.Version)
	d.ints("warpsPerCTA", l.WarpsPerCTA)
	d.ints("instrShape", l.InstrShape)
	d.bool("isTransposed", l.IsTransposed)
	d.cga(l.CGALayout)
	if !allOnes(l.TilesPerWarp) {
		d.ints("tilesPerWarp", l.TilesPerWarp)
	}
	if l.ElementBitWidth != 32 {
		d.int("elementBitWidth", l.ElementBitWidth)
	}
}

func (l AMDWmma) print(d *dict) {
	d.int("version", l.Version)
	d.bool("isTranspose", l.IsTransposed)
	d.ints("warpsPerCTA", l.WarpsPerCTA)
	d.cga(l.CGALayout)
	if !allOnes(l.TilesPerWarp) {
		d.ints("tilesPerWarp", l.TilesPerWarp)
	}
	if !slices.Equal(l.InstrShape, wmmaShape) {
		d.ints("instrShape", l.InstrShape)
	}
}

func allOnes(v []int64) bool {
	return !slices.ContainsFunc(v, func(x int64) bool { return x != 1 })
}

func (l Linear) print(d *dict) {
	d.bases("register", l.Register)
	d.bases("lane", l.Lane)
	d.bases("warp", l.Warp)
	d.bases("block", l.Block)
}

func (l Swizzled) print(d *dict) {
	d.int("vec", l.Vec)
	d.int("perPhase", l.PerPhase)
	d.int("maxPhase", l.MaxPhase)
	d.ints("order", l.Order)
	d.cga(l.CGALayout)
}

func (l Rotating) print(d *dict) { Swizzled(l).print(d) }

func (l NVMMAShared) print(d *dict) {
	d.int("swizzlingByteWidth", l.SwizzlingByteWidth)
	d.bool("transposed", l.Transposed)
	d.int("elementBitWidth", l.ElementBitWidth)
	if l.Fp4Padded {
		d.bool("fp4Padded", true)
	}
	if len(l.CGALayout) == 0 && l.Dims != 2 {
		d.int("rank", l.Dims)
	}
	d.cga(l.CGALayout)
}

// fields reads a layout's dictionary. What is amiss is remembered, the first such thing, and reported by
// finish.
type fields struct {
	p    *ir.Parser
	pos  diag.Pos
	dict *ir.DictAttr
	used []string
	bad  string // what is amiss

	lenient bool // unknown keys are no error
}

// readFields reads <{…}, all but the closing bracket.
func readFields(p *ir.Parser) (*fields, bool) {
	if !p.Literal("<") {
		return nil, false
	}
	return readDict(p)
}

func readDict(p *ir.Parser) (*fields, bool) {
	f := &fields{p: p, pos: p.Pos()}
	a, ok := p.Attr(nil)
	if !ok {
		return nil, false
	}
	if f.dict, ok = a.(*ir.DictAttr); !ok {
		return nil, p.Errorf(f.pos, "expected a dictionary of parameters")
	}
	return f, true
}

// finish checks that nothing was wrong and nothing is left.
func (f *fields) finish(l Layout) (ir.Attr, bool) {
	for _, e := range f.dict.Elems {
		if !f.lenient && !slices.Contains(f.used, e.Name) {
			// a likelier cause than what it leaves missing
			return nil, f.p.Errorf(f.pos, "unexpected key: %s", e.Name)
		}
	}
	if f.bad == "" {
		if err := l.check(); err != nil {
			f.fail("%s", err)
		}
	}
	if f.bad != "" {
		return nil, f.p.Errorf(f.pos, "%s", f.bad)
	}
	return l.Attr(), true
}

func (f *fields) fail(format string, args ...any) {
	if f.bad == "" {
		f.bad = fmt.Sprintf(format, args...)
	}
}

func (f *fields) get(name string, optional bool) ir.Attr {
	f.used = append(f.used, name)
	a := f.dict.Get(name)
	if a == nil && !optional {
		f.fail("expected %s", name)
	}
	return a
}

func (f *fields) has(name string) bool { return f.dict.Get(name) != nil }

func (f *fields) attr(name string) ir.Attr { return f.get(name, false) }

func (f *fields) int(name string) int64 { return f.number(name, f.get(name, false), 0) }

func (f *fields) intOr(name string, def int64) int64 { return f.number(name, f.get(name, true), def) }

func (f *fields) number(name string, a ir.Attr, def int64) int64 {
	if a == nil {
		return def
	}
	i, ok := a.(*ir.IntegerAttr)
	if !ok || i.Value < 0 {
		f.fail("%s is an integer of 0 or more", name)
		return 0
	}
	return i.Value
}

func (f *fields) bool(name string) bool   { return f.flag(name, f.get(name, false)) }
func (f *fields) boolOr(name string) bool { return f.flag(name, f.get(name, true)) }

func (f *fields) flag(name string, a ir.Attr) bool {
	if a == nil {
		return false
	}
	i, ok := a.(*ir.IntegerAttr)
	if !ok || i.Type != ir.Type(ir.I1) {
		f.fail("expected a bool in %s", name)
		return false
	}
	return i.Value != 0
}

func (f *fields) ints(name string) []int64   { return f.numbers(name, f.get(name, false)) }
func (f *fields) intsOr(name string) []int64 { return f.numbers(name, f.get(name, true)) }

func (f *fields) numbers(name string, a ir.Attr) []int64 {
	if a == nil {
		return nil
	}
	list, ok := a.(*ir.ArrayAttr)
	if !ok {
		f.fail("expected an array for %s", name)
		return nil
	}
	out := make([]int64, len(list.Elems))
	for i, e := range list.Elems {
		out[i] = f.number(name, e, 0)
	}
	return out
}

func (f *fields) bases(name string, optional bool) [][]int64 {
	a := f.get(name, optional)
	if a == nil {
		return nil
	}
	list, ok := a.(*ir.ArrayAttr)
	if !ok {
		f.fail("expected an array of arrays for %s", name)
		return nil
	}
	out := make([][]int64, len(list.Elems))
	for i, e := range list.Elems {
		out[i] = f.numbers(name, e)
	}
	return out
}
