package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// amdSpaces has the LLVM type of an address of each space.
var amdSpaces = map[space]string{inGlobal: "ptr addrspace(1)", inShared: "ptr addrspace(3)"}

// llvmType returns the LLVM type of an access: a word, or a vector of words.
func (a access) llvmType() string {
	t := fmt.Sprintf("i%d", a.wordBits)
	if a.words > 1 {
		t = fmt.Sprintf("<%d x %s>", a.words, t)
	}
	return t
}

// bytes returns the size of an access, which is also its alignment.
func (a access) bytes() int { return a.bits * a.vec / 8 }

// amdHint returns what LLVM is told of an access that is not repeated soon.
func (m memory) amdHint() string {
	if m.space == inGlobal && (m.cache == tt.CacheCS || m.evict == tt.EvictFirst) {
		return ", !nontemporal !{i32 1}"
	}
	return ""
}

func (m memory) amdVolatile() string {
	if m.volatile || m.cache == tt.CacheCV {
		return "volatile "
	}
	return ""
}

// prefetch does nothing: these GPUs have no such instruction.
func (amd) prefetch(*lowering, string, string) {}

// loadWords branches around a load whose condition is false, if it is not one from a buffer.
func (v amd) loadWords(l *lowering, a access, m memory, ptr, pred string, other []string) []string {
	typ, got := a.llvmType(), ""
	if m.base != "" {
		got = v.loadBuffer(l, a, m, pred)
	} else {
		got = l.valueWhen(pred, typ, func() string {
			return l.val("load %s%s, %s %s, align %d%s", m.amdVolatile(), typ, amdSpaces[m.space], ptr,
				a.bytes(), m.amdHint())
		})
	}
	words := make([]string, a.words)
	for i := range words {
		words[i] = got
		if a.words > 1 {
			words[i] = l.val("extractelement %s %s, i32 %d", typ, got, i)
		}
		if a.wordBits < 16 {
			words[i] = l.val("zext i%d %s to i16", a.wordBits, words[i])
		}
		if pred != "" && other != nil {
			words[i] = l.val("select i1 %s, %s %s, %s %s", pred, a.wordType(), words[i],
				a.wordType(), other[i])
		}
	}
	return words
}

// valueWhen returns the value of f where pred is true, and zero elsewhere.
func (l *lowering) valueWhen(pred, typ string, f func() string) string {
	from, got := l.writer.block, ""
	l.when(pred, func() { got = f() })
	if pred == "" {
		return got
	}
	ph := l.phi(typ)
	ph.from("zeroinitializer", from)
	ph.from(got, l.lastWhen)
	l.patch(ph)
	return ph.name
}

func (v amd) storeWords(l *lowering, a access, m memory, words []string, ptr, pred string) {
	typ, val := a.llvmType(), words[0]
	switch {
	case a.words > 1:
		val = "poison"
		for i, w := range words {
			val = l.val("insertelement %s %s, i%d %s, i32 %d", typ, val, a.wordBits, w, i)
		}
	case a.wordBits < 16:
		val = l.val("trunc i16 %s to %s", val, typ)
	}
	if m.base != "" {
		v.storeBuffer(l, a, m, val, pred)
		return
	}
	l.when(pred, func() {
		l.do("store %s%s %s, %s %s, align %d%s", m.amdVolatile(), typ, val, amdSpaces[m.space],
			ptr, a.bytes(), m.amdHint())
	})
}

// mapTo is never asked for: there are no clusters.
func (amd) mapTo(_ *lowering, ptr, _ string) string { return ptr }

