package lower

import (
	"fmt"
	"sort"
	"strings"

	"github.com/nereid-lang/nereid/internal/budget"
)

// writer collects the text of an LLVM function. Lines can be patched later: the incoming values of a phi
// along a back edge are known only when the loop's body has been written.
type writer struct {
	lines    []string
	prologue []string // lines at the start of the entry block
	temps    int
	block    string            // label of the current block
	ended    bool              // the current block has its terminator
	dbg      string            // debug location, appended to each instruction
	decls    map[string]string // declarations by name, shared by the functions of the module
	meter    *budget.Meter     // counts the bytes written; may be nil
}

func newWriter(decls map[string]string, meter *budget.Meter) *writer {
	return &writer{block: "entry", decls: decls, meter: meter}
}

// line appends a line.
func (w *writer) line(s string) {
	w.meter.Wrote(len(s))
	w.lines = append(w.lines, s)
}

// do appends an instruction without a result.
func (w *writer) do(format string, args ...any) {
	w.line("  " + fmt.Sprintf(format, args...) + w.dbg)
}

// val appends an instruction and returns the name of its result.
func (w *writer) val(format string, args ...any) string {
	name := w.temp()
	w.line("  " + name + " = " + fmt.Sprintf(format, args...) + w.dbg)
	return name
}

func (w *writer) temp() string {
	w.temps++
	return fmt.Sprintf("%%v%d", w.temps)
}

// label returns a new block name.
func (w *writer) label(kind string) string {
	w.temps++
	return fmt.Sprintf("%s%d", kind, w.temps)
}

// begin starts a block.
func (w *writer) begin(label string) {
	w.lines = append(w.lines, label+":")
	w.block, w.ended = label, false
}

// br ends the block with a jump unless it has ended.
func (w *writer) br(label string) {
	if !w.ended {
		w.do("br label %%%s", label)
		w.ended = true
	}
}

// condBr ends the block with a conditional branch.
func (w *writer) condBr(cond, yes, no string) {
	w.do("br i1 %s, label %%%s, label %%%s", cond, yes, no)
	w.ended = true
}

// phi is a reserved line for a phi, whose incoming values are written by patch.
type phi struct {
	name string
	line int
	typ  string
	ins  []string
}

func (w *writer) phi(typ string) *phi {
	p := &phi{name: w.temp(), line: len(w.lines), typ: typ}
	w.lines = append(w.lines, "")
	return p
}

// from adds an incoming value.
func (p *phi) from(value, block string) {
	p.ins = append(p.ins, fmt.Sprintf("[ %s, %%%s ]", value, block))
}

// patch writes the lines of ps.
func (w *writer) patch(ps ...*phi) {
	for _, p := range ps {
		w.lines[p.line] = fmt.Sprintf("  %s = phi %s %s", p.name, p.typ, strings.Join(p.ins, ", "))
	}
}

// call emits a call of an LLVM intrinsic or a runtime function and declares the function.
func (w *writer) call(ret, name string, args ...string) string {
	w.declare(ret, name, args)
	if ret == "void" {
		w.do("call void @%s(%s)", name, strings.Join(args, ", "))
		return ""
	}
	return w.val("call %s @%s(%s)", ret, name, strings.Join(args, ", "))
}

// declare records the declaration of a function; args are "type value".
func (w *writer) declare(ret, name string, args []string) {
	types := make([]string, len(args))
	for i, a := range args {
		types[i] = argType(a)
	}
	w.decls[name] = fmt.Sprintf("declare %s @%s(%s)", ret, name, strings.Join(types, ", "))
}

// argType returns the type in "type value": everything but the last word.
func argType(a string) string {
	if i := strings.LastIndexByte(a, ' '); i >= 0 {
		return a[:i]
	}
	return a
}

// declarations returns the declarations, sorted so that the output is deterministic.
func declarations(decls map[string]string) string {
	list := make([]string, 0, len(decls))
	for _, d := range decls {
		list = append(list, d)
	}
	sort.Strings(list)
	return strings.Join(list, "\n")
}

// asm emits inline assembly. args are "type value"; ret may be void, a type, or a struct.
func (w *writer) asm(ret, code, constraints string, effects bool, args ...string) string {
	side := ""
	if effects {
		side = "sideeffect "
	}
	text := fmt.Sprintf("call %s asm %s\"%s\", \"%s\"(%s)", ret, side, quote(code), constraints,
		strings.Join(args, ", "))
	if ret == "void" {
		w.do("%s", text)
		return ""
	}
	return w.val("%s", text)
}

// quote escapes a string for LLVM: characters other than plain ASCII become \XX.
func quote(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < 32 || c > 126 || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
