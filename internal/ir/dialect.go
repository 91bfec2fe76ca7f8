package ir

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
)

// Dialect is a namespace of operations, types and attributes.
type Dialect struct {
	Name, Doc string

	ops   map[string]*OpDef
	order []*OpDef
	types map[string]*TypeDef
	attrs map[string]*AttrTypeDef
}

// Trait is a set of facts about every operation of a kind.
type Trait uint64

const (
	// no effects, no undefined behaviour: may be moved, merged, dropped
	Pure        Trait = 1 << iota
	Commutative       // the operands may be swapped
	// applied element by element to scalars or tensors of one shape
	Elementwise
	Idempotent       // f(f(x)) = f(x); f(x, x) = x for two operands
	Involution       // f(f(x)) = x
	ConstantLike     // no operands, the attribute "value" is the result
	Terminator       // ends its block
	ReturnLike       // a terminator that hands its operands to the parent op
	Isolated         // regions use no value defined outside (IsolatedFromAbove)
	SymbolOp         // has sym_name
	SymbolTableOp    // its region holds symbols
	SingleBlock      // each region has at most one block
	NoTerminator     // blocks need no terminator
	RecursiveEffects // the effects are those of the ops inside
	LoopLike         // scf.for and friends
	Reads            // reads memory
	Writes           // writes memory
	Allocates        // makes a new buffer
	// no undefined behaviour: may be executed where it was not (implied by Pure)
	Speculatable
	SegmentedOperands             // AttrSizedOperandSegments
	SegmentedResults              // AttrSizedResultSegments
	SameOperandsAndResultType     // one type for all operands and results
	SameTypeOperands              // one type for all operands
	SameOperandsAndResultShape    // one shape for all
	SameOperandsAndResultElem     // one element type for all
	SameOperandsAndResultEncoding // one encoding for all tensors (those that have one)
	SameOperandsEncoding          // one encoding for all tensor operands
	// tt.load, tt.store: pointee shapes agree (SameLoadStoreOperandsShape and ...AndResultShape)
	SameLoadStoreShape
	// tensors have a power of two elements, at most 2^20 (VerifyTensorLayouts, TensorSizeTrait)
	TensorSizes
	// the parser adds the terminator that the text leaves out (SingleBlockImplicitTerminator)
	ImplicitTerminator
	GraphRegion // values may be used before they are defined
	// no memory effects, but undefined for some operands: may be dropped and merged, not moved (implied by
	// Pure)
	NoEffects
	// every element of the result is one of the operand's: in another shape, order or layout, or repeated
	View
	// the result is the operand with its dimensions in the order of the attribute "order"
	Permutes
)

// Constraint is what a slot demands of a value's type.
type Constraint struct {
	Desc string
	Ok   func(Type) bool
	Only Type // the single type that fits, when there is one: the text need not name it
	// the one kind of dialect type that fits: type($x) is written without "!tt.ptr", unless qualified; both
	// are read
	Def   *TypeDef
	Arity Arity
}

// Of returns the constraint that only types of one kind meet.
func Of(d *TypeDef) Constraint {
	return Constraint{Desc: d.Name, Def: d, Ok: func(t Type) bool {
		dt, ok := t.(*DialectType)
		return ok && dt.Def == d
	}}
}

// Arity of a slot.
type Arity uint8

const (
	One  Arity = iota
	Opt        // none or one
	Many       // any number
)

// Optional returns the constraint for a slot that may be empty.
func Optional(c Constraint) Constraint { c.Arity = Opt; return c }

// Variadic returns the constraint for a slot with any number of values.
func Variadic(c Constraint) Constraint { c.Arity = Many; return c }

// Slot is a named place for an operand or a result.
type Slot struct {
	Name string
	Constraint
}

// Slots makes a list of slots from alternating names and constraints.
func Slots(list ...any) []Slot {
	out := make([]Slot, 0, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		out = append(out, Slot{list[i].(string), list[i+1].(Constraint)})
	}
	return out
}

// AttrKind is what an attribute's slot demands, and how its bare form is written.
type AttrKind struct {
	Desc string
	Ok   func(Attr) bool
	// the implied type of an integer or float: `$axis` is written without ": i32"
	Type Type
	Enum *Enum // written as one of the keywords
	// the one kind of dialect attribute that fits: written without "#dialect.name", unless qualified
	Def   *AttrTypeDef
	Print func(p *Printer, a Attr)     // the bare form in a Format, where it differs from the plain one
	Parse func(p *Parser) (Attr, bool) // its counterpart
}