var (
	amdUpdates = map[int64]string{
		tt.RMWAnd: "and", tt.RMWOr: "or", tt.RMWXor: "xor", tt.RMWAdd: "add", tt.RMWFAdd: "fadd",
		tt.RMWMax: "max", tt.RMWMin: "min", tt.RMWUMax: "umax", tt.RMWUMin: "umin", tt.RMWXchg: "xchg",
	}
	amdScopes = map[int64]string{
		tt.ScopeGPU: "syncscope(\"agent\") ", tt.ScopeCTA: "syncscope(\"workgroup\") ", tt.ScopeSys: "",
	}
	amdOrders = map[int64]string{
		tt.SemRelaxed: "monotonic", tt.SemAcquire: "acquire", tt.SemRelease: "release",
		tt.SemAcqRel: "acq_rel",
	}
)

// atomic emits LLVM's atomics. Memory that other devices share at a fine grain is not supported, so additions
// of floats, and on RDNA minima and bit operations of integers, are single instructions, of which LLVM would
// make loops; integers keep their loops where the scope is the system.
func (amd) atomic(l *lowering, u update, ptr, pred string) []string {
	typ, value := llvmType(u.elem), u.vals[0]
	if u.swap {
		bits := fmt.Sprintf("i%d", ir.BitWidth(u.elem))
		cmp, val := l.bitcast(u.cmp, typ, bits), l.bitcast(value, typ, bits)
		old := l.valueWhen(pred, bits, func() string {
			failure := amdOrders[u.sem]
			if u.sem == tt.SemRelease || u.sem == tt.SemAcqRel { // what a failed exchange cannot be
				failure = map[int64]string{tt.SemRelease: "monotonic", tt.SemAcqRel: "acquire"}[u.sem]
			}
			pair := l.val("cmpxchg ptr addrspace(1) %s, %s %s, %s %s %s%s %s",
				ptr, bits, cmp, bits, val, amdScopes[u.scope], amdOrders[u.sem], failure)
			return l.val("extractvalue { %s, i1 } %s, 0", bits, pair)
		})
		return []string{l.bitcast(old, bits, typ)}
	}
	name, hint := amdUpdates[u.kind], ""
	if ir.IsFloat(u.elem) || u.scope != tt.ScopeSys {
		hint = ", !amdgpu.no.fine.grained.memory !{}"
	}
	if ir.IsFloat(u.elem) {
		if u.kind == tt.RMWMax || u.kind == tt.RMWMin {
			name = "f" + name
		}
	}
	return []string{l.valueWhen(pred, typ, func() string {
		return l.val("atomicrmw %s ptr addrspace(1) %s, %s %s %s%s%s",
			name, ptr, typ, value, amdScopes[u.scope], amdOrders[u.sem], hint)
	})}
}

func (amd) atomicWidth(update) int { return 1 }

// orderAtomics leaves each update ordered by itself.
func (amd) orderAtomics(_ *lowering, u update, _ int) (each update, end func()) { return u, func() {} }

func (amd) countShared(l *lowering, ptr, pred string) {
	l.when(pred, func() {
		l.val("atomicrmw add ptr addrspace(3) %s, i32 1 syncscope(\"workgroup\") monotonic", ptr)
	})
}

func (amd) storeMatrices(*lowering, smem, layout.Layout, []string) (stored bool) { return false }
func (amd) rowFinder() rowFinder                                                 { return nil }

// copyAsync copies at once: threads wait for their part.
func (v amd) copyAsync(l *lowering, to, from string, bytes int, valid validity, owner string) {
	a := newAccess(ir.I8, bytes)
	l.when(owner, func() {
		pred := ""
		switch {
		case valid.none != "":
			pred = l.val("xor i1 %s, true", valid.none)
		case valid.count != "":
			pred = l.val("icmp ne i32 %s, 0", valid.count)
		}
		words := v.loadWords(l, a, memory{space: inGlobal}, from, pred, nil)
		v.storeWords(l, a, memory{space: inShared}, words, to, "")
	})
}

func (amd) commitCopies(*lowering)             {}
func (amd) waitCopies(*lowering, int)          {}
func (amd) showCopies(*lowering, *ir.Op)       {}
func (amd) orderEngine(*lowering, bool, proxy) {}
