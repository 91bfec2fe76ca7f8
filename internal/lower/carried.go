package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

// carried holds the phis of a value that a loop carries: one for each register, or one for each word.
type carried struct {
	arg    *ir.Value
	phis   []*phi
	access access // how the elements are packed
	packed bool
}

// shiftedElements bounds the elements of 8 and 16 bits that a loop may pass between its arguments one by one.
//
// A pipeline that loads into registers shifts its stages: next = load; a, b = b, next. LLVM's SLP vectorizer
// makes one vector of all the phis that take each other's values, as wide as they are many, and looks at
// each element again for each other one: 128 elements take it 0.2 s, 256 2 s, 512 20 s. Words are phis that
// it leaves alone. Below the bound it takes some 20 ms, and is left to find the pairs.
const shiftedElements = 64

// carry chooses the phis of the arguments of a loop, which the next iteration takes from yields.
func (l *lowering) carry(args, yields []*ir.Value) []*carried {
	out := make([]*carried, len(args))
	elements := 0
	for i, a := range args {
		out[i] = &carried{arg: a}
		if n := l.wordElements(a.Type); n > 0 && isShifted(args, yields, i) {
			out[i].packed, out[i].access = true, newAccess(ir.ElemOf(a.Type), n)
			elements += l.numRegs(a.Block().Parent(), a.Type)
		}
	}
	if elements <= shiftedElements || !l.vendor.widensShifts() {
		for _, c := range out {
			c.packed = false
		}
	}
	return out
}

// isShifted reports whether argument i takes the value of another argument, or another takes its own.
func isShifted(args, yields []*ir.Value, i int) bool {
	if yields[i] != args[i] && slices.Contains(args, yields[i]) {
		return true
	}
	at := slices.Index(yields, args[i])
	return at >= 0 && at != i || at >= 0 && slices.Contains(yields[at+1:], args[i])
}

// wordElements returns how many elements of a tensor a word holds, or 0 if its registers fill no whole words.
func (l *lowering) wordElements(t ir.Type) int {
	if _, ok := t.(*ir.TensorType); !ok {
		return 0
	}
	bits, ok := map[string]int{"i8": 8, "i16": 16, "half": 16, "bfloat": 16}[llvmType(t)]
	if !ok || l.numRegs(nil, t)%(32/bits) != 0 {
		return 0
	}
	return 32 / bits
}

// incoming returns what the phis of each argument take of vs, in the current block.
func (l *lowering) incoming(cs []*carried, vs []*ir.Value) [][]string {
	out := make([][]string, len(cs))
	for i, c := range cs {
		out[i] = l.regs(vs[i])
		if c.packed {
			out[i] = l.words(c.access, out[i])
		}
	}
	return out
}

// words packs registers into words.
func (l *lowering) words(a access, regs []string) []string {
	var out []string
	for part := range slices.Chunk(regs, a.vec) {
		out = append(out, l.pack(a, part)...)
	}
	return out
}

// openCarried begins the phis of a loop, with the values that come along the edge from block before, and
// defines the arguments.
func (l *lowering) openCarried(cs []*carried, first [][]string, before string) {
	for i, c := range cs {
		if !c.packed {
			c.phis = l.openPhis(c.arg)
			continue
		}
		for range first[i] {
			c.phis = append(c.phis, l.phi(c.access.wordType()))
		}
	}
	enter(cs, first, before)
	l.unpackCarried(cs)
}

// unpackCarried defines the arguments whose phis are words. It follows all phis of the block.
func (l *lowering) unpackCarried(cs []*carried) {
	for _, c := range cs {
		if !c.packed {
			continue
		}
		var regs []string
		for _, p := range c.phis {
			regs = append(regs, l.unpack(c.access, []string{p.name})...)
		}
		l.set(c.arg, regs)
	}
}

// enter adds the values that come along the edge from a block.
func enter(cs []*carried, vals [][]string, from string) {
	for i, c := range cs {
		for j, v := range vals[i] {
			c.phis[j].from(v, from)
		}
	}
}

// closeCarried adds the values of the loop's end, in the current block, and writes the phis.
func (l *lowering) closeCarried(cs []*carried, yields [][]string) {
	enter(cs, yields, l.block)
	for _, c := range cs {
		l.patch(c.phis...)
	}
}