// Enum names the values of an integer attribute.
type Enum struct {
	Name  string
	Cases []EnumCase
}

// EnumCase is one value of an Enum.
type EnumCase struct {
	Word  string
	Value int64
}

// Word returns the keyword of a value.
func (e *Enum) Word(v int64) (string, bool) {
	for _, c := range e.Cases {
		if c.Value == v {
			return c.Word, true
		}
	}
	return "", false
}

// Value returns the value of a keyword.
func (e *Enum) Value(word string) (int64, bool) {
	for _, c := range e.Cases {
		if c.Word == word {
			return c.Value, true
		}
	}
	return 0, false
}

// AttrSlot is an inherent attribute of an operation.
type AttrSlot struct {
	Name     string
	Kind     *AttrKind
	Optional bool
	Default  Attr // taken when the text has none; such an attribute is not printed when it has this value
}

// Attrs makes a list of required attributes from alternating names and *AttrKind.
func Attrs(list ...any) []AttrSlot {
	out := make([]AttrSlot, 0, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		switch k := list[i+1].(type) {
		case *AttrKind:
			out = append(out, AttrSlot{Name: list[i].(string), Kind: k})
		case AttrSlot:
			k.Name = list[i].(string)
			out = append(out, k)
		}
	}
	return out
}

// OptAttr returns an attribute that may be absent.
func OptAttr(k *AttrKind) AttrSlot { return AttrSlot{Kind: k, Optional: true} }

// DefAttr returns an attribute with a default.
func DefAttr(k *AttrKind, def Attr) AttrSlot { return AttrSlot{Kind: k, Default: def} }

// TypeRule says that the type of one operand or result follows from another's, as MLIR's TypesMatchWith. A
// nil Fn is identity (AllTypesMatch). The reader uses it where a Format names only From; the verifier checks
// it always.
type TypeRule struct {
	From, To string
	Fn       func(Type) Type // nil result: not applicable
}

// OpDef is one row of a dialect's table: all there is to say about a kind of operation but for what it means.
// Folders, verifiers and other functions that mention ops join by Dialect.Folders and the like, since a
// function in the row that mentions the row is an initialisation cycle.
type OpDef struct {
	Name       string // without the dialect
	Doc        string // one sentence
	Traits     Trait
	Operands   []Slot
	Results    []Slot
	Attrs      []AttrSlot
	Regions    []string // names; a trailing "..." on the last means any number
	Successors []string // names; a trailing "..." on the last means any number
	Types      []TypeRule
	Format     string // MLIR's declarative assembly format

	// PrintFn and ParseFn replace Format where an op has syntax of its own. PrintFn prints all that follows
	// the op's name; ParseFn reads the same and fills the state.
	PrintFn func(p *Printer, op *Op)
	ParseFn func(p *Parser, s *State) bool

	// ElideDialect: the ops directly inside are written without this op's dialect, `return` for func.return
	// in func.func.
	ElideDialect bool

	// ResultName is the name that results wish for in text where they have none of their own, and ArgName
	// that of an argument of a region's entry block: "" is no wish. Constants are named after their value
	// without it.
	ResultName func(op *Op, i int) string
	ArgName    func(op *Op, region, i int) string

	// ImplicitTerm is the terminator that an ImplicitTerminator op's region ends with when the text leaves it
	// out.
	ImplicitTerm *OpDef

	Dialect      *Dialect
	Unregistered bool

	fullName string
	format   *compiledFormat // Format, compiled when it is first used
	fold     FoldFunc
	verify   VerifyFunc
	effects  EffectsFunc
	infer    InferFunc
	mayHoist SpeculateFunc
	symbols  SymbolUseFunc
	generic  GenericForm
}

// FoldResult is what an operation's result is known to be: an existing value, or a constant. Exactly one is
// set; both nil means that this result was not folded.
type FoldResult struct {
	Value *Value
	Const Attr
}

// FoldFunc simplifies an operation without making others: one FoldResult for each result, or nil when nothing
// is known. consts holds the constant of each operand (nil where not constant). It may also change op in
// place, and then returns op's own results.
type FoldFunc func(op *Op, consts []Attr) []FoldResult

// VerifyFunc checks what the row cannot say.
type VerifyFunc func(op *Op) error

// Effect is a set of memory effects.
type Effect uint8

const (
	EffRead Effect = 1 << iota
	EffWrite
	EffAlloc
	EffUnknown // anything at all
)

// EffectsFunc gives the effects of one operation where they depend on its attributes.
type EffectsFunc func(op *Op) Effect

