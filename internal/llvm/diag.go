package llvm

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/dl"
)

// ParseError is IR text that LLVM cannot read.
type ParseError struct {
	Name      string // name of the module
	Line, Col int    // from 1; 0 where LLVM does not say
	Msg       string
	Text      string // the line
}

func (e *ParseError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.Name, e.Msg)
	}
	head := fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Col, e.Msg)
	return head + "\n    " + e.Text + "\n    " + indent(e.Text, e.Col-1) + "^"
}

// indent is white space as wide as the first n bytes of a line.
func indent(line string, n int) string {
	line = line[:max(0, min(n, len(line)))]
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, line)
}

var position = regexp.MustCompile(`:(\d+):(\d+): error: (.*)`)

// newParseError reads LLVM's own rendering, "name:3:7: error: what", the line and a caret.
func newParseError(name, message string, ir []byte) *ParseError {
	m := position.FindStringSubmatch(message)
	if m == nil {
		return &ParseError{Name: name, Msg: strings.TrimSpace(message)}
	}
	e := &ParseError{Name: name, Msg: m[3]}
	e.Line, _ = strconv.Atoi(m[1])
	e.Col, _ = strconv.Atoi(m[2])
	if lines := strings.Split(string(ir), "\n"); e.Line >= 1 && e.Line <= len(lines) {
		e.Text = strings.TrimSuffix(lines[e.Line-1], "\r")
	}
	return e
}

// VerifyError is IR that LLVM can read and that breaks its rules.
type VerifyError struct {
	Name string
	Msg  string // each broken rule, with the instruction
}

func (e *VerifyError) Error() string {
	return fmt.Sprintf("%s: invalid LLVM IR: %s", e.Name, strings.TrimSpace(e.Msg))
}

// StageError is an error that LLVM reported while it compiled: a bad pass name, wrong inline assembly, an
// unsupported construct.
type StageError struct {
	Name  string
	Stage string // "passes", "code generation"
	Msg   string
}

func (e *StageError) Error() string {
	return fmt.Sprintf("%s: LLVM %s: %s", e.Name, e.Stage, strings.TrimSpace(e.Msg))
}

// collector gathers the diagnostics of one context. LLVM calls back on the thread that called it, so it
// needs no lock.
type collector struct {
	lib              *Lib
	id               uintptr
	errors, warnings []string
}

// LLVMDiagnosticSeverity.
const (
	severityError   = 0
	severityWarning = 1
)

var (
	collectors  sync.Map // uintptr → *collector: C keeps the number, not a Go pointer
	collectorID atomic.Uintptr
)

// collect sends the diagnostics of a context to a new collector, until its close.
func (l *Lib) collect(c contextRef) *collector {
	d := &collector{lib: l, id: collectorID.Add(1)}
	collectors.Store(d.id, d)
	l.raw.setDiagnosticHandler(c, diagnosticCallback(), d.id)
	return d
}

func (d *collector) close() { collectors.Delete(d.id) }

var diagnosticCallback = sync.OnceValue(func() uintptr { return dl.NewCallback(onDiagnostic) })

func onDiagnostic(info diagnosticRef, id uintptr) {
	v, ok := collectors.Load(id)
	if !ok {
		return
	}
	d := v.(*collector)
	switch d.lib.raw.diagSeverity(info) {
	case severityError:
		d.errors = append(d.errors, d.lib.take(d.lib.raw.diagDescription(info)))
	case severityWarning:
		d.warnings = append(d.warnings, d.lib.take(d.lib.raw.diagDescription(info)))
	}
}

// failed is the errors so far as one error, or nil.
func (d *collector) failed(name, stage string) error {
	if len(d.errors) == 0 {
		return nil
	}
	return &StageError{Name: name, Stage: stage, Msg: strings.Join(d.errors, "\n")}
}
