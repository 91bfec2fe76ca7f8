package middle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
)

// asmCases are pieces of inline assembly on one or two tensors, and what they mean in operations that the
// interpreter knows: on %a and %b, with the result in %r.
var asmCases = []struct {
	name, asm   string
	constraints string
	in, out     string // element types
	args, pack  int
	means       string
}{
	{"tanh", "tanh.approx.f32 $0, $1;", "=f,f", "f32", "f32", 1, 1, `%r = math.tanh %a : T`},
	{"softplus", "{ .reg .pred p; setp.gt.f32 p, $1, 2.; @p mov.f32 $0, $1; @!p mul.f32 $0, $1, " +
		"1.4426950408889634; @!p ex2.approx.ftz.f32 $0, $0; @!p add.f32 $0, $0, 1.0; @!p " +
		"lg2.approx.ftz.f32 $0, $0; @!p mul.f32 $0, $0, 0.6931471805599453; }",
		"=r,r", "f32", "f32", 1, 1, `
%two = arith.constant dense<2.0> : T
%k = arith.constant dense<1.44269502> : T
%one = arith.constant dense<1.0> : T
%ln = arith.constant dense<0.693147182> : T
%c = arith.cmpf ogt, %a, %two : T
%e0 = arith.mulf %a, %k : T
%e1 = math.exp2 %e0 : T
%e2 = arith.addf %e1, %one : T
%e3 = math.log2 %e2 : T
%e4 = arith.mulf %e3, %ln : T
%r = arith.select %c, %a, %e4 : B T`},
	{"fma", "fma.rn.f32 $0, $1, $2, 0f3F800000; // and one", "=f,f,f", "f32", "f32", 2, 1, `
%one = arith.constant dense<1.0> : T
%r = math.fma %a, %b, %one : T`},
	{"xorsign", "{ max.NaN.xorsign.abs.f32 $0, $1, $2; }", "=r,r,r", "f32", "f32", 2, 1, `
%x = math.absf %a : T
%y = math.absf %b : T
%m = arith.maximumf %x, %y : T
%p = arith.mulf %a, %b : T
%r = math.copysign %m, %p : T`},
	{"funnel", "shf.l.wrap.b32 $0, $1, $2, 5;", "=r,r,r", "i32", "i32", 2, 1, `
%n = arith.constant dense<5> : T
%k = arith.constant dense<27> : T
%h = arith.shli %b, %n : T
%l = arith.shrui %a, %k : T
%r = arith.ori %h, %l : T`},
	{"integers", "mad.lo.s32 $0, $1, $2, -3; max.s32 $0, $0, 7; /* and */ shr.s32 $0, $0, 1; not.b32 $0, $0;",
		"=r,r,r", "i32", "i32", 2, 1, `
%m = arith.muli %a, %b : T
%k3 = arith.constant dense<-3> : T
%k7 = arith.constant dense<7> : T
%k1 = arith.constant dense<1> : T
%k = arith.constant dense<-1> : T
%s = arith.addi %m, %k3 : T
%x = arith.maxsi %s, %k7 : T
%h = arith.shrsi %x, %k1 : T
%r = arith.xori %h, %k : T`},
	{"packed bytes", "and.b32 $0, $1, 0x1F1F1F1F; shl.b32 $0, $0, 3;", "=r,r", "i8", "i8", 1, 4, `
%k = arith.constant dense<31> : T
%n = arith.constant dense<3> : T
%m = arith.andi %a, %k : T
%r = arith.shli %m, %n : T`},
	{"halves", "{ .reg .f16 lo, hi; mov.b32 {lo, hi}, $1; neg.f16 lo, lo; neg.f16 hi, hi; mov.b32 $0, " +
		"{lo, hi}; }", "=r,r", "f16", "f16", 1, 2,
		`%r = arith.negf %a : T`},
	{"convert", "cvt.rzi.s32.f32 $0, $1;", "=r,f", "f32", "i32", 1, 1, `%r = arith.fptosi %a : T to U`},
	{"select", "{ .reg .pred p; setp.lt.u32 p, $1, $2; selp.b32 $0, $1, $2, p; }", "=r,r,r", "i32",
		"i32", 2, 1, `
%c = arith.cmpi ult, %a, %b : T
%r = arith.select %c, %a, %b : B T`},
	{"pairs", "{ .reg .b32 k; mov.b32 k, 0x40004000; mul.rn.f16x2 $0, $1, k; fma.rn.f16x2 $0, $0, k, $1; }",
		"=r,r", "f16", "f16", 1, 2, `
%k = arith.constant dense<2.0> : T
%m = arith.mulf %a, %k : T
%r = math.fma %m, %k, %a : T`},
	{"guarded pairs", "{ .reg .pred p; setp.ne.u32 p, $1, $1; mov.b32 $0, $1; @p neg.f16x2 $0, $1; @!p " +
		"abs.f16x2 $0, $1; }", "=r,r", "f16", "f16", 1, 2, `%r = math.absf %a : T`},
	{"three bits", "lop3.b32 $0, $1, $2, 0xF0F0F0F0, 0xE8;", "=r,r,r", "i32", "i32", 2, 1, `
%k = arith.constant dense<-252645136> : T
%x = arith.andi %a, %b : T
%y = arith.andi %a, %k : T
%z = arith.andi %b, %k : T
%u = arith.ori %x, %y : T
%r = arith.ori %u, %z : T`},
	{"bytes", "prmt.b32 $0, $1, $2, 0x7F10;", "=r,r,r", "i32", "i32", 2, 1, bytesOfTwo},
	{"bytes by a register", "{ .reg .b32 s; and.b32 s, $1, 0; or.b32 s, s, 0xABC07F10; prmt.b32 $0, $1, " +
		"$2, s; }", "=r,r,r", "i32", "i32", 2, 1, bytesOfTwo},
	{"processor", "mov.u32 $0, %smid; add.u32 $0, $0, $1;", "=r,r", "i32", "i32", 1, 1, `
%k = arith.constant dense<0> : T
%r = arith.addi %a, %k : T`},
	{"nothing", "griddepcontrol.wait; mov.f32 $0, $1;", "=f,f", "f32", "f32", 1, 1,
		`%r = arith.addf %a, %zero : T`},
}