// SpeculateFunc reports whether one operation may be executed where it was not, when that depends on its
// operands or attributes.
type SpeculateFunc func(op *Op) bool

// SymbolUseFunc checks an operation against the symbols it names in the nearest symbol table.
type SymbolUseFunc func(op *Op, lookup func(name string) *Op) error

// InferFunc gives the result types that follow from operands and attributes.
type InferFunc func(s *State) ([]Type, error)

// TypeDef declares a type of a dialect: `!dialect.name<...>`. Parse reads what follows the name; Print writes
// it.
type TypeDef struct {
	Name, Doc string
	Parse     func(p *Parser) (Type, bool)
	Print     func(p *Printer, t *DialectType)
	Dialect   *Dialect
}

// AttrTypeDef declares an attribute of a dialect: `#dialect.name<...>`. Alias is the name such an attribute
// gets in the text's head (`#blocked = ...`), or empty when it is always written in place.
type AttrTypeDef struct {
	Name, Doc string
	Alias     string
	Parse     func(p *Parser) (Attr, bool)
	Print     func(p *Printer, a *DialectAttr)
	Dialect   *Dialect
}

var registry = struct {
	sync.RWMutex
	dialects map[string]*Dialect
	unknown  map[string]*OpDef
}{dialects: map[string]*Dialect{}, unknown: map[string]*OpDef{}}

// NewDialect declares a dialect.
func NewDialect(name, doc string) *Dialect {
	d := &Dialect{Name: name, Doc: doc, ops: map[string]*OpDef{}, types: map[string]*TypeDef{},
		attrs: map[string]*AttrTypeDef{}}
	registry.Lock()
	defer registry.Unlock()
	if registry.dialects[name] != nil {
		panic("ir: dialect " + name + " declared twice")
	}
	registry.dialects[name] = d
	return d
}

// Op declares an operation.
func (d *Dialect) Op(def OpDef) *OpDef {
	p := &def
	p.Dialect, p.fullName, p.format = d, d.Name+"."+def.Name, &compiledFormat{}
	if d.ops[def.Name] != nil {
		panic("ir: op " + p.fullName + " declared twice")
	}
	d.ops[def.Name] = p
	d.order = append(d.order, p)
	return p
}

// NewType declares a type.
func (d *Dialect) NewType(def TypeDef) *TypeDef {
	p := &def
	p.Dialect = d
	d.types[def.Name] = p
	return p
}

// NewAttr declares an attribute.
func (d *Dialect) NewAttr(def AttrTypeDef) *AttrTypeDef {
	p := &def
	p.Dialect = d
	d.attrs[def.Name] = p
	return p
}

// Get returns the type with the given parameters, interned. Parameters are Types, Attrs, int64, []int64,
// [][]int64, string, bool or float64.
func (t *TypeDef) Get(params ...any) *DialectType {
	return dialectTypes.Get(key{a: address(t), text: paramsKey(params)}, func() *DialectType {
		return &DialectType{t, params}
	})
}

// Get returns the attribute with the given parameters, interned.
func (a *AttrTypeDef) Get(params ...any) *DialectAttr {
	return dialectAttrs.Get(key{a: address(a), text: paramsKey(params)}, func() *DialectAttr {
		return &DialectAttr{a, params}
	})
}

// Folders joins folders to their ops. It returns d, so that it can stand in a var declaration.
func (d *Dialect) Folders(m map[*OpDef]FoldFunc) *Dialect {
	for op, f := range m {
		op.fold = f
	}
	return d
}

// Verifiers joins verifiers to their ops.
func (d *Dialect) Verifiers(m map[*OpDef]VerifyFunc) *Dialect {
	for op, f := range m {
		op.verify = f
	}
	return d
}

// Effects joins effect functions to their ops.
func (d *Dialect) Effects(m map[*OpDef]EffectsFunc) *Dialect {
	for op, f := range m {
		op.effects = f
	}
	return d
}

// Speculation joins, to ops without effects that are not Pure, what says when they may be moved.
func (d *Dialect) Speculation(m map[*OpDef]SpeculateFunc) *Dialect {
	for op, f := range m {
		op.mayHoist = f
	}
	return d
}

// SymbolUses joins, to ops that name symbols, the checks of those.
func (d *Dialect) SymbolUses(m map[*OpDef]SymbolUseFunc) *Dialect {
	for op, f := range m {
		op.symbols = f
	}
	return d
}

// Inference joins result type inference to its ops.
func (d *Dialect) Inference(m map[*OpDef]InferFunc) *Dialect {
	for op, f := range m {
		op.infer = f
	}
	return d
}

