package codegen

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/ir"
)

// A kernel that must not go on stops: it says at which site, in which program and at what address, and returns. Failed assertions are
// such sites, and, where accesses are checked (Options.Check), each access of memory that is not our own:
//
//	%bad = …the address is not within the buffer of its argument…
//	br i1 %bad, label %trap1, label %ok1
//	trap1:
//	  store i64 7, ptr %status            ; the site, from one on
//	  store i64 %program, ptr %status + 8
//	  store i64 %address, ptr %status + 16
//	  ret void
//
// A checked kernel finds the bounds through the fourth word of the grid: for each argument the first byte of its buffer and the one after
// the last, then a number, and so many such pairs for all buffers there are.

// Site is a place in a kernel where it may stop.
type Site struct {
	What string   // "load of 4 bytes", "store of 2 bytes"; the message of an assertion
	Kind SiteKind // why
	Op   string   // the operation
	Arg  int      // the argument whose buffer is meant, or -1
	Name string   // of it, where that is known
	Locs []string // the place in the source, then the calls that led there
}

// SiteKind is why a kernel stops.
type SiteKind int

// The kinds of sites.
const (
	Assertion SiteKind = iota
	OutOfBounds
)

// at says which operation is being written, until the function that it returns is called: the place that sites and debug information
// name.
func (g *gen) writing(op *ir.Op) func() {
	old, dbg := g.current, g.dbg
	if op.Loc != nil {
		g.current, g.dbg = op, g.lines.at(op.Loc, dbg)
	}
	return func() { g.current, g.dbg = old, dbg }
}

// site is the number of a place, one for each operation and reason.
func (g *gen) site(s Site) int {
	if g.current != nil {
		s.Op, s.Locs = g.current.Name(), ir.CallChain(g.current.Loc)
	}
	for i, t := range g.sites {
		if t.What == s.What && t.Kind == s.Kind && t.Arg == s.Arg && t.Op == s.Op && fmt.Sprint(t.Locs) == fmt.Sprint(s.Locs) {
			return i + 1
		}
	}
	g.sites = append(g.sites, s)
	return len(g.sites)
}

// trap stops the kernel where a condition holds.
func (g *gen) trap(bad string, s Site, address string) {
	n := g.site(s)
	stop, ok := g.label("trap"), g.label("ok")
	g.do("br i1 %s, label %%%s, label %%%s", bad, stop, ok)
	g.begin(stop)
	for i, word := range []string{itoa(int64(n)), g.program, address} {
		g.do("store i64 %s, ptr %s", word, g.op("getelementptr i64, ptr %%status, i64 %d", i))
	}
	g.do("ret void")
	g.begin(ok)
}

// guard checks an access of the elements at p, those that the mask admits.
func (g *gen) guard(what string, w *view, p index, mask *val) {
	if !g.opts.Check || w.scratch || w.ptr[0] == '@' {
		return
	}
	n := 1
	if !p.uniform() || mask != nil && mask.n > 1 {
		n = g.lanes
	}
	for l := range n {
		off, admit := p.base, ""
		switch {
		case p.vec != "":
			off = g.op("extractelement <%d x i64> %s, i32 %d", g.lanes, p.vec, l)
		case p.lanes != nil:
			off = g.add(p.base, itoa(p.lanes[l]))
		}
		switch {
		case mask != nil && mask.n > 1:
			admit = g.op("extractelement <%d x i1> %s, i32 %d", mask.n, mask.s, l)
		case mask != nil:
			admit = mask.s
		}
		g.guardOne(what, w, g.op("ptrtoint ptr %s to i64", g.gep(w, off)), admit)
	}
}

func (g *gen) guardOne(what string, w *view, address, admit string) {
	size := elemSize(w.elem)
	s := Site{What: fmt.Sprintf("%s of %d bytes", what, size), Kind: OutOfBounds, Arg: -1}
	var in string
	if i, ok := g.argOf[w.ptr]; ok {
		s.Arg, s.Name = i, g.argNames[i]
		lo, hi := g.bound(2*i), g.bound(2*i+1)
		in = g.op("and i1 %s, %s", g.op("icmp uge i64 %s, %s", address, lo),
			g.op("icmp ule i64 %s, %s", g.op("add i64 %s, %d", address, size), hi))
	} else {
		all := g.op("getelementptr i64, ptr %%bounds, i64 %d", 2*g.params)
		in = g.op("call i1 @nereid.inside(ptr %s, i64 %s, i64 %d)", all, address, size)
		g.needsInside = true
	}
	bad := g.op("xor i1 %s, true", in)
	if admit != "" {
		bad = g.op("and i1 %s, %s", bad, admit)
	}
	g.trap(bad, s, address)
}

func (g *gen) bound(i int) string {
	return g.op("load i64, ptr %s", g.op("getelementptr i64, ptr %%bounds, i64 %d", i))
}

// inside reports whether some bytes are within one of the buffers of a list.
const inside = `define internal i1 @nereid.inside(ptr %list, i64 %a, i64 %n) {
entry:
  %count = load i64, ptr %list
  %end = add i64 %a, %n
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %look, label %no
look:
  %k = shl i64 %i, 1
  %k1 = add i64 %k, 1
  %k2 = add i64 %k, 2
  %plo = getelementptr i64, ptr %list, i64 %k1
  %phi = getelementptr i64, ptr %list, i64 %k2
  %lo = load i64, ptr %plo
  %hi = load i64, ptr %phi
  %c1 = icmp uge i64 %a, %lo
  %c2 = icmp ule i64 %end, %hi
  %in = and i1 %c1, %c2
  br i1 %in, label %yes, label %again
again:
  %next = add i64 %i, 1
  br label %head
yes:
  ret i1 true
no:
  ret i1 false
}
`