const asmKernel = `tt.func public @k(%_x: !tt.ptr<IN>, %_y: !tt.ptr<IN>, %_z: !tt.ptr<OUT>) {
  %_i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %_ps = tt.splat %_x : !tt.ptr<IN> -> tensor<64x!tt.ptr<IN>>
  %_p = tt.addptr %_ps, %_i : tensor<64x!tt.ptr<IN>>, tensor<64xi32>
  %a = tt.load %_p : tensor<64x!tt.ptr<IN>>
  %_qs = tt.splat %_y : !tt.ptr<IN> -> tensor<64x!tt.ptr<IN>>
  %_q = tt.addptr %_qs, %_i : tensor<64x!tt.ptr<IN>>, tensor<64xi32>
  %b = tt.load %_q : tensor<64x!tt.ptr<IN>>
BODY
  %_os = tt.splat %_z : !tt.ptr<OUT> -> tensor<64x!tt.ptr<OUT>>
  %_o = tt.addptr %_os, %_i : tensor<64x!tt.ptr<OUT>>, tensor<64xi32>
  tt.store %_o, %r : tensor<64x!tt.ptr<OUT>>
  tt.return
}`

// TestImmediateAsm: operands with the constraint n stand where an instruction takes numbers alone.
func TestImmediateAsm(t *testing.T) {
	kernel := func(body string) string {
		return strings.NewReplacer("BODY", body, "IN", "i32", "OUT", "i32").Replace(asmKernel)
	}
	constants := "%k = arith.constant dense<-252645136> : tensor<64xi32>\n" +
		"%table = arith.constant dense<232> : tensor<64xi32>\n"
	asm := `%r = tt.elementwise_inline_asm "lop3.b32 $0, $1, $2, $3, $4;" {constraints = "=r,r,r,n,n", ` +
		"packed_element = 1 : i32, pure = true} %a, %b, %k, %table : tensor<64xi32>, tensor<64xi32>, " +
		"tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>"
	means := `
%x = arith.andi %a, %b : tensor<64xi32>
%y = arith.andi %a, %k : tensor<64xi32>
%z = arith.andi %b, %k : tensor<64xi32>
%u = arith.ori %x, %y : tensor<64xi32>
%r = arith.ori %u, %z : tensor<64xi32>`
	r := newRandom(7)
	l := launch{name: "immediates", text: kernel(constants + asm), twin: kernel(constants + means),
		grid: [3]int{1, 1, 1}, args: []arg{
			filled(t, r, elemTypes["i32"], 64, "normal", ""),
			filled(t, r, elemTypes["i32"], 64, "normal", ""), zeros(elemTypes["i32"], 64)}}
	if good := check(t, []launch{l}); len(good) != 1 {
		t.Error("the assembly is not what it means")
	}
}

