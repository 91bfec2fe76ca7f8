package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/ir"
)

func lowerRecord(l *lowering, op *ir.Op) {
	l.vendor.record(l, l.scopeNumber(op), op.HasAttr("isStart"))
}

// record has the first thread of each warp write a record of a scope, by its number. What a record costs lies
// outside of the scope: its place is found before the clock of a beginning is read, and after the clock of an
// end.
func (nvidia) record(l *lowering, scope int, start bool) {
	word := scope << gpucode.ScopeName
	place := "@first atom.global.add.u32 slot, [$0], 1; "
	clock := "mov.u64 cycles, %clock64; mov.u64 time, %globaltimer; "
	if start {
		word |= 1 << gpucode.ScopeStart
		place, clock = clock, place
	}
	code := "{ .reg .pred first, room; .reg .b32 lane, slot, word, sm, id, n; .reg .b64 at, cycles, time; " +
		"mov.u32 lane, %laneid; setp.eq.u32 first, lane, 0; mov.u32 slot, -1; " +
		clock + "mov.u32 word, %tid.x; shr.u32 word, word, 5; shl.b32 word, word, " +
		fmt.Sprint(gpucode.ScopeWarp) + "; mov.u32 sm, %smid; or.b32 word, word, sm; or.b32 word, word, " +
		fmt.Sprint(int32(word)) + "; mov.u32 id, %ctaid.z; mov.u32 n, %nctaid.y; mul.lo.u32 id, id, n; " +
		"mov.u32 n, %ctaid.y; add.u32 id, id, n; mov.u32 n, %nctaid.x; mul.lo.u32 id, id, n; " +
		"mov.u32 n, %ctaid.x; add.u32 id, id, n; " + place +
		fmt.Sprintf("setp.lt.u32 room, slot, %d; mad.wide.u32 at, slot, %d, $0; ", gpucode.ScopeRecords,
			gpucode.ScopeBytes) +
		fmt.Sprintf("@room st.global.b32 [at+%d], id; @room st.global.b32 [at+%d], word; "+
			"@room st.global.b64 [at+%d], cycles; @room st.global.b64 [at+%d], time; }", gpucode.ScopesHead,
			gpucode.ScopesHead+4, gpucode.ScopesHead+8, gpucode.ScopesHead+16)
	l.groupAsm("void", code, "l,~{memory}", "ptr addrspace(1) @"+gpucode.ScopesVar)
}
