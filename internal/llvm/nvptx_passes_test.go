package llvm

import (
	"strings"
	"testing"
)

// Loads at neighbouring places in a loop, calls of a helper and of one that is not to be inlined, and a nest of short loops.
const passesIR = `
target triple = "nvptx64-nvidia-cuda"

define private float @helper(float %x) {
  %a = fmul float %x, %x
  %b = fadd float %a, 1.0
  ret float %b
}

define float @apart(float %x) noinline {
  %a = fdiv float %x, 3.0
  ret float %a
}

define ptx_kernel void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %tid, 127
  %first = shl nuw nsw i32 %lane, 2
  %o1 = or disjoint i32 %first, 1
  %o2 = or disjoint i32 %first, 2
  br label %for
for:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %s2, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %i0 = add i32 %i, %first
  %i1 = add i32 %i, %o1
  %i2 = add i32 %i, %o2
  %p0 = getelementptr float, ptr addrspace(1) %p, i32 %i0
  %p1 = getelementptr float, ptr addrspace(1) %p, i32 %i1
  %p2 = getelementptr float, ptr addrspace(1) %p, i32 %i2
  %v0 = load volatile float, ptr addrspace(1) %p0
  %v1 = load volatile float, ptr addrspace(1) %p1
  %v2 = load volatile float, ptr addrspace(1) %p2
  %s0 = fadd float %sum, %v0
  %s1 = fadd float %s0, %v1
  %s2 = fadd float %s1, %v2
  %next = add i32 %i, 1024
  br label %for
done:
  %h = call float @helper(float %sum)
  %r = call float @apart(float %h)
  br label %outer
outer:
  %j = phi i32 [ 1, %done ], [ %j1, %after ]
  %t = phi float [ %r, %done ], [ %t1, %after ]
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %k1, %inner ]
  %t0 = phi float [ %t, %outer ], [ %t1, %inner ]
  %t1 = fmul float %t0, %t0
  %k1 = add i32 %k, 1
  %in = icmp slt i32 %k1, %j
  br i1 %in, label %inner, label %after
after:
  %j1 = add i32 %j, 1
  %out = icmp slt i32 %j1, 4
  br i1 %out, label %outer, label %end
end:
  store float %t1, ptr addrspace(1) %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
`

// The pipeline of kernels exists in every LLVM that it is for, and does what its parts are there for.
func TestPTXPasses(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		passes := lib.PTXPasses()
		if (passes == "") != (lib.Version().Major < 19) {
			t.Fatalf("LLVM %v has the passes %q", lib.Version(), passes)
		}
		out := compile(t, lib, passesIR, Options{Target: nvptx(t, lib, "sm_80"), Passes: passes, Emit: EmitAsm | EmitIR})
		ir := string(out.IR)
		kernel := ir[strings.Index(ir, "@kernel"):]
		count := func(part string, want int) {
			if got := strings.Count(kernel, part); got != want {
				t.Errorf("%d times %q, want %d", got, part, want)
			}
		}
		count("@helper", 0)
		count("call float @apart", 1)
		count(" = phi ", 3)            // one loop: its index, its sum, and the sum afterwards; the others are unrolled
		count("fmul float", 1+(1+2+3)) // of the helper and of the short loops
		if passes != "" {
			count("getelementptr float", 1) // one base, and constants from there
		}
	})
}
