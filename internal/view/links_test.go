package view

import (
	"slices"
	"strings"
	"testing"
)

// linesAt returns the lines that belong to a line of a file.
func linesAt(l *located, file string, line int) (out []string) {
	for i, places := range l.places {
		if slices.Contains(places, Place{file, line}) {
			out = append(out, strings.TrimSpace(l.lines[i]))
		}
	}
	return out
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const mlirText = `#loc = loc("/d/k.py":7:0)
#loc1 = loc(unknown)
#loc9 = loc("/d/k.py":12:19)
#loc35 = loc("x (1)"(#loc9))
#loc44 = loc(callsite("/std.py":119:4 at #loc45))
#loc45 = loc(callsite(#loc46 at #loc35))
module {
  tt.func public @k(%p: !tt.ptr<f32> loc("p"(#loc)), %n: i32 loc(unknown)) {
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%arg0: f32 loc(callsite(#loc1 at #loc35)), %arg1: f32 loc(unknown)):
      %4 = arith.maxnumf %arg0, %arg1 : f32 loc(#loc44)
      tt.reduce.return %4 : f32 loc(#loc45)
    }) : (tensor<1024xf32>) -> f32 loc(#loc45)
    %s = scf.if %c -> (f32) {
      scf.yield %r : f32 loc(#loc1)
    } else {
      scf.yield %z : f32 loc(#loc1)
    } loc("/d/k.py":20:1)
    tt.return loc("/d/k.py":21:4)
  } loc(#loc)
} loc(#loc)
#loc46 = loc("/std.py":163:40)
`

func TestMLIR(t *testing.T) {
	l := readMLIR(mlirText)
	if text := strings.Join(l.lines, "\n"); strings.Contains(text, "loc") {
		t.Errorf("locations are left:\n%s", text)
	}
	expect(t, linesAt(l, "/d/k.py", 12), `%r = "tt.reduce"(%x) <{axis = 0 : i32}> ({`,
		"%4 = arith.maxnumf %arg0, %arg1 : f32", "tt.reduce.return %4 : f32", "}) : (tensor<1024xf32>) -> f32")
	expect(t, linesAt(l, "/std.py", 119), "%4 = arith.maxnumf %arg0, %arg1 : f32")
	expect(t, linesAt(l, "/d/k.py", 20), "%s = scf.if %c -> (f32) {", "}")
	expect(t, linesAt(l, "/d/k.py", 7), "module {", "tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {", "}", "}")
	expect(t, linesAt(l, "/d/k.py", 21), "tt.return")
}

const llvmText = `define ptx_kernel void @k(ptr addrspace(1) %arg0) #0 !dbg !4 {
entry:
  %v1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !5
  %v2 = and i32 %v1, 31, !dbg !15
  br label %a, !prof !9, !dbg !6
}
!3 = !DIFile(filename: "k.py", directory: "/d")
!4 = distinct !DISubprogram(name: "k", scope: !3, file: !3, line: 7, scopeLine: 7, unit: !0)
!5 = !DILocation(line: 8, column: 0, scope: !4)
!6 = !DILocation(line: 119, column: 3, scope: !14, inlinedAt: !5)
!9 = !{!"branch_weights", i32 1, i32 2}
!13 = !DIFile(filename: "std.py", directory: "lib")
!14 = !DILexicalBlockFile(scope: !4, file: !13, discriminator: 0)
!15 = !DILocation(line: 163, column: 40, scope: !14)
`

func TestLLVM(t *testing.T) {
	l := readLLVM(llvmText)
	text := strings.Join(l.lines, "\n")
	if strings.Contains(text, "!dbg") || strings.Contains(text, "DILoc") {
		t.Errorf("locations are left:\n%s", text)
	}
	expect(t, linesAt(l, "/d/k.py", 7), "define ptx_kernel void @k(ptr addrspace(1) %arg0) #0 {")
	expect(t, linesAt(l, "lib/std.py", 163), "%v2 = and i32 %v1, 31")
	expect(t, linesAt(l, "/d/k.py", 8), "%v1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
		"br label %a, !prof !9")
	expect(t, linesAt(l, "lib/std.py", 119), "br label %a, !prof !9")
}

const ptxText = `.visible .entry k(
	.param .u64 k_param_0
)
{
	.reg .b32 	%r<109>;
	.loc	1 7 0
	ld.param.b64 	%rd17, [k_param_0];
$L__tmp0:
	.loc	1 8 24
	mov.u32 	%r25, %ctaid.x;
	// begin inline asm
	mov.b32 %r1, %r2; @%p1 ld.global.b32 %r1, [ %rd1 + 0 ];
	// end inline asm
$L__BB0_2:
	.loc	2 163 40
	bar.sync 	0;
	ret;
}
	.file	1 "/d/k.py"
	.file	2 "/d/lib" "std.py"
	.section	.debug_abbrev
	{
.b8 1
	}
`

func TestAssembly(t *testing.T) {
	l := readAssembly(ptxText)
	text := strings.Join(l.lines, "\n")
	for _, gone := range []string{".loc", ".file", "debug", ".b8 1", "$L__tmp0"} {
		if strings.Contains(text, gone) {
			t.Errorf("%s is left:\n%s", gone, text)
		}
	}
	expect(t, linesAt(l, "/d/k.py", 8), "mov.u32 \t%r25, %ctaid.x;",
		"mov.b32 %r1, %r2; @%p1 ld.global.b32 %r1, [ %rd1 + 0 ];")
	expect(t, linesAt(l, "/d/lib/std.py", 163), "bar.sync \t0;", "ret;")
}

// TestCallers: what LLVM IR and later stages do not know, TTIR does.
func TestCallers(t *testing.T) {
	calls := callers{}
	calls.add(readMLIR(strings.ReplaceAll(mlirText, "/std.py", "lib/std.py")))
	l := readLLVM(llvmText)
	calls.extend(l)
	expect(t, linesAt(l, "/d/k.py", 12), "%v2 = and i32 %v1, 31")
}
