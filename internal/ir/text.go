package ir

import (
	"io"

	"github.com/nereid-lang/nereid/internal/diag"
)

// PrintOptions choose among the forms of the text.
type PrintOptions struct {
	Locs    bool // print locations, as aliases (#loc3) where they are worth one
	Generic bool // print every op in MLIR's generic form, inherent attributes as properties <{...}>
}

// Print writes op, usually a module, as MLIR text.
func Print(w io.Writer, op *Op, opts PrintOptions) error { panic("not written yet") }

// Parse reads a module. Text without an explicit `module` is wrapped in one. The error is a *diag.List.
func Parse(files *diag.FileSet, name string, src []byte) (*Module, error) { panic("not written yet") }

// ParseType and ParseAttr read one type or attribute.
func ParseType(src string) (Type, error) { panic("not written yet") }
func ParseAttr(src string) (Attr, error) { panic("not written yet") }

// Printer is what an op's PrintFn, and a dialect's types and attributes, write to. Each method writes just what it says: spaces and
// punctuation are the caller's, through Text.
type Printer struct{}

func (p *Printer) Text(s string)                 {} // verbatim
func (p *Printer) Textf(f string, args ...any)   {}
func (p *Printer) Quoted(s string)               {} // a string literal
func (p *Printer) Symbol(name string)            {} // @name or @"na me"
func (p *Printer) Value(v *Value)                {} // %3, %3#1, %arg0
func (p *Printer) Values(vs []*Value)            {} // comma-separated
func (p *Printer) Type(t Type)                   {} // with aliases
func (p *Printer) Types(ts []Type)               {} // comma-separated
func (p *Printer) FuncType(ins, outs []Type)     {} // (ins) -> outs, outs in parentheses unless exactly one non-function type
func (p *Printer) Attr(a Attr)                   {} // with aliases and types
func (p *Printer) BareAttr(a Attr)               {} // an integer or float without its type
func (p *Printer) Block(b *Block)                {} // ^bb1
func (p *Printer) Arg(v *Value, attrs *DictAttr) {} // %x: type {attrs} loc(...)
// AttrDict writes " {…}" with the attributes of op that are not named in elide and do not have their default value;
// nothing when none is left. AttrDictKeyword writes " attributes {…}".
func (p *Printer) AttrDict(op *Op, elide ...string)        {}
func (p *Printer) AttrDictKeyword(op *Op, elide ...string) {}

// Region writes "{ … }". entryArgs: write the entry block's label when it has arguments; terms: write terminators (false leaves
// out the implicit one, when it has no operands).
func (p *Printer) Region(r *Region, entryArgs, terms bool) {}

// Parser is what an op's ParseFn, and a dialect's types and attributes, read from. A method that fails records an error at
// the token and returns false (or ok = false); the caller passes that on. Try… methods fail without an error.
type Parser struct{}

// Operand is a use that has been read but not resolved: its type may come later in the text.
type Operand struct {
	Name   string
	Number int // the 1 of %3#1
	Pos    diag.Pos
}

// Arg is a block argument being defined: %x : type {attrs} loc(...).
type Arg struct {
	Operand
	Type  Type
	Attrs *DictAttr
	Loc   Loc
}

func (p *Parser) Pos() diag.Pos                                   { return 0 }
func (p *Parser) Errorf(pos diag.Pos, f string, args ...any) bool { return false }

// Literal demands a keyword or punctuation such as "to", "->", "(", "="; Try takes it if it is there.
func (p *Parser) Literal(s string) bool { return false }
func (p *Parser) Try(s string) bool     { return false }
func (p *Parser) Peek(s string) bool    { return false }

func (p *Parser) Keyword() (string, bool)        { return "", false } // a bare identifier
func (p *Parser) TryKeyword() (string, bool)     { return "", false }
func (p *Parser) String() (string, bool)         { return "", false } // a string literal
func (p *Parser) Symbol() (string, bool)         { return "", false } // @name
func (p *Parser) TrySymbol() (string, bool)      { return "", false }
func (p *Parser) Int() (int64, bool)             { return 0, false } // with an optional minus
func (p *Parser) Operand() (Operand, bool)       { return Operand{}, false }
func (p *Parser) TryOperand() (Operand, bool)    { return Operand{}, false }
func (p *Parser) Operands() ([]Operand, bool)    { return nil, false } // comma-separated, maybe none
func (p *Parser) Type() (Type, bool)             { return nil, false }
func (p *Parser) Types() ([]Type, bool)          { return nil, false } // comma-separated, at least one
func (p *Parser) Attr(implied Type) (Attr, bool) { return nil, false } // implied: the type of a bare number; nil for i64/f64
func (p *Parser) Block() (*Block, bool)          { return nil, false } // ^bb1, which may be defined later
func (p *Parser) Loc() (Loc, bool)               { return nil, false } // an optional loc(...); Unknown when absent

// FuncType reads (types) -> types.
func (p *Parser) FuncType() (*FunctionType, bool) { return nil, false }

// Dims reads 4x?x; the element type follows. VectorDims would also take [4]x.
func (p *Parser) Dims() ([]int64, bool) { return nil, false }

// Shape reads 4x8: sizes with nothing after the last, as in the allocation shape of a memory descriptor.
func (p *Parser) Shape() ([]int64, bool) { return nil, false }

// IntList reads [1, 2] (or [] for none), as in layouts.
func (p *Parser) IntList() ([]int64, bool) { return nil, false }

// List reads open, a comma-separated list of items read by f (maybe none), and close.
func (p *Parser) List(open, close string, f func() bool) bool { return false }

// Arg reads %x, then ": type" if typed, then {attrs} and loc if they are there.
func (p *Parser) Arg(typed bool) (Arg, bool) { return Arg{}, false }

// Resolve finds the value of an operand that has the given type (a forward reference if it is defined later), and appends
// it to the state. Its errors point at the operand.
func (p *Parser) Resolve(s *State, o Operand, t Type) bool          { return false }
func (p *Parser) ResolveAll(s *State, os []Operand, ts []Type) bool { return false }

// AttrDict reads an optional {…} into the state; AttrDictKeyword an optional `attributes {…}`.
func (p *Parser) AttrDict(s *State) bool        { return false }
func (p *Parser) AttrDictKeyword(s *State) bool { return false }

// Region reads { … } whose entry block has the given arguments (none: the text may have a label with its own), and appends it
// to the state. An ImplicitTerminator op's terminator is added where the text leaves it out.
func (p *Parser) Region(s *State, args []Arg) bool { return false }
