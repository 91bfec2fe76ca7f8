package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// constraint returns the register kind of a word in inline assembly.
func (a access) constraint() string {
	switch a.wordBits {
	case 64:
		return "l"
	case 32:
		return "r"
	}
	return "h"
}

// suffix returns the vector and width part of an instruction's name, such as ".v4.b32".
func (a access) suffix() string {
	s := fmt.Sprintf(".b%d", a.wordBits)
	if a.words > 1 {
		s = fmt.Sprintf(".v%d", a.words) + s
	}
	return s
}

var (
	loadCaches  = map[int64]string{tt.CacheCA: ".ca", tt.CacheCG: ".cg", tt.CacheCV: ".cv", tt.CacheCS: ".cs"}
	storeCaches = map[int64]string{tt.CacheWB: ".wb", tt.CacheCG: ".cg", tt.CacheCS: ".cs", tt.CacheWT: ".wt"}
	evictions   = map[int64]string{tt.EvictFirst: "evict_first", tt.EvictLast: "evict_last"}
)

// hint returns the cache modifier or eviction policy of an instruction. PTX does not accept both.
func (m memory) hint(caches map[int64]string) string {
	if cache := caches[m.cache]; cache != "" {
		return cache
	}
	if evict := evictions[m.evict]; evict != "" {
		return ".L1::" + evict
	}
	return ""
}

// policy returns the L2 cache's part of an eviction policy, an i64, or "" if there is none.
func (v nvidia) policy(l *lowering, m memory) string {
	evict := evictions[m.evict]
	if evict == "" || m.space != inGlobal || m.volatile || !v.chip.CachePolicy {
		return ""
	}
	return l.asm("i64", "createpolicy.fractional.L2::"+evict+".b64 $0, 1.0;", "=l", false)
}

// withPolicy adds a policy to an instruction: what belongs into its name and behind its address, where the
// policy is operand number n.
func withPolicy(policy string, n int) (name, operand string) {
	if policy == "" {
		return "", ""
	}
	return ".L2::cache_hint", fmt.Sprintf(", $%d", n)
}

// ptxSpaces holds, for each space, the part of an instruction's name, the LLVM type of an address, and its
// register kind.
var ptxSpaces = map[space]struct{ name, ptr, reg string }{
	inGlobal:  {".global", "ptr addrspace(1)", "l"},
	inShared:  {".shared", "ptr addrspace(3)", "r"},
	inCluster: {".shared::cluster", "i32", "r"},
}

func (m memory) loadName() string {
	if m.volatile {
		return "ld.volatile" + ptxSpaces[m.space].name
	}
	return "ld" + ptxSpaces[m.space].name + m.hint(loadCaches)
}

func (v nvidia) loadWords(l *lowering, a access, m memory, ptr, pred string, other []string) []string {
	var outs, clear []string
	for i := range a.words {
		outs = append(outs, fmt.Sprintf("$%d", i))
		from := "0"
		if other != nil {
			from = fmt.Sprintf("$%d", a.words+2+i)
		}
		clear = append(clear, fmt.Sprintf("mov.b%d $%d, %s;", max(a.wordBits, 16), i, from))
	}
	dst := outs[0]
	if a.words > 1 {
		dst = "{ " + strings.Join(outs, ", ") + " }"
	}
	out := "="
	if pred != "" {
		// the moves write the result before the address and other are read, so it must share no register with
		// them
		out = "=&"
	}
	where := ptxSpaces[m.space]
	constraints := strings.Repeat(out+a.constraint()+",", a.words) + where.reg
	args := []string{where.ptr + " " + ptr}
	guard := ""
	if pred != "" {
		guard = fmt.Sprintf("%s @$%d ", strings.Join(clear, " "), a.words+1)
		constraints += ",b"
		args = append(args, "i1 "+pred)
		constraints += strings.Repeat(","+a.constraint(), len(other))
		args = append(args, typed(a.wordType(), other)...)
	}
	policy := v.policy(l, m)
	hint, behind := withPolicy(policy, a.words+len(args))
	if policy != "" {
		constraints += ",l"
		args = append(args, "i64 "+policy)
	}
	code := fmt.Sprintf("%s%s%s%s %s, [ $%d + 0 ]%s;", guard, m.loadName(), hint, a.suffix(), dst, a.words,
		behind)
	ret := structOf(slices.Repeat([]string{a.wordType()}, a.words))
	return l.fields(ret, l.asm(ret, code, constraints, true, args...), a.words)
}

