package llvm

import "github.com/nereid-lang/nereid/internal/dl"

// LLVM 22's generator for x86 miscompiles a masked store of a truncated vector whose mask is a constant with
// one lane set: it stores that lane of the wide vector, and so overwrites the elements behind it. Such stores
// become scalar stores before code generation.

// oneLaneStores replaces masked stores whose constant mask has one lane by stores of that lane.
func (c *compilation) oneLaneStores() {
	if c.opts.Target.isPTX() { // which has none
		return
	}
	r := &c.lib.raw
	masked := r.lookupIntrinsic("llvm.masked.store", uintptr(len("llvm.masked.store")))
	var found []oneLane
	for f := dl.Call(r.firstFunction, uintptr(c.module)); f != 0; f = dl.Call(r.nextFunction, f) {
		if uint32(dl.Call(r.intrinsicID, f)) != masked {
			continue
		}
		for u := dl.Call(r.firstUse, f); u != 0; u = dl.Call(r.nextUse, u) {
			call := valueRef(dl.Call(r.userOf, u))
			if lane, ok := r.onlyLane(r.operand(call, r.numArgs(call)-1)); ok {
				found = append(found, oneLane{call, lane})
			}
		}
	}
	if len(found) == 0 {
		return
	}
	b := r.createBuilder(c.context)
	defer r.disposeBuilder(b)
	for _, s := range found {
		s.scalar(r, b, c.context)
	}
}

// oneLane is a masked store of one lane.
type oneLane struct {
	call valueRef
	lane uint64
}

// onlyLane returns the lane that a constant mask has set, and whether there is exactly one.
func (r *raw) onlyLane(mask valueRef) (lane uint64, ok bool) {
	if r.isConstant(mask) == 0 {
		return 0, false
	}
	for i := range r.vectorSize(r.typeOf(mask)) {
		e := r.aggregateElement(mask, i)
		switch {
		case e == 0:
			return 0, false
		case r.isNull(e) != 0:
		case ok:
			return 0, false
		default:
			lane, ok = uint64(i), true
		}
	}
	return lane, ok
}

// scalar puts a store of the lane in the place of the masked store.
func (s oneLane) scalar(r *raw, b builderRef, c contextRef) {
	value, at := r.operand(s.call, 0), r.operand(s.call, 1)
	lane := r.constInt(r.int64Type(c), s.lane, 0)
	r.positionBefore(b, s.call)
	place := r.buildGEP(b, r.elementType(r.typeOf(value)), at, &lane, 1, "")
	store := r.buildStore(b, r.buildExtract(b, value, lane, ""), place)
	r.setAlignment(store, 1)
	r.erase(s.call)
}
