package lower

import (
	"bytes"
	"testing"
)

// TestAtomicAddBF16: there is an instruction for it from sm_90 on, a loop before.
func TestAtomicAddBF16(t *testing.T) {
	text := moduleText(1, `tt.func public @k(%x: !tt.ptr<bf16>, %v: bf16) {
%true = arith.constant true
%old = tt.atomic_rmw fadd, acq_rel, gpu, %x, %v, %true : (!tt.ptr<bf16>, bf16, i1) -> bf16
tt.return
}
`)
	for capability, instr := range map[int]string{80: ".global.cas.b32",
		90: "red.global.release.gpu.add.noftz.bf16"} {
		_, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", capability)
		if !bytes.Contains(ptx, []byte(instr)) {
			t.Errorf("sm_%d: no %s in\n%s", capability, instr, ptx)
		}
	}
}
