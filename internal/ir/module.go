package ir

import (
	"fmt"
	"iter"
)

// Module is the operation builtin.module with its usual conveniences.
type Module struct{ *Op }

// Builtin is the dialect of the module itself.
var Builtin = NewDialect("builtin", "The module, and casts between the types of different dialects.")

// ModuleOp is `module { … }`. Its syntax is in text.go.
var ModuleOp = Builtin.Op(OpDef{
	Name:    "module",
	Doc:     "The outermost operation: a list of functions and other symbols.",
	Traits:  Isolated | SymbolTableOp | SingleBlock | NoTerminator | GraphRegion,
	Attrs:   Attrs("sym_name", OptAttr(AnyString), "sym_visibility", OptAttr(AnyString)),
	Regions: []string{"bodyRegion"},

	ElideDialect: true,
})

func init() {
	ModuleOp.PrintFn, ModuleOp.ParseFn = printModule, parseModule
} // in the row they would refer to the row

// UnrealizedCast is `builtin.unrealized_conversion_cast`.
var UnrealizedCast = Builtin.Op(OpDef{
	Name:     "unrealized_conversion_cast",
	Doc:      "Stands for a conversion between types that some later pass makes real.",
	Traits:   Pure,
	Operands: Slots("inputs", Variadic(AnyType)),
	Results:  Slots("outputs", Variadic(AnyType)),
	Format:   "($inputs^ `:` type($inputs))? `to` type($outputs) attr-dict",
})

// NewModule returns an empty module.
func NewModule(loc Loc) *Module {
	return &Module{NewOp(State{Def: ModuleOp, Loc: loc, Regions: []*Region{NewRegion(NewBlock())}})}
}

// Block returns the module's only block.
func (m *Module) Block() *Block { return m.Op.Body(0) }

// Symbols yields the top-level operations that have a name.
func (m *Module) Symbols() iter.Seq2[string, *Op] {
	return func(yield func(string, *Op) bool) {
		for op := range m.Block().Ops() {
			if op.Def.Has(SymbolOp) && !yield(op.Text("sym_name"), op) {
				return
			}
		}
	}
}

// Lookup returns the top-level symbol of a name, or nil. A pass that looks up many builds a table from
// Symbols.
func (m *Module) Lookup(name string) *Op {
	for n, op := range m.Symbols() {
		if n == name {
			return op
		}
	}
	return nil
}

// Clone returns a deep copy of the module.
func (m *Module) Clone() *Module { return &Module{m.Op.Clone(nil)} }

// String returns the module's text with locations left out.
func (m *Module) String() string { return m.Op.String() }

// Constraints everyone uses.
var (
	AnyType   = Constraint{Desc: "any type", Ok: func(Type) bool { return true }}
	AnyInt    = Constraint{Desc: "integer", Ok: IsInt}
	AnyFloat  = Constraint{Desc: "float", Ok: IsFloat}
	IndexOnly = Exactly(Index)
	Bool      = Exactly(I1)

	SignlessIntLike = Like("signless-integer-like", func(t Type) bool { return isSignless(t) || t == Index })
	BoolLike        = Like("bool-like", func(t Type) bool { return t == I1 })
	FloatLike       = Like("floating-point-like", IsFloat)
	AnyTensor       = Constraint{Desc: "tensor", Ok: func(t Type) bool {
		_, ok := t.(*TensorType)
		return ok
	}}
	AnyMemRef = Constraint{Desc: "memref", Ok: func(t Type) bool {
		_, ok := t.(*MemRefType)
		return ok
	}}
	AnyRankedTensor = Constraint{Desc: "ranked tensor", Ok: func(t Type) bool {
		tt, ok := t.(*TensorType)
		return ok && !tt.Unranked
	}}
)

func isSignless(t Type) bool { it, ok := t.(*IntegerType); return ok && it.Sign == Signless }

// Exactly returns the constraint that only one type meets.
func Exactly(t Type) Constraint {
	return Constraint{Desc: t.String(), Ok: func(u Type) bool { return t == u }, Only: t}
}

// Like returns the constraint that a scalar, or the elements of a tensor or vector, satisfy ok.
func Like(desc string, ok func(Type) bool) Constraint {
	return Constraint{Desc: desc, Ok: func(t Type) bool {
		if _, mem := t.(*MemRefType); mem {
			return false
		}
		return ok(ElemOf(t))
	}}
}

// Either returns the constraint that a type meets at least one of several constraints.
func Either(cs ...Constraint) Constraint {
	desc := ""
	for i, c := range cs {
		if i > 0 {
			desc += " or "
		}
		desc += c.Desc
	}
	return Constraint{Desc: desc, Ok: func(t Type) bool {
		for _, c := range cs {
			if c.Ok(t) {
				return true
			}
		}
		return false
	}}
}

// Attribute kinds everyone uses.
var (
	AnyAttr    = &AttrKind{Desc: "any attribute", Ok: func(Attr) bool { return true }}
	AnyString  = &AttrKind{Desc: "string", Ok: isAttr[*StringAttr]}
	AnySymbol  = &AttrKind{Desc: "symbol reference", Ok: isAttr[*SymbolRefAttr]}
	AnyTypeRef = &AttrKind{Desc: "type", Ok: isAttr[*TypeAttr]}
	AnyUnit    = &AttrKind{Desc: "unit", Ok: isAttr[*UnitAttr]}
	AnyBool    = &AttrKind{Desc: "bool", Ok: isInt(I1), Type: I1}
	AnyI32     = &AttrKind{Desc: "32-bit integer", Ok: isInt(I32), Type: I32}
	AnyI64     = &AttrKind{Desc: "64-bit integer", Ok: isInt(I64), Type: I64}
	AnyIndex   = &AttrKind{Desc: "index", Ok: isInt(Index), Type: Index}
	AnyArray   = &AttrKind{Desc: "array", Ok: isAttr[*ArrayAttr]}
	AnyDict    = &AttrKind{Desc: "dictionary", Ok: isAttr[*DictAttr]}
	AnyMap     = &AttrKind{Desc: "affine map", Ok: isAttr[*AffineMapAttr]}
	I32s       = denseArrayKind("i32 array", I32)
	I64s       = denseArrayKind("i64 array", I64)
	Bools      = denseArrayKind("i1 array", I1)

	// SymbolName is the string that a symbol is called by: @name in a Format.
	SymbolName = &AttrKind{Desc: "symbol name", Ok: isAttr[*StringAttr], Print: printSymbolName,
		Parse: parseSymbolName}
)

// EnumAttr returns the kind of an integer attribute written as a keyword.
func EnumAttr(e *Enum, t Type) *AttrKind {
	return &AttrKind{Desc: fmt.Sprintf("%s (%s)", e.Name, t), Ok: isInt(t), Type: t, Enum: e}
}

func denseArrayKind(desc string, t Type) *AttrKind {
	return &AttrKind{Desc: desc, Ok: isDenseArray(t), Print: printBareArray, Parse: bareArray(t)}
}

func isAttr[T Attr](a Attr) bool { _, ok := a.(T); return ok }

func isInt(t Type) func(Attr) bool {
	return func(a Attr) bool { i, ok := a.(*IntegerAttr); return ok && i.Type == t }
}

func isDenseArray(t Type) func(Attr) bool {
	return func(a Attr) bool { d, ok := a.(*DenseArrayAttr); return ok && d.Elem == t }
}
