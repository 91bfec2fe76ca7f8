package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
)

// bufferBytes is the size of every buffer: offsets from here on are outside, among them that of lanes that
// are masked off.
const bufferBytes = 1<<31 - 2

// bufferType returns the LLVM type of an access to a buffer, which has no words of 64 bits, and its name in
// intrinsics.
func (a access) bufferType() (typ, name string) {
	n := a.bytes() / 4
	if n <= 1 {
		typ = fmt.Sprintf("i%d", 8*a.bytes())
		return typ, typ
	}
	return fmt.Sprintf("<%d x i32>", n), fmt.Sprintf("v%di32", n)
}

// bufferArgs returns the arguments of an intrinsic: the buffer, the lane's offset, and hints.
func (v amd) bufferArgs(l *lowering, a access, m memory, pred string) []string {
	flags := 7<<12 | 4<<15 // a format must be given, but does not matter
	if v.isRDNA() {
		flags |= 1<<24 | 3<<28 // offsets are compared with the buffer's size
	}
	buf := l.call("ptr addrspace(8)", "llvm.amdgcn.make.buffer.rsrc.p8.p1", "ptr addrspace(1) "+
		m.base, "i16 0", fmt.Sprintf("i64 %d", bufferBytes), fmt.Sprintf("i32 %d", flags))
	at := l.mul(m.offset, a.bits/8)
	if pred != "" {
		at = l.val("select i1 %s, i32 %s, i32 -2147483648", pred, at)
	}
	return []string{"ptr addrspace(8) " + buf, "i32 " + at, "i32 0", fmt.Sprintf("i32 %d", m.amdPolicy())}
}

// amdPolicy returns the cache policy of an access that is not repeated soon: the bit slc, called nt on CDNA3.
func (m memory) amdPolicy() int {
	if m.cache == tt.CacheCS || m.evict == tt.EvictFirst {
		return 2
	}
	return 0
}

// loadBuffer loads from a buffer, zero where pred is false.
func (v amd) loadBuffer(l *lowering, a access, m memory, pred string) string {
	typ, name := a.bufferType()
	got := l.call(typ, "llvm.amdgcn.raw.ptr.buffer.load."+name, v.bufferArgs(l, a, m, pred)...)
	return l.bitcast(got, typ, a.llvmType())
}

// storeBuffer stores to a buffer where pred is true.
func (v amd) storeBuffer(l *lowering, a access, m memory, val, pred string) {
	typ, name := a.bufferType()
	args := append([]string{typ + " " + l.bitcast(val, a.llvmType(), typ)}, v.bufferArgs(l, a, m, pred)...)
	l.call("void", "llvm.amdgcn.raw.ptr.buffer.store."+name, args...)
}
