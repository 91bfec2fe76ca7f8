package lower

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// pointeeType returns the LLVM type of a pointee in memory: a bool takes a byte.
func pointeeType(ptr ir.Type) string {
	t := memType(tt.Pointee(ir.ElemOf(ptr)))
	if t == "i1" {
		return "i8"
	}
	return t
}

func memType(t ir.Type) string { return llvmType(t) }

// vectorWidth returns how many registers an access can cover: consecutive registers that are adjacent in
// memory and have the same mask, up to 16 bytes.
func (l *lowering) vectorWidth(op *ir.Op, ptr, mask *ir.Value, elemBits int) int {
	return l.widthUnder(l.opts.MaskAlign, op, ptr, mask, elemBits)
}

// widthUnder returns the width of an access whose mask allows as many elements as groups says.
func (l *lowering) widthUnder(groups func(*ir.Value) int, op *ir.Op, ptr, mask *ir.Value, elemBits int) int {
	if _, ok := ptr.Type.(*ir.TensorType); !ok {
		return 1
	}
	n := min(consecutive(l.layout(op, ptr.Type)), 128/elemBits)
	if l.opts.Contiguity == nil {
		return 1
	}
	n = min(n, l.opts.Contiguity(ptr))
	if mask != nil {
		if groups == nil {
			return 1
		}
		n = min(n, groups(mask))
	}
	return 1 << (bits.Len(uint(max(n, 1))) - 1)
}

// consecutive returns the number of leading registers whose elements are adjacent along one dimension.
func consecutive(ll layout.Layout) int {
	n := 1
	dim := -1
	for i := range ll.InBits(layout.Register) {
		moved := false // or both halves of the registers hold the same elements
		for d, c := range ll.Basis(layout.Register, i) {
			if c == 0 {
				continue
			}
			if c != n || dim >= 0 && d != dim {
				return n
			}
			dim, moved = d, true
		}
		if !moved {
			return n
		}
		n *= 2
	}
	return n
}

// access describes a vectorised access: how its elements are packed into words.
type access struct {
	elem     ir.Type // type of an element as a value
	bits     int     // width of an element in memory
	vec      int     // number of elements
	wordBits int
	words    int
}

func newAccess(elem ir.Type, vec int) access {
	b := bitsOf(elem)
	a := access{elem: elem, bits: b, vec: vec, wordBits: min(b*vec, max(32, b))}
	a.words = b * vec / a.wordBits
	return a
}

// wordType returns the type of a word in registers: bytes travel in 16 bits.
func (a access) wordType() string { return fmt.Sprintf("i%d", max(a.wordBits, 16)) }

// memElem returns the LLVM type of an element inside a word.
func (a access) memElem() string {
	t := llvmType(a.elem)
	if t == "i1" {
		return "i8"
	}
	if strings.HasPrefix(t, "ptr") {
		return "i64"
	}
	return t
}

// unpack returns the elements of words.
func (l *lowering) unpack(a access, words []string) []string {
	var out []string
	per := a.vec / a.words
	for _, w := range words {
		if a.wordBits < 16 {
			w = l.val("trunc i16 %s to i%d", w, a.wordBits)
		}
		if per == 1 {
			out = append(out, l.fromMem(a, l.bitcast(w, fmt.Sprintf("i%d", a.wordBits), a.memElem())))
			continue
		}
		v := l.val("bitcast i%d %s to <%d x %s>", a.wordBits, w, per, a.memElem())
		for i := range per {
			out = append(out, l.fromMem(a, l.val("extractelement <%d x %s> %s, i32 %d", per,
				a.memElem(), v, i)))
		}
	}
	return out
}

// pack returns the words that hold elems.
func (l *lowering) pack(a access, elems []string) []string {
	per := a.vec / a.words
	var out []string
	for w := range a.words {
		word := ""
		if per == 1 {
			word = l.bitcast(l.toMem(a, elems[w]), a.memElem(), fmt.Sprintf("i%d", a.wordBits))
		} else {
			v := "poison"
			for i := range per {
				v = l.val("insertelement <%d x %s> %s, %s %s, i32 %d", per, a.memElem(), v, a.memElem(),
					l.toMem(a, elems[w*per+i]), i)
			}
			word = l.val("bitcast <%d x %s> %s to i%d", per, a.memElem(), v, a.wordBits)
		}
		if a.wordBits < 16 {
			word = l.val("zext i%d %s to i16", a.wordBits, word)
		}
		out = append(out, word)
	}
	return out
}

