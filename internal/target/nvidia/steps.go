package nvidia

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Products of warp groups read their left operand from registers while threads go on. Steps of a product that
// alternate with the conversions of these registers (ttg.StepsAttr) are right only if LLVM leaves the
// conversions where they are, behind the waits. It is free to move them, so PTX is looked at.

var (
	leftOperand = regexp.MustCompile(`^wgmma\.mma_async\S*\s+\{[^}]*\},\s*\{([^}]*)\}`)
	pending     = regexp.MustCompile(`^wgmma\.wait_group\S*\s+(\d+)`)
	written     = regexp.MustCompile(`^(?:@!?%\w+\s+)?[a-z][\w.:]*\s+(\{[^}]*\}|%\w+)`)
	registers   = regexp.MustCompile(`%\w+`)
)

// stepsInTime reports whether no loop of PTX writes a register that products under way read.
func stepsInTime(ptx []byte) bool {
	for body := range loops(ptx) {
		if !bytes.Contains(body, []byte("wgmma.mma_async")) {
			continue
		}
		w := productsUnderWay{groups: [][]string{nil}}
		for range 2 { // what one iteration reads, the next one may write
			for part := range strings.SplitSeq(string(body), ";") {
				if !w.follow(strings.TrimLeft(part, "{} \t\n")) {
					return false
				}
			}
		}
	}
	return true
}

// productsUnderWay follows the products of a warp group.
type productsUnderWay struct {
	groups [][]string // the registers that each group reads; the last group is not closed
}

// follow follows an instruction, with what stands before it. It returns false if the instruction writes a
// register that is read.
func (w *productsUnderWay) follow(text string) bool {
	text = text[strings.LastIndexByte(text, '\n')+1:]
	text = strings.TrimSpace(text)
	last := len(w.groups) - 1
	if m := leftOperand.FindStringSubmatch(text); m != nil {
		w.groups[last] = append(w.groups[last], registers.FindAllString(m[1], -1)...)
		return true
	}
	if m := pending.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		w.groups = w.groups[max(0, last-n):]
		return true
	}
	if strings.HasPrefix(text, "wgmma.commit_group") {
		w.groups = append(w.groups, nil)
	}
	return strings.HasPrefix(text, "wgmma.") || !w.reads(written.FindStringSubmatch(text))
}

// reads reports whether products under way read one of the registers that an instruction writes.
func (w *productsUnderWay) reads(writes []string) bool {
	if writes == nil {
		return false
	}
	for _, r := range registers.FindAllString(writes[1], -1) {
		if slices.ContainsFunc(w.groups, func(group []string) bool { return slices.Contains(group, r) }) {
			return true
		}
	}
	return false
}
