package llvm

// The rows of a tile that a thread holds are first | 8, first | 16 and so on: LLVM's passes write a sum
// without carries as an or. Code generation computes (first + 8) * stride as first * stride + 8 * stride, but
// does not look into an or. Products of each row by itself take a register or two each, and the assembler
// computes all of them at once; of a chain of sums, it computes one when an access needs it.

const opOr = 24 // LLVMOpcode

// disjointSums makes sums of ors of disjoint bits that products take. Kernels with products of warp groups
// stay as they are: nearly all of their registers are spoken for, and some gained values on the stack. So do
// indices of 64 bits: a product of widened numbers is one instruction, a sum is two.
func (c *compilation) disjointSums() {
	r := &c.lib.raw
	if !c.opts.Target.isPTX() || c.warpGroups || r.isDisjoint == nil {
		return
	}
	wide := r.int64Type(c.context)
	var found []valueRef
	walk := walker{raw: r, args: make([]uintptr, 1)}
	walk.instructions(c.module, func(v valueRef) {
		if walk.disjoint(v) && r.typeOf(v) != wide && walk.multiplied(v) {
			found = append(found, v)
		}
	})
	if len(found) == 0 {
		return
	}
	b := r.createBuilder(c.context)
	defer r.disposeBuilder(b)
	for _, v := range found {
		r.positionBefore(b, v)
		r.replaceUses(v, r.buildAdd(b, r.operand(v, 0), r.operand(v, 1), ""))
		r.erase(v)
	}
}

// disjoint reports whether an instruction is an or whose operands have no bit in common.
func (w *walker) disjoint(v valueRef) bool {
	return int32(w.call(w.raw.opcode, uintptr(v))) == opOr && w.raw.isDisjoint(v) != 0
}

// multiplied reports whether a value is a factor of a product, or part of an or that is one.
func (w *walker) multiplied(v valueRef) bool {
	r := w.raw
	for u := w.call(r.firstUse, uintptr(v)); u != 0; u = w.call(r.nextUse, u) {
		user := valueRef(w.call(r.userOf, u))
		if int32(w.call(r.opcode, uintptr(user))) == opMul || w.disjoint(user) && w.multiplied(user) {
			return true
		}
	}
	return false
}