// fromMem converts an element from its form in memory: bools are bytes, pointers integers. toMem is the
// inverse.
func (l *lowering) fromMem(a access, x string) string {
	switch t := llvmType(a.elem); {
	case t == "i1":
		return l.val("icmp ne i8 %s, 0", x)
	case strings.HasPrefix(t, "ptr"):
		return l.val("inttoptr i64 %s to %s", x, t)
	}
	return x
}

func (l *lowering) toMem(a access, x string) string {
	switch t := llvmType(a.elem); {
	case t == "i1":
		return l.val("zext i1 %s to i8", x)
	case strings.HasPrefix(t, "ptr"):
		return l.val("ptrtoint %s %s to i64", t, x)
	}
	return x
}

func (l *lowering) bitcast(x, from, to string) string {
	if from == to {
		return x
	}
	return l.val("bitcast %s %s to %s", from, x, to)
}

// globalMemory returns the memory of a load or store, with the hints that the operation has.
func globalMemory(op *ir.Op) memory {
	return memory{space: inGlobal, cache: op.IntOr("cache", 0), evict: op.IntOr("evict", 0)}
}

// bufferOf returns the addresses of an access to global memory and, if the operation is marked as one to a
// buffer, the buffer's base and the offsets in it.
func (l *lowering) bufferOf(op *ir.Op, ptr *ir.Value) (ptrs []string, base string, offsets []string) {
	ptrs = l.regs(ptr)
	add := ptr.DefBy(tt.AddPtr)
	if add == nil || !op.HasAttr(ttg.BufferAttr) {
		return ptrs, "", nil
	}
	if splat := add.Operand(0).DefBy(tt.Splat); splat != nil {
		return ptrs, l.regs(splat.Operand(0))[0], l.regs(add.Operand(1))
	}
	return ptrs, "", nil
}

// at returns the memory of an access to the buffer at base, if there is one.
func (m memory) at(base string, offsets []string, i int) memory {
	if base != "" {
		m.base, m.offset = base, offsets[i]
	}
	return m
}

// lowerLoad reads global memory, a vector at a time.
func lowerLoad(l *lowering, op *ir.Op) {
	ptr, mask, other := op.Slot(0), op.Slot(1), op.Slot(2)
	if tt.IsTensorPtr(ptr.Type) {
		l.fail(op, "block pointers must have been rewritten")
	}
	t := op.Result(0).Type
	elem := ir.ElemOf(t)
	a := newAccess(elem, l.vectorWidth(op, ptr, mask, bitsOf(elem)))
	if op.HasAttr(ttg.PrefetchAttr) {
		l.prefetch(op, ptr, mask)
		l.set(op.Result(0), slices.Repeat([]string{"poison"}, len(l.regs(ptr))))
		return
	}
	m := globalMemory(op)
	m.volatile = tt.IsVolatile(op)
	owner := ""
	if l.alloc.barriers.first[op] {
		owner = l.ownerOf(op, ptr)
	}
	ptrs, base, offsets := l.bufferOf(op, ptr)
	// unpacked behind the last load, so that all loads are under way before the first is waited for
	var loaded [][]string
	known := map[string][]string{} // by address and predicate
	for i := 0; i < len(ptrs); i += a.vec {
		pred := owner
		if mask != nil {
			pred = l.both(pred, l.regs(mask)[i])
		}
		pred = l.both(pred, l.guard(guarded{op, "load", ptr, elem, a.vec}, ptrs[i], "", pred))
		var words []string
		if other != nil && mask != nil {
			words = l.otherWords(a, l.regs(other)[i:i+a.vec])
		}
		key := strings.Join(append([]string{ptrs[i], pred}, words...), " ")
		if known[key] == nil || m.volatile {
			known[key] = l.vendor.loadWords(l, a, m.at(base, offsets, i), ptrs[i], pred, words)
		}
		loaded = append(loaded, known[key])
	}
	var out []string
	for _, words := range loaded {
		out = append(out, l.unpack(a, words)...)
	}
	l.set(op.Result(0), out)
}

