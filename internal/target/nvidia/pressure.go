package nvidia

import (
	"bytes"
	"regexp"
)

var (
	ptxRegister = regexp.MustCompile(`%(rd|r|fd|f)\d+`)
	ptxLabel    = regexp.MustCompile(`^\$?\w+:`)
	ptxBranch   = regexp.MustCompile(`\bbra(?:\.uni)?\s+(\$?\w+)`)
)

// pressure returns the number of 32-bit registers that are alive at once, at most, if a kernel's
// instructions run in the order of the text. Predicates and 16-bit registers, which share others, are not
// counted.
func pressure(ptx []byte) int {
	type life struct{ first, last int }
	lives := map[string]*life{}
	labels := map[string]int{}
	type loop struct{ first, last int }
	var loops []loop
	at := 0
	for line := range bytes.Lines(ptx) {
		text := bytes.TrimSpace(line)
		if bytes.HasPrefix(text, []byte(".")) || bytes.HasPrefix(text, []byte("//")) {
			continue
		}
		at++
		if m := ptxLabel.Find(text); m != nil {
			labels[string(m[:len(m)-1])] = at
		}
		if m := ptxBranch.FindSubmatch(text); m != nil && labels[string(m[1])] != 0 {
			loops = append(loops, loop{labels[string(m[1])], at})
		}
		for _, r := range ptxRegister.FindAll(text, -1) {
			if l := lives[string(r)]; l != nil {
				l.last = at
			} else {
				lives[string(r)] = &life{at, at}
			}
		}
	}
	change := make([]int, at+2)
	for name, l := range lives {
		for _, o := range loops { // a value from before a loop that the loop uses stays alive to its end
			if l.first < o.first && o.first <= l.last && l.last < o.last {
				l.last = o.last
			}
		}
		words := 1
		if name[1:3] == "rd" || name[1:3] == "fd" {
			words = 2
		}
		change[l.first] += words
		change[l.last] -= words
	}
	most, now := 0, 0
	for _, c := range change {
		now += c
		most = max(most, now)
	}
	return most
}