// TestInlineAsm: assembly does what its twin in arith does.
func TestInlineAsm(t *testing.T) {
	var ls []launch
	for i, x := range asmCases {
		operands := strings.Repeat("%a, %b, ", 1)[:4*x.args-2]
		types := strings.Repeat("T, ", x.args)
		body := fmt.Sprintf("%%r = tt.elementwise_inline_asm %q {constraints = %q, packed_element = %d : "+
			"i32, pure = true} %s : %s -> U",
			x.asm, x.constraints, x.pack, operands, types[:len(types)-2])
		zero := ""
		if strings.Contains(x.means, "%zero") {
			zero = "%zero = arith.constant dense<-0.0> : T\n"
		}
		kernel := func(body string) string {
			text := strings.ReplaceAll(asmKernel, "BODY", body)
			return strings.NewReplacer("IN", x.in, "OUT", x.out, ": B T", ": tensor<64xi1>, tensor<64x"+x.in+
				">", ": T", ": tensor<64x"+x.in+">", ", T", ", tensor<64x"+x.in+">", "-> U", "-> tensor<64x"+
				x.out+">", "to U", "to tensor<64x"+x.out+">").Replace(text)
		}
		r := newRandom(uint64(i))
		ls = append(ls, launch{name: x.name, text: kernel(body), twin: kernel(zero + x.means),
			grid: [3]int{1, 1, 1}, args: []arg{
				filled(t, r, elemTypes[x.in], 64, "normal", ""),
				filled(t, r, elemTypes[x.in], 64, "normal", ""), zeros(elemTypes[x.out], 64)}})
	}
	for _, l := range ls { // taken apart, the interpreter runs it as well
		m := parse(t, l.name, l.text)
		if err := pass.Run(&pass.Context{Options: pass.Options{Verify: true}}, m,
			[]pass.Pass{middle.ExpandInlineAsm}); err != nil {
			t.Fatal(err)
		}
		got, want := interpret(t, launch{name: l.name, text: m.String(), grid: l.grid, args: l.args}),
			interpret(t, l)
		out := len(got) - 1
		if d := difference(l.args[out].elem, bitsOf(l.args[out].elem, want[out]),
			bitsOf(l.args[out].elem, got[out]), l.tol); d != "" {
			t.Errorf("%s, interpreted: %s", l.name, d)
		}
	}
	if good := check(t, ls); len(good) != len(asmCases) {
		t.Errorf("%d of %d pieces of assembly are right", len(good), len(asmCases))
	}
}

// TestInlineAsmUnknown: an instruction that is not known is named.
func TestInlineAsmUnknown(t *testing.T) {
	for asm, want := range map[string]string{
		"ld.global.f32 $0, [$1];":         "ld.global.f32",
		"tex.1d.v4.f32.s32 $0, $1;":       "tex.1d.v4.f32.s32",
		"loop: bra loop;":                 "bra",
		"add.f32 $0, $1, %laneid;":        "%laneid",
		"cvt.rn.satfinite.e3m2x2.f32 $0;": "e3m2x2",
	} {
		text := fmt.Sprintf("tt.func @k(%%x: f32) {\n%%r = tt.elementwise_inline_asm %q {constraints = "+
			"\"=f,f\", packed_element = 1 : i32, pure = false} %%x : f32 -> f32\ntt.return\n}", asm)
		m, err := ir.Parse(diag.NewFileSet(), "asm.mlir", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		err = pass.Run(&pass.Context{}, m, []pass.Pass{middle.TritonToLinalg})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", asm, err)
		}
	}
}

