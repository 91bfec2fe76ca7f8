package amd_test

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// asmBlock is a straight piece of assembly.
type asmBlock struct {
	ops  []string // names of instructions
	next []int    // blocks that follow
}

var (
	asmLabel  = regexp.MustCompile(`^(\.LBB\w+):`)
	asmOp     = regexp.MustCompile(`^[a-z]+_\w+`)
	asmBranch = regexp.MustCompile(`^(s_c?branch\w*)\s+(\S+)`)
)

// asmBlocks takes the assembly of a kernel apart.
func asmBlocks(text string) []asmBlock {
	blocks, labels, jumps := []asmBlock{{}}, map[string]int{}, map[int]string{}
	falls := map[int]bool{} // blocks that go on with the next one
	begin := func(fall bool) {
		falls[len(blocks)-1] = fall
		blocks = append(blocks, asmBlock{})
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if m := asmLabel.FindStringSubmatch(line); m != nil {
			begin(true)
			labels[m[1]] = len(blocks) - 1
			continue
		}
		op := asmOp.FindString(line)
		if op == "" {
			continue
		}
		last := &blocks[len(blocks)-1]
		last.ops = append(last.ops, op)
		if m := asmBranch.FindStringSubmatch(line); m != nil {
			jumps[len(blocks)-1] = m[2]
			begin(m[1] != "s_branch")
		} else if op == "s_endpgm" {
			begin(false)
		}
	}
	for i := range blocks {
		if falls[i] && i+1 < len(blocks) {
			blocks[i].next = append(blocks[i].next, i+1)
		}
		if to, ok := labels[jumps[i]]; ok {
			blocks[i].next = append(blocks[i].next, to)
		}
	}
	return blocks
}

// matrixLoops returns the blocks of the innermost loops that contain matrix instructions.
func matrixLoops(blocks []asmBlock) [][]int {
	var all []map[int]bool
	for head, body := range naturalLoops(blocks) {
		body[head] = true
		for b := range body {
			if slices.ContainsFunc(blocks[b].ops, isMatrixOp) {
				all = append(all, body)
				break
			}
		}
	}
	var out [][]int
	for i, body := range all {
		inner := slices.ContainsFunc(all, func(other map[int]bool) bool {
			return len(other) < len(body) && within(other, body)
		})
		if !inner {
			out = append(out, slices.Sorted(maps.Keys(all[i])))
		}
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

func within(a, b map[int]bool) bool {
	for x := range a {
		if !b[x] {
			return false
		}
	}
	return true
}

// naturalLoops returns the bodies of loops by their first blocks: b ends one if it jumps to a block that it
// cannot be reached without.
func naturalLoops(blocks []asmBlock) map[int]map[int]bool {
	before := make([][]int, len(blocks))
	for i, b := range blocks {
		for _, n := range b.next {
			before[n] = append(before[n], i)
		}
	}
	loops := map[int]map[int]bool{}
	for head := range blocks {
		around := reachable(blocks, 0, head)
		for _, end := range before[head] {
			if around[end] || !reachable(blocks, 0, -1)[end] {
				continue
			}
			if loops[head] == nil {
				loops[head] = map[int]bool{head: true}
			}
			work := []int{end}
			for len(work) > 0 {
				b := work[len(work)-1]
				work = work[:len(work)-1]
				if !loops[head][b] {
					loops[head][b] = true
					work = append(work, before[b]...)
				}
			}
		}
	}
	return loops
}

// reachable returns the blocks that can be reached without passing another.
func reachable(blocks []asmBlock, from, without int) map[int]bool {
	seen := map[int]bool{}
	work := []int{from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b != without && !seen[b] {
			seen[b] = true
			work = append(work, blocks[b].next...)
		}
	}
	return seen
}

// loopCount is what is compared of a loop.
type loopCount struct {
	Total  int            // instructions
	Matrix map[string]int // matrix instructions, by their names
	Access map[string]int // accesses to memory, by kind and bytes: "global load 16"
}

// countLoops counts the instructions of a kernel's loops of matrix instructions.
func countLoops(text string) (out []loopCount) {
	blocks := asmBlocks(text)
	for _, loop := range matrixLoops(blocks) {
		c := loopCount{Matrix: map[string]int{}, Access: map[string]int{}}
		for _, b := range loop {
			for _, op := range blocks[b].ops {
				c.add(op)
			}
		}
		out = append(out, c)
	}
	return out
}

func isMatrixOp(op string) bool {
	return strings.HasPrefix(op, "v_mfma") || strings.HasPrefix(op, "v_wmma")
}

var asmAccess = regexp.MustCompile(`^(global|buffer|flat|ds)_(load|store|read|write)(2(?:st64)?)?_` +
	`(b|u|i|dwordx?|ushort|short|ubyte|byte|sbyte|sshort)(\d*)`)

// add counts an instruction.
func (c *loopCount) add(op string) {
	c.Total++
	if isMatrixOp(op) {
		c.Matrix[op]++
	}
	m := asmAccess.FindStringSubmatch(op)
	if m == nil {
		return
	}
	kind := map[string]string{"read": "load", "write": "store"}[m[2]]
	if kind == "" {
		kind = m[2]
	}
	space := map[bool]string{true: "shared ", false: "global "}[m[1] == "ds"]
	n := 1
	if m[3] != "" {
		n = 2
	}
	c.Access[space+kind+" "+strconv.Itoa(accessBytes(m[4], m[5]))] += n
}

// accessBytes returns the size of an access from the end of its name: b128, u16, dwordx4, ushort.
func accessBytes(unit, count string) int {
	n, err := strconv.Atoi(count)
	if err != nil {
		n = 1
	}
	switch {
	case strings.HasPrefix(unit, "dword"):
		return 4 * n
	case strings.HasSuffix(unit, "short"):
		return 2
	case strings.HasSuffix(unit, "byte"):
		return 1
	}
	return n / 8
}
