package nvidia

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/ptx"
)

// A product of a warp group may read its left operand from registers. If a loop has one that was loaded
// before it and another one that it computes, with a branch between the two products, ptxas gives both the
// same registers: the second iteration multiplies what the first one computed. ptxas 12.8, 12.9 and the
// driver of CUDA 13.0 do so; copies, waits and fences in the loop do not help, and ptxas warns (C7513) in
// some cases only. peer/registers.py looks for it in machine code.

// overwritesOperands reports whether ptxas may give two left operands of a loop the same registers.
func overwritesOperands(text []byte) bool {
	m, err := ptx.Parse(text)
	if err != nil {
		return false // the assembler will refuse it
	}
	for body := range m.Loops() {
		if loopOverwrites(body) {
			return true
		}
	}
	return false
}

// loopOverwrites looks at the statements of a loop.
func loopOverwrites(body []ptx.Stmt) bool {
	written := writtenIn(body)
	block := 0
	var before, computed []int // blocks of products, by where their left operand is from
	for i := range body {
		s := &body[i]
		switch {
		case s.Kind == ptx.Label || s.Is("bra"):
			block++
		case s.Is("wgmma.mma_async"):
			left := slices.Collect(ptx.Registers(s.Operands()[1]))
			if len(left) < 2 { // a descriptor of shared memory
				continue
			}
			if slices.ContainsFunc(left, func(r string) bool { return written[r] }) {
				computed = append(computed, block)
			} else {
				before = append(before, block)
			}
		}
	}
	return slices.ContainsFunc(computed, func(b int) bool {
		return slices.ContainsFunc(before, func(a int) bool { return a != b })
	})
}

// writtenIn returns the registers that statements write.
func writtenIn(body []ptx.Stmt) map[string]bool {
	written := map[string]bool{}
	for i := range body {
		if ops := body[i].Operands(); body[i].Kind == ptx.Instruction && len(ops) > 1 {
			for r := range ptx.Registers(ops[0]) {
				written[r] = true
			}
		}
	}
	return written
}
