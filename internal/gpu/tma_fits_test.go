package gpu_test

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
)

// TestAlignedColumns: a descriptor stays where its columns are multiples of 16 bytes on every path, and
// becomes a pointer otherwise. %j is any number, %k a multiple of 16; elements have two bytes.
func TestAlignedColumns(t *testing.T) {
	const head = `%c3 = arith.constant 3 : i32
%c4 = arith.constant 4 : i32
%c8 = arith.constant 8 : i32
%c64 = arith.constant 64 : i32
`
	carried := func(start, step string) string {
		return `%z = scf.for %i = %c3 to %j step %c3 iter_args(%at = ` + start + `) -> (i32) : i32 {
  %x = tt.descriptor_load %d[%c3, %at] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<8x64xf16>
  %n = arith.addi %at, ` + step + ` : i32
  scf.yield %n : i32
}`
	}
	branch := func(a, b string) string {
		return "%c = scf.if %b -> (i32) {\n scf.yield " + a + " : i32\n} else {\n scf.yield " +
			b + " : i32\n}"
	}
	for _, c := range []struct {
		name, body, col string
		stays           bool
	}{
		{"constant", "", "%c64", true},
		{"constant of 16 bytes", "", "%c8", true},
		{"constant of 8 bytes", "", "%c4", false},
		{"argument", "", "%j", false},
		{"argument that is a multiple", "", "%k", true},
		{"program", "%p = tt.get_program_id x : i32", "%p", false},
		{"block of a program", "%p = tt.get_program_id x : i32\n%c = arith.muli %p, %c64 : i32", "%c", true},
		{"sum", "%c = arith.addi %k, %c8 : i32", "%c", true},
		{"sum with 8 bytes", "%c = arith.addi %k, %c4 : i32", "%c", false},
		{"remainder", "%c = arith.remsi %k, %c64 : i32", "%c", true},
		{"remainder of any", "%c = arith.remsi %k, %j : i32", "%c", false},
		{"greater", "%c = arith.maxsi %k, %c8 : i32", "%c", true},
		{"select", "%c = arith.select %b, %k, %c8 : i32", "%c", true},
		{"select of any", "%c = arith.select %b, %k, %j : i32", "%c", false},
		{"branches", branch("%k", "%c64"), "%c", true},
		{"branches, one of them any", branch("%k", "%j"), "%c", false},
		{"loaded", "%c = tt.load %ptr : !tt.ptr<i32>", "%c", false},
		{"loaded, with a hint", "%c = tt.load %ptr {tt.divisibility = dense<8> : tensor<1xi32>} : " +
			"!tt.ptr<i32>",
			"%c", true},
		{"loop", "scf.for %i = %c8 to %j step %c64 : i32 {\n" +
			"%y = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<8x64xf16>\n}",
			"%k", true},
		{"loop from 8 bytes on", "scf.for %i = %c4 to %j step %c64 : i32 {\n" +
			"%y = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<8x64xf16>\n}",
			"%k", false},
		{"carried", carried("%k", "%c8"), "%z", true},
		{"carried from any", carried("%j", "%c8"), "%k", false},
		{"carried by 8 bytes", carried("%k", "%c4"), "%k", false},
	} {
		m := passtest.Parse(t, "k.ttir",
			fmt.Sprintf(`module { tt.func public @k(%%d: !tt.tensordesc<tensor<8x64xf16>>, %%j: i32,
%%k: i32 {tt.divisibility = 16 : i32}, %%b: i1, %%ptr: !tt.ptr<i32>, %%v: tensor<8x64xf16>) {
%s%s
tt.descriptor_store %%d[%%j, %s], %%v : !tt.tensordesc<tensor<8x64xf16>>, tensor<8x64xf16>
tt.return
} }`, head, c.body, c.col))
		passtest.Run(t, m, []pass.Pass{gpu.LegalizeDescriptors(gpu.Machine{NumCTAs: 1})})
		if stays := tt.DescBlock(m.Lookup("k").Body(0).Arg(0).Type) != nil; stays != c.stays {
			t.Errorf("%s: the descriptor stays: %v", c.name, stays)
		}
	}
}

// TestRowEnds: a descriptor that is stored to stays where its rows are known to end at multiples of 16 bytes.
// %n is any number, %k a multiple of 16, %row and %odd are rows of descriptors that the host made, for
// hardware and not; elements have two bytes.
func TestRowEnds(t *testing.T) {
	const store = "tt.descriptor_store %d[%n, %c0], %v : !tt.tensordesc<tensor<8x64xf16>>, tensor<8x64xf16>"
	const load = "%x = tt.descriptor_load %d[%n, %c0] : !tt.tensordesc<tensor<8x64xf16>> -> tensor<8x64xf16>"
	for _, c := range []struct {
		columns, stride, use string
		stays                bool
	}{
		{"%k", "%s", store, true},
		{"%n", "%s", store, false},
		{"%n", "%wide", store, true},
		{"%n", "%s", load, true},
		{"%n", "%s", load + "\n" + store, false},
		{"%row", "%s", store, true},
		{"%high", "%s", store, false},
		{"%odd", "%s", store, false},
		{"%loaded", "%s", store, true},
	} {
		m := passtest.Parse(t, "k.ttir",
			fmt.Sprintf(`module { tt.func public @k(%%p: !tt.ptr<f16>, %%n: i32, %%s: i64,
%%k: i32 {tt.divisibility = 16 : i32}, %%v: tensor<8x64xf16>,
%%h: !tt.tensordesc<tensor<8x64xbf16>>, %%high: i32, %%row: i32, %%hs: i64, %%h1: i64,
%%o: !tt.tensordesc<tensor<8x64xf16>> {nereid.pointer = 1 : i32}, %%m: i32, %%odd: i32, %%os: i64,
%%o1: i64) {
%%c0 = arith.constant 0 : i32
%%c1 = arith.constant 1 : i64
%%wide = arith.extsi %%n : i32 to i64
%%lengths = tt.int_to_ptr %%s : i64 -> !tt.ptr<i32>
%%length = tt.load %%lengths : !tt.ptr<i32>
%%loaded = arith.addi %%length, %%c0 : i32
%%d = tt.make_tensor_descriptor %%p, [%%n, %s], [%s, %%c1] : <f16>, <tensor<8x64xf16>>
%s
tt.return
} }`, c.columns, c.stride, c.use))
		passtest.Run(t, m, []pass.Pass{gpu.LegalizeDescriptors(gpu.Machine{NumCTAs: 1})})
		stays := false
		for op := range m.Ops() {
			stays = stays || op.Def == tt.MakeTensorDesc
		}
		if stays != c.stays {
			t.Errorf("%s columns, stride %s, %s: the descriptor stays: %v", c.columns, c.stride, c.use, stays)
		}
	}
}
