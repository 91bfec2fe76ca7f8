package ptxsim

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/ptx"
	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// Module is a parsed PTX module.
type Module struct {
	funcs   map[string]*function
	symbols map[string]*symbol
	files   map[string]string // their names by number, of .file directives
	data    []byte            // data of the module's globals and constants
	code    []instr

	numRegs, paramSize, localSize, sharedSize int
}

// symbol is a variable of the module.
type symbol struct {
	shared bool
	off    int // into Module.data, or shared memory
}

// function is an entry or a device function. Functions do not recurse, so each has registers of its own.
type function struct {
	name    string
	entry   bool
	params  []param
	rets    []param
	start   int // start of its code
	threads int // .reqntid
	cluster int // .reqnctapercluster, 0 for none
}

// param is a parameter: a place in the thread's parameter memory.
type param struct{ off, size int }

// parser gives the statements of a module their meaning: places of variables, registers by number, actions
// of instructions.
type parser struct {
	m         *Module
	names     []map[string]int // scopes of registers
	params    []map[string]param
	prefixes  map[string]int // prefixes of ranges of registers, "%r", and their widths
	widths    map[int]int    // widths of registers in bits
	labels    map[label]int
	scopes    []int // the groups in braces that we are in
	lastScope int
	jumps     []jump
	numRegs   int
	paramTop  int
	localTop  int
	loc       string              // the last .loc
	tables    map[string][]string // the labels of .branchtargets, by its own
	lastLabel string
	shared    int  // static shared memory
	ring      bool // floats are elements of a ring: see ring.go
}

// Parse reads the text of a module.
func Parse(text []byte) (*Module, error) { return parse(text, false) }

func parse(text []byte, ring bool) (*Module, error) {
	read, err := ptx.Parse(text)
	if err != nil {
		return nil, err
	}
	p := &parser{ring: ring, widths: map[int]int{}, m: &Module{funcs: map[string]*function{},
		symbols: map[string]*symbol{}, files: read.Files}}
	for _, v := range read.Vars {
		if err := p.variable(v); err != nil {
			return nil, fmt.Errorf("ptx:%d: %w", v.Line, err)
		}
	}
	for _, f := range read.Funcs {
		if err := p.function(f); err != nil {
			return nil, fmt.Errorf("ptx:%d: %w", f.Line, err)
		}
	}
	p.m.numRegs, p.m.paramSize, p.m.localSize, p.m.sharedSize = p.numRegs, p.paramTop, p.localTop, p.shared
	return p.m, p.checkCalls()
}

// Variable returns the bytes of a variable of the module, from its first on; nil if there is none.
func (m *Module) Variable(name string) []byte {
	if s := m.symbols[name]; s != nil && s.off < len(m.data) {
		return m.data[s.off:]
	}
	return nil
}

// variable gives a global, constant or shared variable its place.
func (p *parser) variable(v ptx.Var) error {
	if strings.Contains(v.Decl, ".shared") {
		return p.sharedVariable(v.Decl)
	}
	size, name, err := declared(v.Decl)
	if err != nil {
		return err
	}
	for len(p.m.data)%16 != 0 {
		p.m.data = append(p.m.data, 0)
	}
	p.m.symbols[name] = &symbol{off: len(p.m.data)}
	data := make([]byte, size)
	if init := strings.Trim(v.Init, " \n\t{}"); init != "" {
		unit := max(1, typeOf(elemSuffix(v.Decl)).bits/8)
		for i, w := range strings.Split(init, ",") {
			v, err := parseInt(strings.TrimSpace(w))
			if err != nil || (i+1)*unit > size {
				return fmt.Errorf("bad initial value of %s", name)
			}
			simmem.Store(data[i*unit:], uint64(v), unit)
		}
	}
	p.m.data = append(p.m.data, data...)
	return nil
}

func elemSuffix(head string) string {
	for _, w := range strings.Fields(head) {
		if t := typeOf(strings.TrimPrefix(w, ".")); t.bits > 0 {
			return strings.TrimPrefix(w, ".")
		}
	}
	return "b8"
}

// declared returns the size and name of ".align 16 .b8 name[64]".
func declared(head string) (int, string, error) {
	head = strings.TrimSpace(head)
	count := 1
	if i := strings.IndexByte(head, '['); i >= 0 {
		n := strings.Trim(head[i:], "[] \t")
		count = 0
		if n != "" {
			v, err := parseInt(n)
			if err != nil {
				return 0, "", err
			}
			count = int(v)
		}
		head = head[:i]
	}
	words := strings.Fields(head)
	if len(words) == 0 {
		return 0, "", fmt.Errorf("a declaration without a name")
	}
	return count * max(1, typeOf(elemSuffix(head)).bits/8), words[len(words)-1], nil
}

