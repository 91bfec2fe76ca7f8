// Package ptx reads the text of PTX: text in; modules, functions and statements out, each with its place in
// the text. It knows the syntax and the meaning of no instruction. The simulator (ptxsim) gives every
// statement a meaning; the compiler asks what LLVM or a user wrote: which instructions, loops and registers a
// kernel has. Nothing else in the tree takes PTX apart.
//
//	ptx.go     Module, Func, Stmt: what is read
//	parse.go   reading
//	loop.go    loops and branches
//	live.go    registers whose values are read later
package ptx

import (
	"iter"
	"strconv"
	"strings"
)

// Span is a part of the text, in bytes: [Start, End).
type Span struct{ Start, End int }

// Module is the text of a module, taken apart.
type Module struct {
	// Text is the text with spaces in place of comments, so that spans are also those of the original.
	Text   string
	Target []Word // of the directive .target: "sm_90a", "debug"
	Files  map[string]string
	Vars   []Var
	Funcs  []*Func
}

// Word is a word of a directive and its place.
type Word struct {
	Text string
	Span
}

// Arch returns the architecture that the module is for: "sm_90a", or "" if it names none.
func (m *Module) Arch() string {
	if len(m.Target) == 0 {
		return ""
	}
	return m.Target[0].Text
}

// Instructions returns the instructions of all functions, in the order of the text.
func (m *Module) Instructions() iter.Seq[*Stmt] {
	return func(yield func(*Stmt) bool) {
		for _, f := range m.Funcs {
			for i := range f.Body {
				if f.Body[i].Kind == Instruction && !yield(&f.Body[i]) {
					return
				}
			}
		}
	}
}

// Has reports whether a module has an instruction with one of the names.
func (m *Module) Has(names ...string) bool {
	for s := range m.Instructions() {
		for _, n := range names {
			if s.Is(n) {
				return true
			}
		}
	}
	return false
}

// Var is a variable outside of functions.
type Var struct {
	Decl string // ".extern .shared .align 16 .b8 name[64]"
	Init string // the text behind "=", or ""
	Line int
}

// Func is a function or an entry.
type Func struct {
	Name       string
	Entry      bool
	Declared   bool     // it has no body
	Results    []string // declarations: ".param .b32 r"
	Params     []string
	Directives []Directive // .reqntid, .maxnreg and the like
	Start      int         // of the body, behind its brace
	Body       []Stmt      // the last one closes the function
	Line       int
}

// Directive is a directive of a function, such as .reqntid 32, 4.
type Directive struct {
	Name string
	Args []string
	Span
}

// Directive returns a directive of a function, nil if it has none of that name.
func (f *Func) Directive(name string) *Directive {
	for i := range f.Directives {
		if f.Directives[i].Name == name {
			return &f.Directives[i]
		}
	}
	return nil
}

// Product multiplies the numbers of a directive. Those of no directive give 0.
func (d *Directive) Product() int {
	if d == nil {
		return 0
	}
	n := 1
	for _, a := range d.Args {
		if k, err := strconv.Atoi(a); err == nil {
			n *= k
		}
	}
	return n
}

// Kind says what a statement is.
type Kind uint8

const (
	Instruction Kind = iota
	Declaration      // .reg, .param, .local, .shared, .branchtargets, .pragma
	Label            // its Opcode is the name
	Loc              // .loc, a source position
	Open             // {
	Close            // }
)

// Stmt is a statement of a function's body.
type Stmt struct {
	Kind
	Not    bool   // the guard is negated: @!%p1
	Line   int    // of its first character, from 1
	Span          // with its semicolon or colon
	Text   string // without it
	Guard  string // the predicate, or ""
	Opcode string // "ld.global.b32"; a label's name
	Args   string // the operands
}

// Name returns the first part of the opcode: "ld".
func (s *Stmt) Name() string {
	name, _, _ := strings.Cut(s.Opcode, ".")
	return name
}

// Is reports whether the opcode is name, or begins with it and a point: "bar.sync" is a "bar".
func (s *Stmt) Is(name string) bool {
	return s.Kind == Instruction && strings.HasPrefix(s.Opcode, name) &&
		(len(s.Opcode) == len(name) || s.Opcode[len(name)] == '.')
}

// Parts returns the parts of the opcode behind its name: "global", "b32".
func (s *Stmt) Parts() []string { return strings.Split(s.Opcode, ".")[1:] }

// Operands returns the operands.
func (s *Stmt) Operands() []string { return Split(s.Args) }

// Split cuts a list at the commas that are in no bracket.
func Split(s string) (list []string) {
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if last := strings.TrimSpace(s[start:]); last != "" {
		list = append(list, last)
	}
	return list
}

// Registers returns the registers that an operand names, %r1 and %rd2 of {%r1, [%rd2+4]}.
func Registers(operand string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			at := strings.IndexByte(operand, '%')
			if at < 0 {
				return
			}
			end := at + 1
			for end < len(operand) && isWord(operand[end]) && operand[end] != '%' {
				end++
			}
			if !yield(operand[at:end]) {
				return
			}
			operand = operand[end:]
		}
	}
}