// asmMemory is a kernel with pointers %p and %q to 64 bytes each.
func asmMemory(body string) string {
	return `tt.func public @k(%_x: !tt.ptr<i8>, %_y: !tt.ptr<i8>) {
  %_i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %_ps = tt.splat %_x : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>
  %p = tt.addptr %_ps, %_i : tensor<64x!tt.ptr<i8>>, tensor<64xi32>
  %_qs = tt.splat %_y : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>
  %q = tt.addptr %_qs, %_i : tensor<64x!tt.ptr<i8>>, tensor<64xi32>
` + body + `
  tt.return
}`
}

// TestInlineAsmGuarded: loads and stores under a predicate, of vectors and of other memories are refused by
// name: without the predicate they would read and write where they must not.
func TestInlineAsmGuarded(t *testing.T) {
	for asm, want := range map[string]string{
		"ld.global.b8 $0, [$1]; st.global.b8 [$1], $0;":                   "",
		"setp.ne.s32 p, $2, 0; mov.u32 $0, 0; @p ld.global.b8 $0, [$1];":  "ld.global.b8",
		"setp.ne.s32 p, $2, 0; mov.u32 $0, 0; @!p st.global.b8 [$1], $0;": "st.global.b8",
		"ld.shared.b8 $0, [$1];":                                          "ld.shared.b8",
		"ld.global.v2.b8 $0, [$1];":                                       "ld.global.v2.b8",
	} {
		m := parse(t, "guarded", asmMemory(fmt.Sprintf(`%%r = tt.elementwise_inline_asm %q {constraints = "=r,l,r",
	    packed_element = 1 : i32, pure = false}
	    %%p, %%_i : tensor<64x!tt.ptr<i8>>, tensor<64xi32> -> tensor<64xi8>
  tt.store %%p, %%r : tensor<64x!tt.ptr<i8>>`, asm)))
		err := pass.Run(&pass.Context{}, m, []pass.Pass{middle.TritonToLinalg})
		if got := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %s", asm, got)
		}
	}
}

// TestInlineAsmMemory: assembly that loads and stores.
func TestInlineAsmMemory(t *testing.T) {
	asm := `%r = tt.elementwise_inline_asm "ld.global.b8 $0, [$1]; shl.b32 $0, $0, 3; st.global.b8 [$2], $0;"
	    {constraints = "=r,l,l", packed_element = 1 : i32, pure = false}
	    %p, %q : tensor<64x!tt.ptr<i8>>, tensor<64x!tt.ptr<i8>> -> tensor<64xi8>
  %s = arith.addi %r, %r : tensor<64xi8>
  tt.store %p, %s : tensor<64x!tt.ptr<i8>>`
	twin := `%a = tt.load %p : tensor<64x!tt.ptr<i8>>
  %n = arith.constant dense<3> : tensor<64xi8>
  %r = arith.shli %a, %n : tensor<64xi8>
  tt.store %q, %r : tensor<64x!tt.ptr<i8>>
  %s = arith.addi %r, %r : tensor<64xi8>
  tt.store %p, %s : tensor<64x!tt.ptr<i8>>`
	r := newRandom(5)
	l := launch{name: "memory", text: asmMemory(asm), twin: asmMemory(twin), grid: [3]int{1, 1, 1}}
	l.args = []arg{filled(t, r, elemTypes["i8"], 64, "normal", ""), zeros(elemTypes["i8"], 64)}
	m := parse(t, l.name, l.text)
	if err := pass.Run(&pass.Context{Options: pass.Options{Verify: true}}, m,
		[]pass.Pass{middle.ExpandInlineAsm}); err != nil {
		t.Fatal(err)
	}
	if good := check(t, []launch{l}); len(good) != 1 {
		t.Error("it does something else")
	}
}

// bytesOfTwo is prmt with 0x7F10: two bytes of the first, of the second the sign of one byte and the highest.
const bytesOfTwo = `
%lo = arith.constant dense<65535> : T
%hi = arith.constant dense<-16777216> : T
%n = arith.constant dense<31> : T
%m = arith.constant dense<16711680> : T
%x = arith.andi %a, %lo : T
%y = arith.andi %b, %hi : T
%s = arith.shrsi %b, %n : T
%z = arith.andi %s, %m : T
%u = arith.ori %x, %y : T
%r = arith.ori %u, %z : T`
