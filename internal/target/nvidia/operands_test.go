package nvidia

import "testing"

// TestOverwritesOperands: a branch between a product of what was loaded before a loop and one of what the
// loop computes is found.
func TestOverwritesOperands(t *testing.T) {
	const (
		head = ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n" +
			"\t.reg .b32 %r<20>;\n$L0:\n"
		product = "\twgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
		before  = product + "{%r1,%r2,%r3,%r4}, {%r5,%r6,%r7,%r8}, %rd1, 1, 1, 1, 0;\n"
		convert = "\tcvt.rn.f16x2.f32 %r9, %r1, %r2;\n"
		late    = product + "{%r13,%r14,%r15,%r16}, {%r9,%r10,%r11,%r12}, %rd1, 1, 1, 1, 0;\n"
		shared  = product + "{%r13,%r14,%r15,%r16}, %rd2, %rd1, 1, 1, 1, 0, 0;\n"
		branch  = "\t@%p1 bra $L1;\n\tadd.f32 %r1, %r1, %r1;\n$L1:\n"
		tail    = "\t@%p2 bra $L0;\n\tret;\n}\n"
	)
	for _, x := range []struct {
		name, body string
		want       bool
	}{
		{"a branch between", before + convert + branch + late, true},
		{"in turn", convert + late + branch + before, true},
		{"one block", branch + before + convert + late + branch, false},
		{"both from before", before + branch + before, false},
		{"both computed", convert + late + branch + late, false},
		{"in shared memory", shared + convert + branch + late, false},
	} {
		if got := overwritesOperands([]byte(head + x.body + tail)); got != x.want {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
	}
}
