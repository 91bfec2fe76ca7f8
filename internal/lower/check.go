package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Checked code (Options.Check) looks at the address of every access to global memory and makes none that the
// launch does not allow. The first access that it leaves out, or the first assertion that fails, is written
// to a record that the launch reads when the kernel has ended. The kernel goes on: a load that is left out
// gives zero, a store or an atomic does nothing. So nothing faults on the device, whose context would be
// lost.
//
//	%ok = …the bytes lie in the tensor of the pointer's argument, and the address is aligned…
//	br i1 %bad, label %when1, label %end1       ; bad: not ok, and the mask lets the access through
//	when1:
//	  call void @nereid.fault(ptr addrspace(1) %record, i64 7, i64 %address)
//
// The kernel has more parameters at its end, which it hands to the functions that it calls: the record, then
// the first byte and the size of the tensor of each argument in Check.Args. The record:
//
//	word 0  number of the site, from one on, in the upper 16 bits, and of the program in the lower 48;
//	        0 while nothing is wrong
//	word 1  the lowest address at which this program did wrong there; all ones at first
//	word 2  number of pieces of memory that a pointer derived from no argument may point into,
//	        then the first byte and the size of each
//
// A pointer is checked against the tensors of the arguments that it may be derived from (package address).
// Accesses by tensor maps are not checked, so checked code is made of kernels without them.

// What a launch must know of checked code.
type (
	Check = gpucode.Check
	Site  = gpucode.Site
)

// newCheck returns the description of checked code without its sites.
func newCheck(kernel *ir.Op) *Check {
	c := &Check{}
	for i, a := range kernel.Body(0).Args() {
		if tt.IsPtr(a.Type) {
			c.Args, c.Names = append(c.Args, i), append(c.Names, a.Name)
		}
	}
	return c
}

// checkParams returns the parameters that checked functions have besides their own, and that their calls hand
// on.
func (g *program) checkParams() []string {
	if g.check == nil {
		return nil
	}
	out := []string{"ptr addrspace(1) %record"}
	for _, a := range g.check.Args {
		out = append(out, fmt.Sprintf("i64 %%lo%d", a), fmt.Sprintf("i64 %%size%d", a))
	}
	return out
}

// callChain returns the position of op and of the calls that led there, as far as they are known: a function
// that is called from several places ends the chain.
func (l *lowering) callChain(op *ir.Op) []string {
	out := ir.CallChain(op.Loc)
	for fn := l.fn; ; {
		calls := l.addresses().Calls(fn)
		if len(calls) != 1 {
			return out
		}
		out = append(out, ir.CallChain(calls[0].Loc)...)
		for fn = calls[0]; fn.Def != tt.Func; {
			fn = fn.Parent()
		}
	}
}

// site returns the number of a site. Equal sites share a number.
func (l *lowering) site(op *ir.Op, s Site) int {
	s.Locs = l.callChain(op)
	g := l.program
	same := func(t Site) bool {
		return t.What == s.What && t.Message == s.Message && t.Bytes == s.Bytes && t.Size == s.Size &&
			t.Wild == s.Wild && slices.Equal(t.Args, s.Args) && slices.Equal(t.Locs, s.Locs)
	}
	if i := slices.IndexFunc(g.check.Sites, same); i >= 0 {
		return i + 1
	}
	g.check.Sites = append(g.check.Sites, s)
	if len(g.check.Sites) >= 1<<(64-gpucode.SiteShift) {
		fail(op, "checked code with more than %d accesses", len(g.check.Sites)-1)
	}
	return len(g.check.Sites)
}

// guarded is an access to global memory before its guard.
type guarded struct {
	op   *ir.Op
	what string    // as in Site
	from *ir.Value // the pointers
	elem ir.Type
	vec  int // elements at once
}

// guard returns the condition under which an access at ptr may be made, "" for always. Where pred is true and
// the condition false, it notes the fault. The access has as many bytes as count says, an i64; "" means all.
func (l *lowering) guard(a guarded, ptr, count, pred string) string {
	if l.check == nil {
		return ""
	}
	s := Site{What: a.what, Size: bitsOf(a.elem) / 8}
	s.Bytes = s.Size * a.vec
	for _, r := range l.addresses().Roots(a.from) {
		switch {
		case r == nil || r.Def() == nil && !slices.Contains(l.check.Args, r.Index()):
			s.Wild = true
		case r.Def() != nil:
			return "" // the kernel's own scratch memory
		default:
			s.Args = append(s.Args, r.Index())
		}
	}
	slices.Sort(s.Args)
	s.Wild = s.Wild || len(s.Args) == 0
	if count == "" {
		count = itoa(s.Bytes)
	}
	address := l.val("ptrtoint ptr addrspace(1) %s to i64", ptr)
	ok := l.allowed(s, address, count)
	if s.Bytes > 1 {
		low := l.val("and i64 %s, %d", address, s.Bytes-1)
		ok = l.val("and i1 %s, %s", ok, l.val("icmp eq i64 %s, 0", low))
	}
	l.fault(a.op, s, address, l.both(pred, l.val("xor i1 %s, true", ok)))
	return ok
}

