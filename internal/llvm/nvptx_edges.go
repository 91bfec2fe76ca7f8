package llvm

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/ptx"
)

// A loop that may have no iterations has a branch around it. Accumulators that begin with a constant are that
// constant behind the branch, too, and LLVM sets them before it, once for both ways:
//
//	mov.b32 %r1, 0f00000000;
//	@%p1 bra $L__BB0_5;
//	…                         addresses for the loop
//	$L__BB0_4: …              the loop adds to %r1
//	$L__BB0_5:
//
// The assembler does not move them over the branch, so all accumulators take registers while the addresses
// are computed. Set on each way by itself, those of the loop come just before it. A block on the edge, made
// before code generation, would do the same, but code generation then lays out other loops anew.
//
// Kernels with products of warp groups stay as they are: accumulators that are set on two ways make the
// assembler (ptxas 12.8, C7515) run such products one after the other.

// usesWarpGroups reports whether LLVM IR multiplies by instructions of warp groups.
func usesWarpGroups(ir []byte) bool { return bytes.Contains(ir, []byte("wgmma.")) }

// tidied returns LLVM's PTX as the assembler should see it: constants behind branches around loops, and
// without ", debug" in the directive .target unless keepDebug. LLVM writes that for any module with line
// tables, and it keeps the driver's compiler from optimizing (a matmul on an H200 ran at 39 TFLOP/s with it,
// 654 without). The .loc lines work without it.
func tidied(text []byte, keepDebug bool) ([]byte, error) {
	m, err := ptx.Parse(text)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(text)+len(text)/16)
	done := 0
	replace := func(part ptx.Span, with ...string) {
		out = append(out, text[done:part.Start]...)
		for _, w := range with {
			out = append(out, w...)
		}
		done = part.End
	}
	if !keepDebug && len(m.Target) > 0 {
		for i, w := range m.Target[1:] {
			if w.Text == "debug" {
				replace(ptx.Span{Start: m.Target[i].End, End: w.End})
			}
		}
	}
	if !m.Has("wgmma") {
		e := edges{text: text}
		for _, f := range m.Funcs {
			if around := aroundLoops(f.Body); len(around) > 0 {
				whole := ptx.Span{Start: f.Start, End: f.Body[len(f.Body)-1].End}
				replace(whole, e.split(f, around)...)
			}
		}
	}
	return append(out, text[done:]...), nil
}

// edges sets constants on both ways behind branches.
type edges struct {
	text  []byte
	count int
	out   []line
	done  int // how much of the text out has
}

// line is a part of the text that begins with the end of the line before it.
type line struct {
	text string
	stmt *ptx.Stmt // nil for comments, and for lines that are new
}

// split returns the text of a body in which constants that stand before the branches around are set behind
// them.
func (e *edges) split(f *ptx.Func, around []int) []string {
	e.out, e.done = e.out[:0], f.Start
	body := f.Body
	for i := range body {
		e.add(&body[i])
		if !slices.Contains(around, i) {
			continue
		}
		last := len(e.out) - 1
		first, constants := takeConstants(e.out[:last])
		if len(constants) == 0 {
			continue
		}
		e.count++
		jump, enter, not := &body[i], fmt.Sprintf("$L__enter%d", e.count), "!"
		if jump.Not {
			not = ""
		}
		e.out = append(first, line{text: fmt.Sprintf("\n\t@%s%s bra \t%s;", not, jump.Guard, enter)})
		e.out = append(e.out, constants...)
		e.out = append(e.out, line{text: fmt.Sprintf("\n\tbra.uni \t%s;", jump.Branch())},
			line{text: "\n" + enter + ":"})
		e.out = append(e.out, constants...)
	}
	list := make([]string, len(e.out))
	for i := range e.out {
		list[i] = e.out[i].text
	}
	return list
}

// add adds a statement, behind the comments before it.
func (e *edges) add(s *ptx.Stmt) {
	gap := string(e.text[e.done:s.Start])
	if at := strings.LastIndexByte(gap, '\n'); at > 0 {
		e.out = append(e.out, line{text: gap[:at]})
		gap = gap[at:]
	}
	e.out = append(e.out, line{gap + string(e.text[s.Start:s.End]), s})
	e.done = s.End
}

// aroundLoops returns the conditional branches that lead forward over a loop.
func aroundLoops(body []ptx.Stmt) (around []int) {
	type jump struct{ from, to int }
	labels := map[string]int{}
	for i := range body {
		if body[i].Kind == ptx.Label {
			labels[body[i].Opcode] = i
		}
	}
	var forward, back []jump
	for i := range body {
		to := body[i].Branch()
		if !strings.HasPrefix(to, "$") { // inline assembly's
			continue
		}
		if j := (jump{i, labels[to]}); j.to < i {
			back = append(back, j)
		} else if body[i].Guard != "" {
			forward = append(forward, j)
		}
	}
	for _, j := range forward {
		if slices.ContainsFunc(back, func(loop jump) bool { return j.from < loop.to && loop.from < j.to }) {
			around = append(around, j.from)
		}
	}
	return around
}

// takeConstants takes the instructions off the end of lines that set registers to constants. It looks at
// copies of registers and constants, and at source positions. Comments, which enclose inline assembly, and
// all other instructions end them.
func takeConstants(lines []line) (before, constants []line) {
	first := len(lines)
	for first > 0 && isCopyOrLoc(lines[first-1]) {
		first--
	}
	before = lines[:first:first]
	known := map[string]bool{}
	for _, l := range lines[first:] {
		if to, from, ok := copyOf(l.stmt); ok && (known[from] || isNumber(from)) {
			known[to] = true
			constants = append(constants, l)
		} else {
			before = append(before, l)
		}
	}
	return before, constants
}

func isCopyOrLoc(l line) bool {
	if l.stmt == nil || l.text[0] != '\n' {
		return false
	}
	_, _, ok := copyOf(l.stmt)
	return ok || l.stmt.Kind == ptx.Loc
}

// copyOf returns the operands of an instruction that sets a register to another, or to a constant.
func copyOf(s *ptx.Stmt) (to, from string, ok bool) {
	if s.Guard != "" || !s.Is("mov.b16") && !s.Is("mov.b32") && !s.Is("mov.b64") {
		return "", "", false
	}
	ops := s.Operands()
	if len(ops) != 2 || ops[0][0] != '%' {
		return "", "", false
	}
	return ops[0], ops[1], true
}

// isNumber reports whether an operand is an integer, or a float in hexadecimal: 0f3F800000.
func isNumber(op string) bool {
	if len(op) > 2 && (op[:2] == "0f" || op[:2] == "0d") {
		_, err := strconv.ParseUint(op[2:], 16, 64)
		return err == nil
	}
	_, err := strconv.ParseInt(op, 10, 64)
	return err == nil && op[0] != '+'
}
