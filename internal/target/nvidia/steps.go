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
// conversions where they are, behind the waits. It is free to move them, so PTX is looked at. A copy behind a
// wait does not help: the assembler lets a register and its copy be one.

var (
	leftOperand = regexp.MustCompile(`^wgmma\.mma_async\S*\s+\{[^}]*\},\s*\{([^}]*)\}`)
	pending     = regexp.MustCompile(`^wgmma\.wait_group\S*\s+(\d+)`)
	written     = regexp.MustCompile(`^(?:@!?%\w+\s+)?[a-z][\w.:]*\s+(\{[^}]*\}|%\w+)`)
	copied      = regexp.MustCompile(`^(?:mov\.\w+|cvt\.u16\.u32)\s+(\{[^}]*\}|%\w+),\s*(\{[^}]*\}|%\w+)$`)
	registers   = regexp.MustCompile(`%\w+`)
)

// stepsInTime reports whether no loop of PTX writes a register that products under way read.
func stepsInTime(ptx []byte) bool {
	for body := range loops(ptx) {
		if !bytes.Contains(body, []byte("wgmma.mma_async")) {
			continue
		}
		code := instructions(string(body))
		w := productsUnderWay{groups: [][]string{nil}, copies: copies(code)}
		for range 2 { // what one iteration reads, the next one may write
			if slices.ContainsFunc(code, func(text string) bool { return !w.follow(text) }) {
				return false
			}
		}
	}
	return true
}

// instructions returns the instructions of PTX, without what stands on lines before them.
func instructions(ptx string) (list []string) {
	for part := range strings.SplitSeq(ptx, ";") {
		part = strings.TrimLeft(part, "{} \t\n")
		list = append(list, strings.TrimSpace(part[strings.LastIndexByte(part, '\n')+1:]))
	}
	return list
}

// copies returns the registers of which others are copies, by these others.
func copies(code []string) map[string][]string {
	of := map[string][]string{}
	for _, text := range code {
		if m := copied.FindStringSubmatch(text); m != nil {
			from := registers.FindAllString(m[2], -1)
			for _, to := range registers.FindAllString(m[1], -1) {
				of[to] = append(of[to], from...)
			}
		}
	}
	return of
}

// productsUnderWay follows the products of a warp group.
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

// follow follows an instruction. It returns false if that writes a register that is read.
func (w *productsUnderWay) follow(text string) bool {
	if m := leftOperand.FindStringSubmatch(text); m != nil {
		for _, r := range registers.FindAllString(m[1], -1) {
			w.read(r)
		}
		return true
	}
	if m := pending.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		w.groups = w.groups[max(0, len(w.groups)-1-n):]
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
