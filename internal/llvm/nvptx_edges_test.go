package llvm

import (
	"strings"
	"testing"
)

// A loop over floats that may have no iterations, and a branch around a load.
const edgesIR = `
define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n, i32 %m) {
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = mul i32 %lane, %m
  %none = icmp slt i32 %n, 1
  br i1 %none, label %done, label %ready
ready:
  %at = getelementptr float, ptr addrspace(1) %p, i32 %from
  br label %loop
loop:
  %i = phi i32 [ 0, %ready ], [ %next, %loop ]
  %sum = phi float [ 2.0, %ready ], [ %more, %loop ]
  %here = getelementptr float, ptr addrspace(1) %at, i32 %i
  %x = load volatile float, ptr addrspace(1) %here
  %more = fadd float %sum, %x
  %next = add nuw nsw i32 %i, 1
  %end = icmp eq i32 %next, %n
  br i1 %end, label %done, label %loop
done:
  %total = phi float [ 2.0, %entry ], [ %more, %loop ]
  %odd = icmp eq i32 %from, 7
  br i1 %odd, label %load, label %store
load:
  %y = load volatile float, ptr addrspace(1) %p
  br label %store
store:
  %z = phi float [ 3.0, %done ], [ %y, %load ]
  %r = fadd float %total, %z
  store float %r, ptr addrspace(1) %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
`

// TestConstantsBehindBranches: constants that go around a loop are set behind the branch, on each way by
// itself; those that go around a load are set before it.
func TestConstantsBehindBranches(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		opts := Options{Target: nvptx(t, lib, "sm_90"), NoLoopUnroll: true}
		ptx := string(compile(t, lib, edgesIR, opts).Asm)
		const two, three = "0f40000000", "0f40400000"
		before, rest, ok := strings.Cut(ptx, "bra")
		if !ok || strings.Contains(before, two) || strings.Count(rest, two) < 2 {
			t.Errorf("the sum's constant is not set on both ways behind the first branch:\n%s", ptx)
		}
		if strings.Count(ptx, three) != 1 {
			t.Errorf("the load's constant is not set once:\n%s", ptx)
		}
	})
}

// TestConstantsStay: what is no constant stays before the branch, in its order, and so do all constants if
// no loop is skipped or warp groups multiply.
func TestConstantsStay(t *testing.T) {
	const start = "\tmov.b32 \t%r1, 5;\n\tmov.b32 \t%r2, %r1;\n\t.loc\t1 2 3\n\tmov.b32 \t%r3, %r9;\n" +
		"\tmov.b64 \t%rd1, global_smem;\n\t@!%p1 bra \t$L__BB0_2;\n"
	for _, row := range []struct{ name, in, want string }{
		{"loop", start + "$L__BB0_1:\n\t@%p2 bra \t$L__BB0_1;\n$L__BB0_2:\n\tret;\n",
			"\t.loc\t1 2 3\n\tmov.b32 \t%r3, %r9;\n\tmov.b64 \t%rd1, global_smem;\n" +
				"\t@%p1 bra \t$L__enter1;\n\tmov.b32 \t%r1, 5;\n\tmov.b32 \t%r2, %r1;\n" +
				"\tbra.uni \t$L__BB0_2;\n$L__enter1:\n\tmov.b32 \t%r1, 5;\n\tmov.b32 \t%r2, %r1;\n" +
				"$L__BB0_1:\n\t@%p2 bra \t$L__BB0_1;\n$L__BB0_2:\n\tret;\n"},
		{"no loop", start + "\tadd.s32 \t%r1, %r1, 1;\n$L__BB0_2:\n\tret;\n", ""},
		{"warp groups", start +
			"$L__BB0_1:\n\twgmma.fence.sync.aligned;\n\t@%p2 bra \t$L__BB0_1;\n$L__BB0_2:\n", ""},
		{"loop behind", start + "$L__BB0_2:\n\t@%p2 bra \t$L__BB0_2;\n\tret;\n", ""},
	} {
		want := row.want
		if want == "" {
			want = row.in
		}
		const head = ".entry k()\n{\n"
		got, err := tidied([]byte(head+row.in+"}\n"), false)
		if want = head + want + "}\n"; err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", row.name, err, got, want)
		}
	}
}