// Ops yields the dialect's operations in the order of their declaration.
func (d *Dialect) Ops() iter.Seq[*OpDef] { return slices.Values(d.order) }

// Types and Attrs return the dialect's types and attributes, by name.
func (d *Dialect) Types() []*TypeDef { return byName(d.types) }

func (d *Dialect) Attrs() []*AttrTypeDef { return byName(d.attrs) }

func byName[T any](m map[string]T) []T {
	out := make([]T, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[name])
	}
	return out
}

// Dialects returns all declared dialects, by name.
func Dialects() []*Dialect {
	registry.RLock()
	defer registry.RUnlock()
	return slices.SortedFunc(maps.Values(registry.dialects), func(a, b *Dialect) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
}

// LookupDialect returns the dialect of a name, or nil.
func LookupDialect(name string) *Dialect {
	registry.RLock()
	defer registry.RUnlock()
	return registry.dialects[name]
}

// LookupOp returns the definition of a full op name, "arith.addf", or nil.
func LookupOp(name string) *OpDef {
	dialect, rest, ok := cutDialect(name)
	if !ok {
		return nil
	}
	d := LookupDialect(dialect)
	if d == nil {
		return nil
	}
	return d.ops[rest]
}

// LookupType and LookupAttr find a dialect's type or attribute by its full name, "tt.ptr".
func LookupType(name string) *TypeDef {
	dialect, rest, ok := cutDialect(name)
	if d := LookupDialect(dialect); ok && d != nil {
		return d.types[rest]
	}
	return nil
}

func LookupAttr(name string) *AttrTypeDef {
	dialect, rest, ok := cutDialect(name)
	if d := LookupDialect(dialect); ok && d != nil {
		return d.attrs[rest]
	}
	return nil
}

// UnknownOp returns the definition given to an operation that no dialect declares; the same for each name.
func UnknownOp(name string) *OpDef {
	registry.Lock()
	defer registry.Unlock()
	if def := registry.unknown[name]; def != nil {
		return def
	}
	def := &OpDef{Name: name, fullName: name, Unregistered: true,
		Doc: "An operation of a dialect that is not declared."}
	registry.unknown[name] = def
	return def
}

func cutDialect(name string) (dialect, rest string, ok bool) {
	for i := range len(name) {
		if name[i] == '.' {
			return name[:i], name[i+1:], true
		}
	}
	return "", name, false
}

// FullName returns the op's name with its dialect, "arith.addf".
func (d *OpDef) FullName() string { return d.fullName }

func (d *OpDef) String() string { return d.fullName }

// Has reports whether all the given traits hold.
func (d *OpDef) Has(t Trait) bool { return d.Traits&t == t }

// AttrSlot returns the inherent attribute of a name, or nil.
func (d *OpDef) AttrSlot(name string) *AttrSlot {
	for i := range d.Attrs {
		if d.Attrs[i].Name == name {
			return &d.Attrs[i]
		}
	}
	return nil
}

// Infer returns the op's result types as they follow from its operands and attributes, or an error when they
// do not.
func (d *OpDef) Infer(s *State) ([]Type, error) {
	switch {
	case d.infer != nil:
		return d.infer(s)
	case d.Has(SameOperandsAndResultType) && len(s.Operands) > 0:
		return repeat(s.Operands[0].Type, len(d.Results)), nil
	case len(d.Results) == 0:
		return nil, nil
	}
	types := make([]Type, len(d.Results))
	for i, r := range d.Results {
		if types[i] = r.Only; types[i] == nil {
			types[i] = d.ruleType(r.Name, s)
		}
		if types[i] == nil || r.Arity != One {
			return nil, fmt.Errorf("the type of %s's result %q does not follow from its operands",
				d.fullName, r.Name)
		}
	}
	return types, nil
}

// ruleType applies the row's TypeRules from operands to a result.
func (d *OpDef) ruleType(result string, s *State) Type {
	for _, r := range d.Types {
		if r.To != result {
			continue
		}
		for i, o := range d.Operands {
			if o.Name != r.From || o.Arity != One || i >= len(s.Operands) || d.Has(SegmentedOperands) &&
				s.Segments == nil {
				continue
			}
			v := s.group(i)
			if len(v) != 1 {
				continue
			}
			if r.Fn == nil {
				return v[0].Type
			}
			return r.Fn(v[0].Type)
		}
	}
	return nil
}

func repeat(t Type, n int) []Type {
	ts := make([]Type, n)
	for i := range ts {
		ts[i] = t
	}
	return ts
}
