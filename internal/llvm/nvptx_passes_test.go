package llvm

import (
	"strings"
	"testing"
)

// Loads at neighbouring places in a loop, calls of a helper and of one that is not to be inlined, and a
// nest of short loops.
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
		out := compile(t, lib, passesIR, Options{Target: nvptx(t, lib, "sm_80"), Passes: passes,
			Emit: EmitAsm | EmitIR})
		ir := string(out.IR)
		kernel := ir[strings.Index(ir, "@kernel"):]
		count := func(part string, want int) {
			if got := strings.Count(kernel, part); got != want {
				t.Errorf("%d times %q, want %d", got, part, want)
			}
		}
		count("@helper", 0)
		count("call float @apart", 1)
		// one loop: its index, its sum, and the sum afterwards; the others are unrolled
		count(" = phi ", 3)
		count("fmul float", 1+(1+2+3)) // of the helper and of the short loops
		if passes != "" {
			count("getelementptr float", 1) // one base, and constants from there
		}
	})
}

// A loop over parts of a chunk, where a part is as large as a chunk: the last chunk may be smaller, so that
// its number of iterations is an expression. BODY is longer than what is unrolled.
const onceIR = `
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr addrspace(1) %p, i32 %n) {
entry:
  %n15 = add i32 %n, 15
  %chunks = sdiv i32 %n15, 16
  br label %outer
outer:
  %c = phi i32 [ 0, %entry ], [ %c1, %next ]
  %more = icmp slt i32 %c, %chunks
  br i1 %more, label %chunk, label %end
chunk:
  %first = mul i32 %c, 16
  %left = sub i32 %n, %first
  %size = call i32 @llvm.smin.i32(i32 %left, i32 16)
  %up = add i32 %size, 15
  %parts = sdiv i32 %up, 16
  br label %inner
inner:
  %i = phi i32 [ 0, %chunk ], [ %i1, %body ]
  %in = icmp slt i32 %i, %parts
  br i1 %in, label %body, label %next
body:
  BODY
  %i1 = add i32 %i, 1
  br label %inner
next:
  %c1 = add i32 %c, 1
  br label %outer
end:
  ret void
}

declare i32 @llvm.smin.i32(i32, i32)
`

// A loop that has one iteration at most is no loop, however long it is.
func TestPTXPassesOnce(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		body := strings.Repeat("store volatile i32 %i, ptr addrspace(1) %p\n", 1000)
		text := strings.Replace(onceIR, "BODY", body, 1)
		passes := lib.PTXPasses()
		out := compile(t, lib, text, Options{Target: nvptx(t, lib, "sm_80"), Passes: passes,
			Emit: EmitAsm | EmitIR})
		if got := strings.Count(string(out.IR), " = phi "); passes != "" && got != 1 {
			t.Errorf("%d values that loops carry, not the number of the chunk alone", got)
		}
	})
}

// A loop whose number of iterations is an argument is left to the assembler, which unrolls it further.
func TestPTXPassesRuntimeLoop(t *testing.T) {
	const text = `
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr addrspace(1) %p, i32 %n) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %body, label %end
body:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  store volatile i32 %i, ptr addrspace(1) %p
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %body, label %end
end:
  ret void
}
`
	each(t, func(t *testing.T, lib *Lib) {
		passes := lib.PTXPasses()
		out := compile(t, lib, text, Options{Target: nvptx(t, lib, "sm_80"), Passes: passes,
			Emit: EmitAsm | EmitIR})
		if got := strings.Count(string(out.IR), "store volatile"); passes != "" && got != 1 {
			t.Errorf("the loop has %d iterations in one:\n%s", got, out.IR)
		}
	})
}
