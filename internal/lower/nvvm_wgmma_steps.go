package lower

import (
	"regexp"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
)

// A product whose left operand the loop computes in registers is divided into steps along k, each a group of
// its own: while the tensor cores work on some steps, the threads compute the registers of the next.
//
//	A for step 0
//	step 0, wait until few steps are under way
//	A for step 1
//	step 1, wait …
//
// The assembler takes the order of this code for granted: if a register of A is written where the step that
// read it in the iteration before may be under way, it is overwritten there. What LLVM makes of the order is
// looked at in PTX (internal/target/nvidia/steps.go); where it is wrong, the product becomes a whole one.

// sumApart multiplies as sum does, with an asynchronous group for each step along k. The wait behind the
// last one is an operation.
func (p *groupProduct) sumApart(tiles []groupTile, words [][]string, left [][][]string) {
	under, _ := p.op.Int(ttg.StepsAttr)
	use, steps, from := p.useC, p.depth/p.k, len(p.l.lines)
	for i := range steps {
		regs := make([][][]string, len(left))
		for j, tile := range left {
			regs[j] = tile[i : i+1]
		}
		if i == 0 {
			copy(words, p.fence(words, regs))
		} else {
			p.fence(nil, regs)
		}
		for j, t := range tiles {
			words[j] = p.step(t, words[j], left[j], i, use)
		}
		p.l.groupAsm("void", commitGroup, "")
		if i < steps-1 {
			p.l.groupAsm("void", waitGroup(int(under)), "")
		}
		use = "1"
	}
	block := p.l.lastLines(from)
	sinkBehind(block, from-(len(p.l.lines)-len(block)))
}

// lastLines returns the lines of the current block, in which line from is.
func (w *writer) lastLines(from int) []string {
	for from > 0 && !strings.HasSuffix(w.lines[from-1], ":") {
		from--
	}
	return w.lines[from:]
}

// sinkBehind moves instructions that only code behind line from needs to where it first does. LLVM and the
// assembler keep about this order. Reads of shared memory move, too, if nothing but reads stands between them
// and that line: a product writes none.
func sinkBehind(lines []string, from int) {
	first := map[string]int{} // where a value is used first, by name
	to := make([]int, len(lines))
	reads := true // whether reads may move
	for i, line := range slices.Backward(lines) {
		to[i] = i
		name, code := nameAndCode(line)
		pure, read := isPureLine(code), isSharedRead(code)
		if at, used := first[name]; used && i < from && at >= from && (pure || read && reads) {
			to[i] = at
		}
		reads = reads && (pure || read || i >= from)
		for _, v := range valueNames.FindAllString(code, -1) {
			if at, used := first[v]; !used || to[i] < at {
				first[v] = to[i]
			}
		}
	}
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return to[a] - to[b] })
	moved := make([]string, len(lines))
	for i, at := range order {
		moved[i] = lines[at]
	}
	copy(lines, moved)
}

var valueNames = regexp.MustCompile(`%[\w.]+`)

// nameAndCode splits a line into the name of its result, if it has one, and the rest.
func nameAndCode(line string) (name, code string) {
	line = strings.TrimSpace(line)
	if name, code, ok := strings.Cut(line, " = "); ok {
		return name, code
	}
	return "", line
}

// isSharedRead reports whether an instruction reads shared memory and has no other effect.
func isSharedRead(code string) bool {
	return strings.Contains(code, " asm sideeffect \"ld.shared.") ||
		strings.Contains(code, " asm sideeffect \"ldmatrix.")
}

// isPureLine reports whether an instruction neither reads nor writes memory and has no other effect.
func isPureLine(code string) bool {
	op, rest, _ := strings.Cut(code, " ")
	switch op {
	case "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "fadd", "fsub", "fmul", "fneg",
		"icmp", "fcmp", "select", "bitcast", "trunc", "zext", "sext", "fptrunc", "fpext", "sitofp", "uitofp",
		"fptosi", "fptoui", "ptrtoint", "getelementptr", "extractelement", "insertelement", "shufflevector",
		"extractvalue", "insertvalue":
		return true
	case "call":
		return strings.Contains(rest, " asm \"")
	}
	return false
}