// sectorBytes is what the L2 cache loads at once.
const sectorBytes = 32

// prefetch asks the L2 cache for memory, each thread once for a sector. Rows that all threads hold, such as
// the gates of a recurrence, would otherwise take as many requests as a thread has elements. Where the mask
// allows an end of a sector alone, that is not asked for.
func (l *lowering) prefetch(op *ir.Op, ptr, mask *ir.Value) {
	sectors := l.sectorsOf(op, ptr)
	asked := map[string]bool{}
	for i, p := range l.regs(ptr) {
		if sectors != nil {
			if asked[sectors[i]] {
				continue
			}
			asked[sectors[i]] = true
		}
		pred := ""
		if mask != nil {
			pred = l.regs(mask)[i]
		}
		l.vendor.prefetch(l, p, pred)
	}
}

// sectorsOf names the sector that each register of a tensor of pointers points to, as far as equal ones are
// known; nil for a single pointer.
func (l *lowering) sectorsOf(op *ir.Op, ptr *ir.Value) []string {
	t, ok := ptr.Type.(*ir.TensorType)
	if !ok {
		return nil
	}
	ll, adjacent := l.layout(op, t), make([]int64, t.Rank())
	if l.opts.Runs != nil {
		adjacent = l.opts.Runs(ptr)
	}
	most := int64(max(1, sectorBytes*8/bitsOf(ir.ElemOf(op.Result(0).Type))))
	out := make([]string, ll.InSize(layout.Register))
	for r := range out {
		at := registerCoords(ll, r)
		for d, n := range adjacent {
			if n = min(lowestBit(n), most); n > 1 {
				at[d] /= int(n)
				break // the elements of a sector lie along one dimension
			}
		}
		out[r] = fmt.Sprint(at)
	}
	return out
}

// otherWords returns the words for elements that are not loaded, or nil if all are zero.
func (l *lowering) otherWords(a access, other []string) []string {
	zero := zeroOf(a.elem)
	if !slices.ContainsFunc(other, func(x string) bool { return x != zero }) {
		return nil
	}
	return l.pack(a, other)
}

func zeroOf(t ir.Type) string {
	if tt.IsPtr(t) {
		return "null"
	}
	return literal(0, t)
}

// lowerStore writes global memory: each element by the first thread that holds it.
func lowerStore(l *lowering, op *ir.Op) {
	ptr, val, mask := op.Slot(0), op.Slot(1), op.Slot(2)
	if tt.IsTensorPtr(ptr.Type) {
		l.fail(op, "block pointers must have been rewritten")
	}
	elem := ir.ElemOf(val.Type)
	a := newAccess(elem, l.vectorWidth(op, ptr, mask, bitsOf(elem)))
	owner, skip := l.ownerOf(op, ptr), 0
	if _, ok := ptr.Type.(*ir.TensorType); ok {
		skip = l.layout(op, ptr.Type).FreeVariablesIn(layout.Register)
	}
	ptrs, base, offsets := l.bufferOf(op, ptr)
	vals, m := l.regs(val), globalMemory(op)
	for i := 0; i < len(ptrs); i += a.vec {
		if i&skip != 0 {
			continue // another register holds the same element
		}
		pred := owner
		if mask != nil {
			pred = l.both(pred, l.regs(mask)[i])
		}
		pred = l.both(pred, l.guard(guarded{op, "store", ptr, elem, a.vec}, ptrs[i], "", pred))
		l.vendor.storeWords(l, a, m.at(base, offsets, i), l.pack(a, vals[i:i+a.vec]), ptrs[i], pred)
	}
}

// ownerOf returns the condition under which this thread is the first of those that hold its elements.
func (l *lowering) ownerOf(op *ir.Op, ptr *ir.Value) string {
	if _, ok := ptr.Type.(*ir.TensorType); ok {
		return l.owns(l.layout(op, ptr.Type))
	}
	return l.scalarOwner()
}

// both returns the conjunction of two conditions, either of which may be "" for true.
func (l *lowering) both(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return l.val("and i1 %s, %s", a, b)
}
