package view

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// Finding is something wrong with a run that no access out of bounds shows: a race between programs, a load
// of what nobody wrote, a NaN in what was stored.
type Finding struct {
	Kind    string `json:"kind"` // "race", "uninitialised" or "NaN"
	Text    string `json:"text"`
	Program int64  `json:"program"` // number in the grid, x fastest
	Place   string `json:"place"`   // "softmax.py:11"
	Link    []int  `json:"link"`
	// Of the other access of a race.
	Other      int64  `json:"other"` // -1 if there is none
	OtherPlace string `json:"otherPlace,omitempty"`
	OtherLink  []int  `json:"otherLink,omitempty"`
}

// maxFindings bounds the findings of a page.
const maxFindings = 50

// Checked adds what the interpreter found when it looked for races and for reads of what nobody wrote. The
// lines of a race's other program are those of its stores in the run that the page shows. tensors are those
// of that launch.
func (r *Run) Checked(faults []*interp.Fault, tensors []Tensor, files *Files) {
	seen := map[string]bool{}
	for _, f := range faults {
		if f.Race == "" && !f.Uninit || len(r.Findings) == maxFindings {
			continue
		}
		name, index := accessed(f, tensors)
		x := Finding{Kind: "uninitialised", Program: r.number(f.Program), Link: []int{}, Other: -1,
			Text: fmt.Sprintf("load of index %d of %s, which nobody has written", index, name)}
		for i, p := range ir.CallChain(f.Loc) {
			if i == 0 {
				x.Place = short(parsePlace(p))
			}
			x.Link = append(x.Link, files.own(parsePlace(p))...)
		}
		if f.Race != "" {
			r.race(&x, f, name, index)
		}
		if key := x.Kind + x.Place + x.OtherPlace + name; !seen[key] { // other elements tell nothing new
			seen[key] = true
			r.Findings = append(r.Findings, x)
		}
	}
}

// accessed returns the tensor and the element that a fault is about.
func accessed(f *interp.Fault, tensors []Tensor) (name string, index int64) {
	if f.Access == nil {
		return f.Arg, f.Index
	}
	at := f.Buffer + uint64(f.Access.Offset)
	for _, t := range tensors {
		n := t.Size
		for _, s := range t.Shape {
			n *= s
		}
		if at >= t.Addr && at < t.Addr+uint64(n) {
			return t.Name, int64(at-t.Addr) / int64(t.Size)
		}
	}
	return f.Arg, f.Index
}

// race describes the two sides of a race.
func (r *Run) race(x *Finding, f *interp.Fault, name string, index int64) {
	var other [3]int
	if _, err := fmt.Sscanf(f.Race, "(%d, %d, %d)", &other[0], &other[1], &other[2]); err != nil {
		return
	}
	x.Kind, x.Other = "race", r.number(other)
	what := "loads"
	if f.Access != nil && f.Access.What != "load" {
		what = "stores another value to"
	}
	x.Text = fmt.Sprintf("program %s stores to index %d of %s, and program %s %s it, in no order", f.Race,
		index, name, tuple(f.Program), what)
	if s := r.storeOf(x.Other, name, index); s != nil {
		x.OtherPlace, x.OtherLink = s.Place, s.Link
	}
}

func tuple(p [3]int) string { return fmt.Sprintf("(%d, %d, %d)", p[0], p[1], p[2]) }

// number returns a program's number in the grid.
func (r *Run) number(p [3]int) int64 {
	return int64(p[0]) + int64(r.Grid[0])*(int64(p[1])+int64(r.Grid[1])*int64(p[2]))
}

// storeOf returns the operation by which a program stored an element; program -1 is any. It is nil if none
// did.
func (r *Run) storeOf(program int64, tensor string, element int64) *Site {
	_, s := r.storing(program, tensor, element)
	return s
}

// storing returns the last program that stored an element, and by which operation.
func (r *Run) storing(program int64, tensor string, element int64) (who int64, by *Site) {
	for i := 0; i < len(r.Tiles); i += tileWords {
		t := r.Tiles[i : i+tileWords]
		s := &r.Sites[t[1]]
		if program >= 0 && t[0] != program || s.What == "load" || r.Tensors[t[2]].Name != tensor {
			continue
		}
		if hasElement(t, element) {
			who, by = t[0], s
		}
	}
	return who, by
}

// hasElement reports whether a tile has an element. Rows may overlap, and a row may lie before the last one.
func hasElement(tile []int64, element int64) bool {
	first, count, rows, stride := tile[3], tile[4], tile[5], tile[6]
	if stride < 0 {
		first, stride = first+(rows-1)*stride, -stride
	}
	at := element - first
	if at > 0 && stride > 0 { // the last row that begins at the element or before
		at -= stride * min(at/stride, rows-1)
	}
	return at >= 0 && at < count
}

// Spoiled adds that a launch left NaN in a tensor, and returns the program that stored the first.
func (r *Run) Spoiled(tensor string, count int, first int64) int64 {
	x := Finding{Kind: "NaN", Other: -1, Link: []int{},
		Text: fmt.Sprintf("%d elements of %s are NaN after the launch, the first at index %d", count,
			tensor, first)}
	if who, s := r.storing(-1, tensor, first); s != nil {
		x.Program, x.Place, x.Link = who, s.Place, s.Link
	}
	r.Findings = append(r.Findings, x)
	return x.Program
}
