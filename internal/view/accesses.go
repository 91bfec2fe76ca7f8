package view

import (
	"fmt"
	"time"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// Run is what a launch did, as the interpreter saw it.
type Run struct {
	Grid    [3]int     `json:"grid"`
	Tensors []Tensor   `json:"tensors"`
	Sites   []Site     `json:"sites"`
	Tiles   []int64    `json:"tiles"` // tileWords numbers for each tile
	Faults  []RunFault `json:"faults,omitempty"`
	// Findings are what else is wrong.
	Findings []Finding `json:"findings,omitempty"`
	Dropped  int64     `json:"dropped,omitempty"` // tiles that are not there for want of memory
	Took     float64   `json:"took"`              // milliseconds
	Error    string    `json:"error,omitempty"`   // why there was no run
}

// Tensor is a tensor argument.
type Tensor struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Shape []int  `json:"shape"`
	Size  int    `json:"size"` // bytes of an element
	Addr  uint64 `json:"-"`
}

// Site is an operation that accesses memory.
type Site struct {
	What   string `json:"what"`
	Op     string `json:"op"`
	Place  string `json:"place"`
	Link   []int  `json:"link"` // as those of a line
	Lanes  int64  `json:"lanes"`
	Active int64  `json:"active"`
}

// RunFault is the fault that ended a program.
type RunFault struct {
	Program int64  `json:"program"`
	Text    string `json:"text"`
	Link    []int  `json:"link"`
}

// maxFaults bounds the faults that a page names; there may be one for each program.
const maxFaults = 200

// NewRun makes a record of the interpreter ready for a page.
func NewRun(r *interp.Record, grid [3]int, tensors []Tensor, took time.Duration, files *Files) *Run {
	out := &Run{Grid: grid, Tensors: tensors, Sites: []Site{}, Tiles: []int64{}, Dropped: r.Dropped(),
		Took: milliseconds(took)}
	at := map[uint64]int{}
	for i, t := range tensors {
		at[t.Addr] = i
	}
	for _, s := range r.Sites() {
		x := Site{What: s.What, Op: s.Op, Lanes: s.Lanes, Active: s.Active, Link: []int{}}
		for i, p := range s.Places {
			place := parsePlace(p)
			if i == 0 {
				x.Place = short(place)
			}
			x.Link = append(x.Link, files.own(place)...)
		}
		out.Sites = append(out.Sites, x)
	}
	for _, t := range r.Tiles() {
		i, ok := at[t.Buffer]
		if !ok {
			continue
		}
		size := int64(tensors[i].Size)
		flag := int64(0)
		if t.Out {
			flag = 1
		}
		out.Tiles = append(out.Tiles, t.Program, int64(t.Site), int64(i), floorDiv(t.Offset, size),
			max(1, int64(t.Count*t.Size)/size), int64(t.Rows), t.Stride/size, flag)
	}
	for _, f := range r.Faults() {
		if len(out.Faults) == maxFaults {
			break
		}
		x := RunFault{Program: out.number(f.Program), Text: f.Msg, Link: []int{}}
		if t := out.strayOf(x.Program); t != "" && f.Access != nil {
			x.Text = t
		}
		for _, p := range ir.CallChain(f.Loc) {
			x.Link = append(x.Link, files.own(parsePlace(p))...)
		}
		out.Faults = append(out.Faults, x)
	}
	return out
}

// tileWords is the numbers of a tile: program, site, tensor, first element, elements of a row, rows, elements
// from a row to the next, and 1 if it is out of bounds.
const tileWords = 8

// strayOf says where a program went out of bounds first, by the names of the arguments.
func (r *Run) strayOf(program int64) string {
	for i := 0; i < len(r.Tiles); i += tileWords {
		if t := r.Tiles[i : i+tileWords]; t[0] == program && t[7] != 0 {
			x := r.Tensors[t[2]]
			n := 1
			for _, s := range x.Shape {
				n *= s
			}
			return fmt.Sprintf("out-of-bounds %s: index %d of %s, which has %d elements", r.Sites[t[1]].What,
				t[3], x.Name, n)
		}
	}
	return ""
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
