package arith

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
)

// FastMath is a set of permissions to treat floats as reals.
type FastMath int64

const (
	Reassoc FastMath = 1 << iota
	NoNaNs
	NoInfs
	NoSignedZeros
	AllowRecip
	Contract
	ApproxFunc
	Fast FastMath = 1<<iota - 1
)

// Overflow is a set of promises that an integer result does not overflow.
type Overflow int64

const (
	NoSignedWrap Overflow = 1 << iota
	NoUnsignedWrap
)

// flags is an attribute that is a set of words, `<nsw, nuw>`.
type flags struct {
	def   *ir.AttrTypeDef
	sep   string
	words []string // words of each bit, the lowest first
	all   string   // word for all bits together, or empty
}

func newFlags(name, doc, sep, all string, words ...string) *flags {
	f := &flags{sep: sep, words: words, all: all}
	f.def = Dialect.NewAttr(ir.AttrTypeDef{
		Name:  name,
		Doc:   doc,
		Print: func(p *ir.Printer, a *ir.DialectAttr) { p.Text("<" + f.text(a.Params[0].(int64)) + ">") },
		Parse: f.parse,
	})
	return f
}

func (f *flags) kind() *ir.AttrKind {
	return &ir.AttrKind{
		Desc:  f.def.Name + " flags",
		Ok:    func(a ir.Attr) bool { d, ok := a.(*ir.DialectAttr); return ok && d.Def == f.def },
		Print: func(p *ir.Printer, a ir.Attr) { f.def.Print(p, a.(*ir.DialectAttr)) },
		Parse: f.parse,
	}
}

func (f *flags) text(bits int64) string {
	if bits == 0 {
		return "none"
	}
	if f.all != "" && bits == 1<<len(f.words)-1 {
		return f.all
	}
	var list []string
	for i, w := range f.words {
		if bits&(1<<i) != 0 {
			list = append(list, w)
		}
	}
	return strings.Join(list, f.sep)
}

func (f *flags) parse(p *ir.Parser) (ir.Attr, bool) {
	var bits int64
	ok := p.List("<", ">", func() bool {
		pos := p.Pos()
		word, ok := p.Keyword()
		if !ok {
			return false
		}
		bit, ok := f.bits(word)
		if !ok {
			return p.Errorf(pos, "no %s flag is called %s", f.def.Name, word)
		}
		bits |= bit
		return true
	})
	return f.def.Get(bits), ok
}

func (f *flags) bits(word string) (int64, bool) {
	if word == "none" {
		return 0, true
	}
	if word == f.all {
		return 1<<len(f.words) - 1, true
	}
	for i, w := range f.words {
		if w == word {
			return 1 << i, true
		}
	}
	return 0, false
}

var (
	fastFlags = newFlags("fastmath", "Permissions to treat floats as reals.", ",", "fast",
		"reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")
	overflowFlags = newFlags("overflow", "Promises that an integer result does not overflow.", ", ", "",
		"nsw", "nuw")
)

// Kinds and slots of the flags, which other dialects share.
var (
	FastMathKind = fastFlags.kind()
	OverflowKind = overflowFlags.kind()
	FastMathSlot = ir.DefAttr(FastMathKind, FastMath(0).Attr())
	OverflowSlot = ir.DefAttr(OverflowKind, Overflow(0).Attr())
)

// Attr is the attribute of a set of flags.
func (f FastMath) Attr() ir.Attr { return fastFlags.def.Get(int64(f)) }

// Attr is the attribute of a set of flags.
func (f Overflow) Attr() ir.Attr { return overflowFlags.def.Get(int64(f)) }

// FastMathOf is an op's permissions, none for an op that has no such attribute.
func FastMathOf(op *ir.Op) FastMath { return FastMath(flagBits(op.Attr("fastmath"))) }

// OverflowOf is an op's promises, none for an op that has no such attribute.
func OverflowOf(op *ir.Op) Overflow { return Overflow(flagBits(op.Attr("overflowFlags"))) }

func flagBits(a ir.Attr) int64 {
	if d, ok := a.(*ir.DialectAttr); ok && (d.Def == fastFlags.def || d.Def == overflowFlags.def) {
		return d.Params[0].(int64)
	}
	return 0
}

// Predicates of cmpi.
const (
	EQ int64 = iota
	NE
	SLT
	SLE
	SGT
	SGE
	ULT
	ULE
	UGT
	UGE
)

// Predicates of cmpf: ordered ones (O) are false, unordered ones (U) true when an operand is NaN.
const (
	FFalse int64 = iota
	FOEQ
	FOGT
	FOGE
	FOLT
	FOLE
	FONE
	FORD
	FUEQ
	FUGT
	FUGE
	FULT
	FULE
	FUNE
	FUNO
	FTrue
)

// Rounding modes.
const (
	ToNearestEven int64 = iota
	Downward
	Upward
	TowardZero
	ToNearestAway
)

// The words of the values above.
var (
	CmpIPredicate = enum("CmpIPredicate", "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
	CmpFPredicate = enum("CmpFPredicate", "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
		"ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true")
	RoundingMode = enum("RoundingMode", "to_nearest_even", "downward", "upward", "toward_zero",
		"to_nearest_away")

	cmpIKind     = ir.EnumAttr(CmpIPredicate, ir.I64)
	cmpFKind     = ir.EnumAttr(CmpFPredicate, ir.I64)
	roundingSlot = ir.OptAttr(ir.EnumAttr(RoundingMode, ir.I32))
)

func enum(name string, words ...string) *ir.Enum {
	e := &ir.Enum{Name: name}
	for i, w := range words {
		e.Cases = append(e.Cases, ir.EnumCase{Word: w, Value: int64(i)})
	}
	return e
}