// function takes in an entry or a function.
func (p *parser) function(read *ptx.Func) error {
	f := &function{name: read.Name, entry: read.Entry}
	p.params = []map[string]param{{}}
	p.names = []map[string]int{{}}
	p.prefixes = map[string]int{}
	p.labels, p.scopes = map[label]int{}, []int{0}
	p.tables = map[string][]string{}
	p.jumps = nil
	var err error
	if f.rets, err = p.paramList(read.Results); err != nil {
		return err
	}
	if f.params, err = p.paramList(read.Params); err != nil {
		return err
	}
	f.threads, f.cluster = firstNumber(read, ".reqntid"), firstNumber(read, ".reqnctapercluster")
	if read.Declared {
		return nil
	}
	if old := p.m.funcs[f.name]; old != nil {
		return fmt.Errorf("function %s is there twice", f.name)
	}
	p.m.funcs[f.name] = f
	f.start = len(p.m.code)
	for i := range read.Body {
		if err := p.statement(&read.Body[i]); err != nil {
			return fmt.Errorf("line %d: %w", read.Body[i].Line, err)
		}
	}
	p.emit(instr{kind: kindExit, guard: -1, text: "end of " + f.name})
	for _, j := range p.jumps {
		to, ok := p.target(j)
		if !ok {
			return fmt.Errorf("line %d: no label %s", j.line, j.label)
		}
		p.m.code[j.at].targets = append(p.m.code[j.at].targets, to)
	}
	return nil
}

// firstNumber returns the first number behind a directive, 0 where it is not there.
func firstNumber(f *ptx.Func, directive string) int {
	d := f.Directive(directive)
	if d == nil || len(d.Args) == 0 {
		return 0
	}
	n, _ := parseInt(d.Args[0])
	return int(n)
}

// paramList gives declared parameters their places.
func (p *parser) paramList(decls []string) ([]param, error) {
	var out []param
	for _, d := range decls {
		q, err := p.newParam(d)
		if err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	return out, nil
}

// newParam gives a declared parameter its place.
func (p *parser) newParam(d string) (param, error) {
	size, name, err := declared(d)
	if err != nil {
		return param{}, err
	}
	align := 16
	if size > 16 {
		align = 64
	}
	p.paramTop = (p.paramTop + align - 1) &^ (align - 1)
	q := param{p.paramTop, size}
	p.paramTop += size
	p.params[len(p.params)-1][name] = q
	return q, nil
}

func (p *parser) emit(i instr) { p.m.code = append(p.m.code, i) }

// statement takes in a statement of a function.
func (p *parser) statement(s *ptx.Stmt) error {
	switch s.Kind {
	case ptx.Open:
		p.names = append(p.names, map[string]int{})
		p.params = append(p.params, map[string]param{})
		p.lastScope++
		p.scopes = append(p.scopes, p.lastScope)
	case ptx.Close:
		p.names = p.names[:len(p.names)-1]
		p.params = p.params[:len(p.params)-1]
		p.scopes = p.scopes[:len(p.scopes)-1]
	case ptx.Loc:
		p.loc = s.Text
	case ptx.Label:
		p.labels[label{p.scopes[len(p.scopes)-1], s.Opcode}], p.lastLabel = len(p.m.code), s.Opcode
	case ptx.Declaration:
		return p.declaration(s)
	case ptx.Instruction:
		return p.instruction(s)
	}
	return nil
}

// declaration takes in a declaration of a function's body.
func (p *parser) declaration(s *ptx.Stmt) error {
	switch s.Opcode {
	case ".branchtargets":
		p.tables[p.lastLabel] = s.Operands()
	case ".reg":
		return p.registers(s.Args)
	case ".param":
		_, err := p.newParam(s.Args)
		return err
	case ".local":
		size, name, err := declared(s.Args)
		if err != nil {
			return err
		}
		p.localTop = (p.localTop + 15) &^ 15
		p.m.symbols[name] = &symbol{off: -1 - p.localTop}
		p.localTop += size
	case ".shared":
		return p.sharedVariable(s.Args)
	case ".pragma":
	default:
		return fmt.Errorf("declaration %s is not known", s.Text)
	}
	return nil
}

func (p *parser) sharedVariable(rest string) error {
	size, name, err := declared(rest)
	if err != nil {
		return err
	}
	p.shared = (p.shared + 15) &^ 15
	p.m.symbols[name] = &symbol{shared: true, off: p.shared}
	p.shared += size
	return nil
}

// registers reads ".b32 %r<10>" or ".pred p, q".
func (p *parser) registers(s string) error {
	name, list, _ := strings.Cut(strings.TrimSpace(s), " ")
	bits := typeOf(strings.TrimPrefix(name, ".")).bits
	for _, n := range strings.Split(list, ",") {
		n = strings.TrimSpace(n)
		if i := strings.IndexByte(n, '<'); i >= 0 {
			p.prefixes[n[:i]] = bits
			continue
		}
		p.newRegister(len(p.names)-1, n, bits)
	}
	return nil
}

// register finds a register by name.
func (p *parser) register(name string) (int, bool) {
	for i := len(p.names) - 1; i >= 0; i-- {
		if r, ok := p.names[i][name]; ok {
			return r, true
		}
	}
	if bits := p.prefixes[strings.TrimRight(name, "0123456789")]; bits > 0 {
		return p.newRegister(0, name, bits), true
	}
	return 0, false
}

func (p *parser) newRegister(scope int, name string, bits int) int {
	r := p.numRegs
	p.names[scope][name], p.widths[r] = r, bits
	p.numRegs++
	return r
}

func (p *parser) param(name string) (param, bool) {
	for i := len(p.params) - 1; i >= 0; i-- {
		if q, ok := p.params[i][name]; ok {
			return q, true
		}
	}
	return param{}, false
}

// parseInt reads an integer as PTX writes it.
func parseInt(s string) (int64, error) {
	neg := strings.HasPrefix(s, "-")
	t := strings.TrimSuffix(strings.TrimPrefix(s, "-"), "U")
	v, err := strconv.ParseUint(t, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("bad number %q", s)
	}
	if neg {
		return -int64(v), nil
	}
	return int64(v), nil
}
