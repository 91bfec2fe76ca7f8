package ptxsim

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// Module is a parsed PTX module.
type Module struct {
	funcs   map[string]*function
	symbols map[string]*symbol
	files   map[string]string // their names by number, of .file directives
	data    []byte            // of the module's globals and constants
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
	start   int // of its code
	threads int // .reqntid
	cluster int // .reqnctapercluster, 0 for none
}

// param is a parameter: a place in the thread's parameter memory.
type param struct{ off, size int }

// parser reads a module.
type parser struct {
	m         *Module
	text      string
	at, line  int
	names     []map[string]int // scopes of registers
	params    []map[string]param
	prefixes  map[string]int // of ranges of registers, "%r", and their widths
	widths    map[int]int    // of registers in bits
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
	shared    int // static shared memory
	fn        *function
	ring      bool // floats are elements of a ring: see ring.go
}

// Parse reads the text of a module.
func Parse(text []byte) (*Module, error) { return parse(text, false) }

func parse(text []byte, ring bool) (*Module, error) {
	p := &parser{ring: ring, widths: map[int]int{}, m: &Module{funcs: map[string]*function{},
		symbols: map[string]*symbol{}}, text: stripComments(string(text)), line: 1}
	for {
		p.space()
		if p.at >= len(p.text) {
			break
		}
		if err := p.top(); err != nil {
			return nil, fmt.Errorf("ptx:%d: %w", p.line, err)
		}
	}
	p.m.numRegs, p.m.paramSize, p.m.localSize, p.m.sharedSize = p.numRegs, p.paramTop, p.localTop, p.shared
	return p.m, p.checkCalls()
}

// stripComments replaces comments with spaces.
func stripComments(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], "//"):
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case strings.HasPrefix(s[i:], "/*"):
			for i < len(s) && !strings.HasPrefix(s[i:], "*/") {
				if s[i] == '\n' {
					b.WriteByte('\n')
				}
				i++
			}
			i = min(i+2, len(s))
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		if p.text[p.at] == '\n' {
			p.line++
		}
		p.at++
	}
}

// until takes text up to one of the stop characters, which it does not consume.
func (p *parser) until(stops string) string {
	start := p.at
	for p.at < len(p.text) && strings.IndexByte(stops, p.text[p.at]) < 0 {
		if p.text[p.at] == '\n' {
			p.line++
		}
		p.at++
	}
	return p.text[start:p.at]
}

// skipBraces passes over a group in braces.
func (p *parser) skipBraces() {
	depth := 0
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case '{':
			depth++
		case '}':
			depth--
		case '\n':
			p.line++
		}
		p.at++
		if depth == 0 {
			return
		}
	}
}

// top reads one directive of the module.
func (p *parser) top() error {
	for _, d := range []string{".version", ".target", ".address_size", ".file", ".loc"} {
		if strings.HasPrefix(p.text[p.at:], d) {
			if text := p.until("\n"); d == ".file" {
				p.m.file(text)
			}
			return nil
		}
	}
	if strings.HasPrefix(p.text[p.at:], ".section") {
		p.until("{")
		p.skipBraces()
		return nil
	}
	head := p.until("({;=")
	if p.at >= len(p.text) {
		return fmt.Errorf("the module ends in %q", strings.TrimSpace(head))
	}
	words := strings.Fields(head)
	for i, w := range words {
		if w == ".entry" || w == ".func" {
			return p.function(words, i)
		}
	}
	return p.variable(head)
}

