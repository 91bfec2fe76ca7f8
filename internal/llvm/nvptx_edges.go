package llvm

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A loop that may have no iterations has a branch around it. Sums that begin with a constant are that
// constant behind the branch, too, and LLVM sets them before it, once for both ways:
//
//	mov.b32 %r1, 0f00000000;
//	@%p1 bra $L__BB0_5;
//	…                         addresses for the loop
//	$L__BB0_4: …              the loop adds to %r1
//	$L__BB0_5:
//
// The assembler does not move them over the branch, so all sums take registers while the addresses are
// computed. Set on each way by itself, those of the loop come just before it. A block on the edge, made
// before code generation, would do the same, but code generation then lays out other loops anew.
//
// Kernels with products of warp groups stay as they are: sums that are set on two ways make the assembler
// (ptxas 12.8, C7515) run such products one after the other.

var (
	ptxLabel    = regexp.MustCompile(`^(\$\w+):`)
	ptxJump     = regexp.MustCompile(`^\s+(?:@(!?)(%p\d+) )?bra(?:\.uni)?\s+(\$\w+);`)
	ptxConstant = regexp.MustCompile(`^\s+mov\.b(?:16|32|64)\s+(%\w+), ([^;]+);`)
	ptxNumber   = regexp.MustCompile(`^(-?\d+|0[fd][0-9A-Fa-f]+)$`)
	ptxPlace    = regexp.MustCompile(`^\s+\.loc\s`)
)

// usesWarpGroups reports whether IR or PTX multiplies by instructions of warp groups.
func usesWarpGroups(code []byte) bool { return bytes.Contains(code, []byte("wgmma.")) }

// constantsBehindBranches sets constants that stand before a branch around a loop on both ways behind it.
func constantsBehindBranches(ptx []byte) []byte {
	if usesWarpGroups(ptx) {
		return ptx
	}
	lines := strings.Split(string(ptx), "\n")
	around := aroundLoops(lines)
	if len(around) == 0 {
		return ptx
	}
	out := make([]string, 0, len(lines))
	edges := 0
	for i, line := range lines {
		out = append(out, line)
		if !around[i] {
			continue
		}
		before, constants := takeConstants(out[:len(out)-1])
		if len(constants) == 0 {
			continue
		}
		edges++
		jump := ptxJump.FindStringSubmatch(line)
		enter := fmt.Sprintf("$L__enter%d", edges)
		out = append(before, fmt.Sprintf("\t@%s%s bra \t%s;", opposite(jump[1]), jump[2], enter))
		out = append(out, constants...)
		out = append(out, fmt.Sprintf("\tbra.uni \t%s;", jump[3]), enter+":")
		out = append(out, constants...)
	}
	return []byte(strings.Join(out, "\n"))
}

// aroundLoops returns the lines with conditional branches that lead forward over a loop.
func aroundLoops(lines []string) map[int]bool {
	type jump struct{ from, to int }
	at := map[string]int{}
	for i, line := range lines {
		if m := ptxLabel.FindStringSubmatch(line); m != nil {
			at[m[1]] = i
		}
	}
	var forward, back []jump
	for i, line := range lines {
		m := ptxJump.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if j := (jump{i, at[m[3]]}); j.to < i {
			back = append(back, j)
		} else if m[2] != "" {
			forward = append(forward, j)
		}
	}
	around := map[int]bool{}
	for _, j := range forward {
		if slices.ContainsFunc(back, func(loop jump) bool { return j.from < loop.to && loop.from < j.to }) {
			around[j.from] = true
		}
	}
	return around
}

// takeConstants takes the instructions off the end of lines that set registers to constants.
func takeConstants(lines []string) (before, constants []string) {
	first := len(lines)
	for first > 0 && (ptxConstant.MatchString(lines[first-1]) || ptxPlace.MatchString(lines[first-1])) {
		first--
	}
	before = lines[:first:first]
	known := map[string]bool{}
	for _, line := range lines[first:] {
		m := ptxConstant.FindStringSubmatch(line)
		if m != nil && (known[m[2]] || ptxNumber.MatchString(m[2])) {
			known[m[1]] = true
			constants = append(constants, line)
		} else {
			before = append(before, line)
		}
	}
	return before, constants
}

// opposite returns the mark of the opposite of a predicate that has this mark.
func opposite(mark string) string {
	if mark == "" {
		return "!"
	}
	return ""
}
