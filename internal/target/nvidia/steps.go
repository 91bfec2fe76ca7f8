package nvidia

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/ptx"
)

// Products of warp groups read their left operand from registers while threads go on. Steps of a product that
// alternate with the conversions of these registers (ttg.StepsAttr) are right only if LLVM leaves the
// conversions where they are, behind the waits. LLVM is free to move them, so its PTX is checked. A copy
// behind a wait does not help: the assembler may give a register and its copy the same place.

// stepsInTime reports whether no loop of the PTX writes a register that an asynchronous product still reads.
func stepsInTime(text []byte) bool {
	m, err := ptx.Parse(text)
	if err != nil {
		return true // the assembler will refuse it
	}
	for body := range m.Loops() {
		if !slices.ContainsFunc(body, func(s ptx.Stmt) bool { return s.Is("wgmma.mma_async") }) {
			continue
		}
		w := productsUnderWay{groups: [][]string{nil}, copies: copies(body)}
		for range 2 { // what one iteration reads, the next one may write
			for i := range body {
				if body[i].Kind == ptx.Instruction && !w.follow(&body[i]) {
					return false
				}
			}
		}
	}
	return true
}

// copies returns the registers that each register is a copy of.
func copies(body []ptx.Stmt) map[string][]string {
	of := map[string][]string{}
	for i := range body {
		s := &body[i]
		if ops := s.Operands(); s.Guard == "" && len(ops) == 2 && (s.Is("mov") || s.Is("cvt.u16.u32")) {
			from := slices.Collect(ptx.Registers(ops[1]))
			for to := range ptx.Registers(ops[0]) {
				of[to] = append(of[to], from...)
			}
		}
	}
	return of
}

// productsUnderWay tracks the registers that asynchronous products of a warp group still read.
type productsUnderWay struct {
	groups [][]string // the registers that each group reads; the last group is not closed
	copies map[string][]string
}

// read notes that the group that is not closed reads a register, and those of which it is a copy.
func (w *productsUnderWay) read(r string) {
	last := len(w.groups) - 1
	if slices.Contains(w.groups[last], r) {
		return
	}
	w.groups[last] = append(w.groups[last], r)
	for _, from := range w.copies[r] {
		w.read(from)
	}
}

// follow follows an instruction. It returns false if the instruction writes a register that is being read.
func (w *productsUnderWay) follow(s *ptx.Stmt) bool {
	switch {
	case s.Is("wgmma.mma_async"):
		if ops := s.Operands(); len(ops) > 1 && strings.HasPrefix(ops[1], "{") {
			for r := range ptx.Registers(ops[1]) {
				w.read(r)
			}
		}
	case s.Is("wgmma.wait_group"):
		n, _ := strconv.Atoi(s.Args)
		w.groups = w.groups[max(0, len(w.groups)-1-n):]
	case s.Is("wgmma.commit_group"):
		w.groups = append(w.groups, nil)
	case !s.Is("wgmma"):
		return !w.writes(s)
	}
	return true
}

// writes reports whether an instruction writes a register that an asynchronous product still reads.
func (w *productsUnderWay) writes(s *ptx.Stmt) bool {
	ops := s.Operands()
	if len(ops) == 0 || ops[0][0] != '{' && ops[0][0] != '%' {
		return false
	}
	for r := range ptx.Registers(ops[0]) {
		if slices.ContainsFunc(w.groups, func(group []string) bool { return slices.Contains(group, r) }) {
			return true
		}
	}
	return false
}