// variable reads a global, constant or shared variable.
func (p *parser) variable(head string) error {
	init := ""
	if p.text[p.at] == '=' {
		init = p.until(";")
	}
	p.at++
	size, name, err := declared(head)
	if err != nil {
		return err
	}
	if strings.Contains(head, ".shared") {
		p.shared = (p.shared + 15) &^ 15
		p.m.symbols[name] = &symbol{shared: true, off: p.shared}
		p.shared += size
		return nil
	}
	for len(p.m.data)%16 != 0 {
		p.m.data = append(p.m.data, 0)
	}
	p.m.symbols[name] = &symbol{off: len(p.m.data)}
	data := make([]byte, size)
	if init = strings.Trim(init, "= \n\t{}"); init != "" {
		unit := max(1, typeOf(elemSuffix(head)).bits/8)
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

// function reads an entry or a function, whose word ".entry" or ".func" is words[at].
func (p *parser) function(words []string, at int) error {
	f := &function{entry: words[at] == ".entry"}
	p.fn = f
	p.params = []map[string]param{{}}
	p.names = []map[string]int{{}}
	p.prefixes = map[string]int{}
	p.labels, p.scopes = map[label]int{}, []int{0}
	p.tables = map[string][]string{}
	p.jumps = nil
	var err error
	if at+1 < len(words) {
		f.name = words[at+1]
	} else { // the results come first
		if f.rets, err = p.paramList(); err != nil {
			return err
		}
		p.space()
		f.name = strings.TrimSpace(p.until("(;{"))
	}
	if p.text[p.at] == '(' {
		if f.params, err = p.paramList(); err != nil {
			return err
		}
	}
	tail := p.until("{;")
	f.threads, f.cluster = directive(tail, ".reqntid"), directive(tail, ".reqnctapercluster")
	p.at++
	if p.text[p.at-1] == ';' {
		return nil // a declaration
	}
	if old := p.m.funcs[f.name]; old != nil {
		return fmt.Errorf("function %s is there twice", f.name)
	}
	p.m.funcs[f.name] = f
	f.start = len(p.m.code)
	if err := p.body(); err != nil {
		return err
	}
	for _, j := range p.jumps {
		to, ok := p.target(j)
		if !ok {
			return fmt.Errorf("line %d: no label %s", j.line, j.label)
		}
		p.m.code[j.at].targets = append(p.m.code[j.at].targets, to)
	}
	return nil
}

// directive returns the first number behind a directive, 0 where it is not there.
func directive(text, name string) int {
	i := strings.Index(text, name)
	if i < 0 {
		return 0
	}
	n, _ := parseInt(strings.Trim(strings.Fields(text[i+len(name):] + " 0")[0], ","))
	return int(n)
}

// paramList reads "(.param .u64 a, .param .align 4 .b8 b[8])".
func (p *parser) paramList() ([]param, error) {
	p.at++
	text := p.until(")")
	p.at++
	var out []param
	for _, d := range strings.Split(text, ",") {
		if strings.TrimSpace(d) == "" {
			continue
		}
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

// body reads the statements of a function, whose opening brace is behind us.
func (p *parser) body() error {
	depth := 1
	for {
		p.space()
		if p.at >= len(p.text) {
			return fmt.Errorf("function %s does not end", p.fn.name)
		}
		switch c := p.text[p.at]; {
		case c == '{':
			p.at++
			depth++
			p.names = append(p.names, map[string]int{})
			p.params = append(p.params, map[string]param{})
			p.lastScope++
			p.scopes = append(p.scopes, p.lastScope)
			continue
		case c == '}':
			p.at++
			if depth--; depth == 0 {
				p.emit(instr{kind: kindExit, guard: -1, text: "end of " + p.fn.name})
				return nil
			}
			p.names = p.names[:len(p.names)-1]
			p.params = p.params[:len(p.params)-1]
			p.scopes = p.scopes[:len(p.scopes)-1]
			continue
		case c == ';':
			p.at++
			continue
		// .local is another
		case strings.HasPrefix(p.text[p.at:], ".loc ") || strings.HasPrefix(p.text[p.at:], ".loc\t"):
			p.loc = strings.TrimSpace(p.until("\n"))
			continue
		}
		if name, ok := p.label(); ok {
			p.labels[label{p.scopes[len(p.scopes)-1], name}], p.lastLabel = len(p.m.code), name
			continue
		}
		line := p.line
		if err := p.statement(strings.TrimSpace(p.until(";")), line); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		p.at++
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '%' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' ||
		c >= 'A' && c <= 'Z'
}

func (p *parser) emit(i instr) { p.m.code = append(p.m.code, i) }

// statement reads a declaration or an instruction.
func (p *parser) statement(s string, line int) error {
	if list, ok := strings.CutPrefix(s, ".branchtargets"); ok {
		p.tables[p.lastLabel] = splitOperands(strings.TrimSpace(list))
		return nil
	}
	word, rest, _ := strings.Cut(strings.ReplaceAll(s, "\t", " "), " ")
	switch word {
	case ".reg":
		return p.registers(rest)
	case ".param":
		_, err := p.newParam(rest)
		return err
	case ".local":
		size, name, err := declared(rest)
		if err != nil {
			return err
		}
		p.localTop = (p.localTop + 15) &^ 15
		p.m.symbols[name] = &symbol{off: -1 - p.localTop}
		p.localTop += size
		return nil
	case ".pragma":
		return nil
	case ".shared":
		return p.sharedVariable(rest)
	}
	if strings.HasPrefix(word, ".branchtargets") {
		return nil
	}
	return p.instruction(s, line)
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