// allowed returns the condition that n bytes at an address lie in memory that the pointers of a site may
// access.
func (l *lowering) allowed(s Site, address, n string) string {
	if s.Wild {
		l.program.needsInside = true
		return l.val("call i1 @nereid.inside(ptr addrspace(1) %%record, i64 %s, i64 %s)", address, n)
	}
	in := "false"
	for _, a := range s.Args {
		// differences of addresses are compared, because sums could wrap around
		off := l.val("sub i64 %s, %%lo%d", address, a)
		one := l.val("and i1 %s, %s", l.val("icmp ule i64 %s, %%size%d", off, a),
			l.val("icmp uge i64 %s, %s", l.val("sub i64 %%size%d, %s", a, off), n))
		if in != "false" {
			one = l.val("or i1 %s, %s", in, one)
		}
		in = one
	}
	return in
}

// fault notes a fault at a site where bad is true.
func (l *lowering) fault(op *ir.Op, s Site, address, bad string) {
	n := l.site(op, s)
	l.when(bad, func() {
		l.do("call void @nereid.fault(ptr addrspace(1) %%record, i64 %d, i64 %s)", n, address)
	})
}

// guardCopy is guard for an asynchronous copy, of which valid says the bytes. It returns the bytes that may
// be copied.
func (l *lowering) guardCopy(a guarded, ptr string, valid validity, owner string) validity {
	if l.check == nil {
		return valid
	}
	count, pred := "", owner
	switch {
	case valid.none != "":
		pred = l.both(pred, l.val("xor i1 %s, true", valid.none))
	case valid.count != "":
		count = l.val("zext i32 %s to i64", valid.count)
		pred = l.both(pred, l.val("icmp ne i32 %s, 0", valid.count))
	}
	ok := l.guard(a, ptr, count, pred)
	switch {
	case ok == "":
	case valid.count != "":
		valid.count = l.val("select i1 %s, i32 %s, i32 0", ok, valid.count)
	case valid.none != "":
		valid.none = l.val("or i1 %s, %s", valid.none, l.val("xor i1 %s, true", ok))
	default:
		valid.none = l.val("xor i1 %s, true", ok)
	}
	return valid
}

// checkText returns the functions that checked code calls.
func (g *program) checkText() string {
	if g.check == nil || len(g.check.Sites) == 0 {
		return ""
	}
	text := g.faultText()
	if g.needsInside {
		text += inside
	}
	return text
}

// faultText returns the function that writes the record. The first caller decides on the site and the
// program.
func (g *program) faultText() string {
	l := &lowering{writer: newWriter(g.decls, g.opts.Budget), program: g}
	u := update{elem: ir.I64, sem: tt.SemRelaxed, scope: tt.ScopeGPU}
	swap, least := u, u
	swap.swap, swap.cmp = true, "0"
	own := l.val("or i64 %s, %s", l.val("shl i64 %%site, %d", gpucode.SiteShift), l.programNumber())
	swap.vals = []string{own}
	least.kind, least.vals = tt.RMWUMin, []string{"%address"}
	old := l.vendor.atomic(l, swap, "%record", "true")[0]
	mine := l.val("or i1 %s, %s", l.val("icmp eq i64 %s, 0", old), l.val("icmp eq i64 %s, %s", old, own))
	l.vendor.atomic(l, least, l.val("getelementptr i64, ptr addrspace(1) %%record, i64 1"), mine)
	l.do("ret void")
	return "define internal void @nereid.fault(ptr addrspace(1) %record, i64 %site, i64 %address) #2 {\n" +
		"entry:\n" +
		strings.Join(slices.Concat(l.prologue, l.lines), "\n") + "\n}\n\n"
}

// inside is a function that reports whether n bytes at a lie within one of the pieces of memory that a record
// lists.
const inside = `define internal i1 @nereid.inside(ptr addrspace(1) %record, i64 %a, i64 %n) #2 {
entry:
  %list = getelementptr i64, ptr addrspace(1) %record, i64 2
  %count = load i64, ptr addrspace(1) %list
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %look ]
  %next = add i64 %i, 1
  %more = icmp ult i64 %i, %count
  br i1 %more, label %look, label %end
look:
  %piece = getelementptr { i64, i64 }, ptr addrspace(1) %record, i64 %i
  %plo = getelementptr i64, ptr addrspace(1) %piece, i64 3
  %psize = getelementptr i64, ptr addrspace(1) %piece, i64 4
  %lo = load i64, ptr addrspace(1) %plo
  %size = load i64, ptr addrspace(1) %psize
  %off = sub i64 %a, %lo
  %room = sub i64 %size, %off
  %begins = icmp ule i64 %off, %size
  %ends = icmp uge i64 %room, %n
  %in = and i1 %begins, %ends
  br i1 %in, label %end, label %head
end:
  %found = phi i1 [ false, %head ], [ true, %look ]
  ret i1 %found
}

`