func (v nvidia) storeWords(l *lowering, a access, m memory, words []string, ptr, pred string) {
	var ins, constraints, args []string
	for i, w := range words {
		ins = append(ins, fmt.Sprintf("$%d", i))
		constraints = append(constraints, a.constraint())
		args = append(args, a.wordType()+" "+w)
	}
	src := ins[0]
	if a.words > 1 {
		src = "{ " + strings.Join(ins, ", ") + " }"
	}
	where := ptxSpaces[m.space]
	args = append(args, where.ptr+" "+ptr)
	constraints = append(constraints, where.reg)
	guard := ""
	if pred != "" {
		guard = fmt.Sprintf("@$%d ", a.words+1)
		args = append(args, "i1 "+pred)
		constraints = append(constraints, "b")
	}
	policy := v.policy(l, m)
	hint, behind := withPolicy(policy, len(args))
	if policy != "" {
		args = append(args, "i64 "+policy)
		constraints = append(constraints, "l")
	}
	code := fmt.Sprintf("%sst%s%s%s%s [ $%d + 0 ], %s%s;", guard, where.name, m.hint(storeCaches), hint,
		a.suffix(), a.words, src, behind)
	l.asm("void", code, strings.Join(constraints, ","), true, args...)
}

func (nvidia) prefetch(l *lowering, ptr, pred string) {
	code, constraints, args := "prefetch.global.L2 [ $0 + 0 ];", "l", []string{"ptr addrspace(1) " + ptr}
	if pred != "" {
		code, constraints, args = "@$1 "+code, constraints+",b", append(args, "i1 "+pred)
	}
	l.asm("void", code, constraints, true, args...)
}

func (nvidia) mapTo(l *lowering, ptr, rank string) string {
	const code = "mapa.shared::cluster.u32 $0, $1, $2;"
	return l.asm("i32", code, "=r,r,r", false, "ptr addrspace(3) "+ptr, "i32 "+rank)
}

func (nvidia) countShared(l *lowering, ptr, pred string) {
	code, constraints, args := "red.shared.add.u32 [ $0 + 0 ], 1;", "r", []string{"ptr addrspace(3) " + ptr}
	if pred != "" {
		code, constraints, args = "@$1 "+code, constraints+",b", append(args, "i1 "+pred)
	}
	l.asm("void", code, constraints, true, args...)
}

func (nvidia) copyAsync(l *lowering, to, from string, bytes int, valid validity, owner string) {
	how := "ca"
	if bytes == 16 {
		how = "cg"
	}
	args := []string{"ptr addrspace(3) " + to, "ptr addrspace(1) " + from}
	code := fmt.Sprintf("cp.async.%s.shared.global [ $0 + 0 ], [ $1 + 0 ], %d", how, bytes)
	constraints := "r,l"
	switch {
	case valid.none != "":
		args, constraints, code = append(args, "i1 "+valid.none), constraints+",b", code+", $2"
	case valid.count != "":
		args, constraints, code = append(args, "i32 "+valid.count), constraints+",r", code+", $2"
	}
	code += ";"
	if owner != "" {
		code = fmt.Sprintf("@$%d %s", len(args), code)
		args, constraints = append(args, "i1 "+owner), constraints+",b"
	}
	l.asm("void", code, constraints, true, args...)
}

func (nvidia) commitCopies(l *lowering) { l.asm("void", "cp.async.commit_group;", "", true) }

func (nvidia) waitCopies(l *lowering, pending int) {
	if pending == allCopies {
		l.asm("void", "cp.async.wait_all;", "", true)
		return
	}
	l.asm("void", fmt.Sprintf("cp.async.wait_group %d;", pending), "", true)
}

func (nvidia) showCopies(l *lowering, wait *ir.Op) {
	if l.opts.CopyFences && productsReadCopies(l.fn, wait) {
		l.asm("void", "fence.proxy.async.shared::cta;", "", true)
	}
}
