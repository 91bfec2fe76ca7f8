package codegen

import (
	"fmt"

	devcpu "github.com/nereid-lang/nereid/internal/device/cpu"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/ir"
)

// A kernel that must not continue stores the site, the program and the address in its status, and returns.
// Failed assertions are such sites and, with Options.Check, accesses to memory outside the kernel's own
// scratch:
//
//	%bad = …the address is not within the tensor of its argument…
//	br i1 %bad, label %trap1, label %ok1
//	trap1:
//	  store i64 7, ptr %status            ; the site, from one on
//	  store i64 %program, ptr %status + 8
//	  store i64 %address, ptr %status + 16
//	  ret void
//
// A checked kernel finds the bounds of its launch through the fourth word of the grid: the first byte and the
// size of each argument's tensor; then, for pointers derived from no argument, a count and as many such
// pairs, which cover all memory that they may point into.

// What a launch must know of places where kernels stop.
type (
	Site     = devcpu.Site
	SiteKind = devcpu.SiteKind
)

// The kinds of sites.
const (
	Assertion   = devcpu.Assertion
	OutOfBounds = devcpu.OutOfBounds
)

// writing sets the operation that sites and debug information name, until the returned function is called.
func (g *gen) writing(op *ir.Op) func() {
	old, dbg := g.current, g.dbg
	if op.Loc != nil {
		g.current, g.dbg = op, g.lines.at(op.Loc, dbg)
	}
	return func() { g.current, g.dbg = old, dbg }
}

// lining sets the operation whose line instructions have that no other operation is written for, until the
// returned function is called.
func (g *gen) lining(op *ir.Op) func() {
	dbg := g.dbg
	if op != nil && op.Loc != nil {
		g.dbg = g.lines.at(op.Loc, dbg)
	}
	return func() { g.dbg = dbg }
}

// site returns the number of a site, counted from one. Equal sites share a number.
func (g *gen) site(s Site) int {
	if g.current != nil {
		s.Op, s.Locs = g.current.Name(), ir.CallChain(g.current.Loc)
	}
	for i, t := range g.sites {
		if t.What == s.What && t.Kind == s.Kind && t.Arg == s.Arg && t.Wild == s.Wild && t.Op == s.Op &&
			fmt.Sprint(t.Locs) == fmt.Sprint(s.Locs) {
			return i + 1
		}
	}
	g.sites = append(g.sites, s)
	return len(g.sites)
}

// trap stops the kernel if bad is true.
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

// guard checks an access to the elements at p that the mask admits.
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

// owner is the memory that a pointer may access: that of an argument, by its first byte and its size.
type owner struct {
	arg      int // -1 if it may be one of several arguments
	lo, size string
	carried  bool // through a loop or branch: the size may be anywhere
}

// inherit gives p the owner of the pointer that it was made of.
func (g *gen) inherit(p, from string) string {
	if o, ok := g.owners[from]; ok {
		g.owners[p] = o
	}
	return p
}

// inheritEither gives p, which is a or b, the owner of the one that it is.
func (g *gen) inheritEither(p, cond, a, b string) {
	x, ok := g.owners[a]
	y, too := g.owners[b]
	if !ok || !too {
		return
	}
	o := owner{arg: -1, lo: g.op("select i1 %s, i64 %s, i64 %s", cond, x.lo, y.lo),
		size:    g.op("select i1 %s, i64 %s, i64 %s", cond, x.size, y.size),
		carried: x.carried || y.carried}
	if x.arg == y.arg {
		o.arg = x.arg
	}
	g.owners[p] = o
}

// putOwner stores the bounds of a pointer beside the variable in which a loop or branch keeps the pointer. A
// pointer without an owner may point anywhere, so it is checked against all memory of the launch.
func (g *gen) putOwner(c carried, p string) {
	if c.lo == "" {
		return
	}
	o, ok := g.owners[p]
	if !ok {
		o = owner{lo: "0", size: anywhere}
	}
	g.do("store i64 %s, ptr %s", o.lo, c.lo)
	g.do("store i64 %s, ptr %s", o.size, c.size)
}

func (g *gen) getOwner(c carried, p string) {
	if c.lo != "" {
		g.owners[p] = owner{arg: -1, lo: g.op("load i64, ptr %s", c.lo),
			size: g.op("load i64, ptr %s", c.size), carried: true}
	}
}

// anywhere is the size that marks a pointer without an owner.
const anywhere = "-1"

// derivedFrom returns the pointer that an address was computed from by additions, or "" if the address was
// loaded or depends on several pointers.
func (g *gen) derivedFrom(addr *ir.Value) string {
	op := addr.Def()
	if op == nil {
		return ""
	}
	switch op.Def {
	case arith.IndexCast:
		return g.derivedFrom(op.Operand(0))
	case memref.ExtractAlignedPointer:
		if t := op.Operand(0).Type.(*ir.MemRefType); t.Unranked {
			return g.pointer(op.Operand(0))
		}
		return g.viewOf(op.Operand(0)).ptr
	case arith.AddI:
		a, b := g.derivedFrom(op.Operand(0)), g.derivedFrom(op.Operand(1))
		if a != "" && b != "" {
			return ""
		}
		return a + b
	}
	return ""
}

// guardOne checks one access: against the memory of the argument that the pointer was derived from, or
// against all memory of the launch if there is none.
func (g *gen) guardOne(what string, w *view, address, admit string) {
	size := elemSize(w.elem)
	s := Site{What: fmt.Sprintf("%s of %d bytes", what, size), Kind: OutOfBounds, Arg: -1}
	o, ok := g.owners[w.ptr]
	if ok {
		if s.Arg = o.arg; o.arg >= 0 {
			s.Name = g.argNames[o.arg]
		}
	}
	in := "true"
	if ok { // differences of addresses are compared, because sums could wrap around
		in = g.op("and i1 %s, %s", g.op("icmp uge i64 %s, %d", o.size, size),
			g.op("icmp ule i64 %s, %s", g.op("sub i64 %s, %s", address, o.lo),
				g.op("sub i64 %s, %d", o.size, size)))
	}
	if !ok || o.carried {
		all := g.op("getelementptr i64, ptr %%bounds, i64 %d", 2*g.params)
		known := g.op("call i1 @nereid.inside(ptr %s, i64 %s, i64 %d)", all, address, size)
		if ok {
			known = g.op("or i1 %s, %s", known, g.op("icmp ne i64 %s, %s", o.size, anywhere))
		}
		in = g.op("and i1 %s, %s", in, known)
		g.needsInside, s.Wild = true, true
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

// inside is a function that reports whether n bytes at a lie within one piece of memory of a list: a count,
// then the first byte and the size of each piece.
const inside = `define internal i1 @nereid.inside(ptr %list, i64 %a, i64 %n) {
entry:
  %count = load i64, ptr %list
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
  %psize = getelementptr i64, ptr %list, i64 %k2
  %lo = load i64, ptr %plo
  %size = load i64, ptr %psize
  %off = sub i64 %a, %lo
  %room = sub i64 %size, %n
  %c1 = icmp uge i64 %size, %n
  %c2 = icmp ule i64 %off, %room
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
