package ir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestNames: wishes for names are cleaned, made unique as MLIR does it, and numbers go to those who wish
// for none.
func TestNames(t *testing.T) {
	m := ir.NewModule(nil)
	b := ir.NewBuilder(m.Block())
	def := ir.UnknownOp("mine.op")
	var last *ir.Value
	for _, name := range []string{"x", "x", "", "x y", "3", "a-b.c$", "é", "x_0", ""} {
		var operands []*ir.Value
		if last != nil {
			operands = append(operands, last)
		}
		last = b.Op(def, operands, []ir.Type{ir.I32}).Result(0)
		last.Name = name
	}
	for _, a := range []ir.Attr{ir.I32Attr(-7), ir.IndexAttr(3), ir.BoolAttr(true), ir.BoolAttr(false),
		ir.FloatOf(1, ir.F32), ir.I32Attr(-7)} {
		b.ValA(arith.Constant, ir.AttrType(a), []ir.NamedAttr{ir.A("value", a)})
	}
	op := b.Op(def, nil, []ir.Type{ir.I1, ir.Int(2), ir.I8})
	op.Result(1).Name = "second"
	b.Op(def, op.Results(), nil)
	const want = `module {
  %x = "mine.op"() : () -> i32
  %x_0 = "mine.op"(%x) : (i32) -> i32
  %0 = "mine.op"(%x_0) : (i32) -> i32
  %x_y = "mine.op"(%0) : (i32) -> i32
  %_3 = "mine.op"(%x_y) : (i32) -> i32
  %a-b.c$ = "mine.op"(%_3) : (i32) -> i32
  %C3A9 = "mine.op"(%a-b.c$) : (i32) -> i32
  %x_1 = "mine.op"(%C3A9) : (i32) -> i32
  %1 = "mine.op"(%x_1) : (i32) -> i32
  %c-7_i32 = arith.constant -7 : i32
  %c3 = arith.constant 3 : index
  %true = arith.constant true
  %false = arith.constant false
  %cst = arith.constant 1.000000e+00 : f32
  %c-7_i32_2 = arith.constant -7 : i32
  %2, %second:2 = "mine.op"() : () -> (i1, i2, i8)
  "mine.op"(%2, %second#0, %second#1) : (i1, i2, i8) -> ()
}
`
	txtest.Equal(t, "names", want, text(m, ir.PrintOptions{}))
	checkForm(t, m, ir.PrintOptions{})
	checkForm(t, m, ir.PrintOptions{Generic: true})
}

// TestInnerOp: an operation inside a function prints on its own, under the names it has there and without
// aliases.
func TestInnerOp(t *testing.T) {
	m := parse(t, "in", `
#map = affine_map<(d0) -> (d0 + 1)>
func.func @f(%a: i32) {
  %0 = arith.addi %a, %a : i32
  %x = arith.muli %0, %a : i32
  scf.execute_region {
    %y = "mine.op"(%x) {map = #map} : (i32) -> i32
    scf.yield
  }
  return
}`)
	var got []string
	for op := range m.Ops() {
		if op.Name() == "arith.muli" || op.Name() == "mine.op" || op.Name() == "func.return" {
			got = append(got, op.String())
		}
	}
	txtest.Equal(t, "ops", `%x = arith.muli %0, %a : i32
%y = "mine.op"(%x) {map = affine_map<(d0) -> (d0 + 1)>} : (i32) -> i32
return
`, strings.Join(got, "\n")+"\n")
}

func TestTextLocs(t *testing.T) {
	src := "module {\n  \"mine.op\"() : () -> ()\n  \"mine.op\"() : () -> () loc(unknown)\n}\n"
	m, err := ir.ParseWith(diag.NewFileSet(), "in.mlir", []byte(src), ir.ParseOptions{TextLocs: true})
	if err != nil {
		t.Fatal(err)
	}
	txtest.Equal(t, "locations", `module {
  "mine.op"() : () -> () loc(#loc1)
  "mine.op"() : () -> () loc(#loc2)
} loc(#loc)
#loc = loc("in.mlir":1:1)
#loc1 = loc("in.mlir":2:3)
#loc2 = loc(unknown)
`, text(m, ir.PrintOptions{Locs: true}))
}

// TestAliasBomb: a short text that stands for an enormous one is refused, quickly.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("#a0 = [1, 2]\n")
	for i := range 60 {
		fmt.Fprintf(&b, "#a%d = [#a%d, #a%d]\n", i+1, i, i)
	}
	b.WriteString("\"mine.op\"() {a = #a60} : () -> ()\n")
	_, err := ir.Parse(diag.NewFileSet(), "bomb", []byte(b.String()))
	if err == nil || !strings.Contains(err.Error(), "stands for too much") {
		t.Errorf("got %v", err)
	}
	b.Reset()
	b.WriteString("#a = [" + strings.Repeat("1, ", 30000) + "1]\n\"mine.op\"() {")
	for i := range 5000 {
		fmt.Fprintf(&b, "a%d = #a, ", i)
	}
	b.WriteString("z} : () -> ()\n")
	_, err = ir.Parse(diag.NewFileSet(), "bomb", []byte(b.String()))
	if err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("got %.200v", err)
	}
}

// TestWrapped: text without a module is in one, also when there are two.
func TestWrapped(t *testing.T) {
	for src, want := range map[string]int{
		"":                                   0,
		"module {\n}\n":                      0,
		"module {} module {}":                2,
		`"mine.op"() : () -> ()`:             1,
		`"builtin.module"() ({}) : () -> ()`: 0,
		"// only a comment":                  0,
		"\"mine.a\"() : () -> ()\n#x = 1\n\"mine.b\"() {x = #x, y = !t} : () -> ()\n!t = i32": 2,
	} {
		m := parse(t, "in", src)
		n := 0
		for range m.Block().Ops() {
			n++
		}
		if n != want || m.Def != ir.ModuleOp {
			t.Errorf("%q: %d operations in %s, want %d", src, n, m.Name(), want)
		}
	}
}

func TestParseTypeAndAttr(t *testing.T) {
	for _, s := range []string{"i32", "tensor<4x?x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = " +
		"#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = " +
		"[1, 0]}>}>>",
		"() -> ()", "vector<4x[8]xf8E4M3FN>", "!unknown.type<a[b]>",
		"memref<?xf32, strided<[?], offset: ?>, 3>"} {
		typ, err := ir.ParseType(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		txtest.Equal(t, "type", s, typ.String())
		if again, _ := ir.ParseType(s); again != typ {
			t.Errorf("%s is not the same type twice", s)
		}
	}
	for _, s := range []string{"1 : i32", "true", "[1, 2]", "{a, b = 1 : i64}",
		"dense<[1, 2]> : tensor<2xi32>", "@a::@b", "loc(unknown)", "array<i32: 1>"} {
		a, err := ir.ParseAttr(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		txtest.Equal(t, "attribute", s, a.String())
	}
	for _, s := range []string{"", "i32 i32", "tensor<", "%0"} {
		if _, err := ir.ParseType(s); err == nil {
			t.Errorf("type %q: no error", s)
		}
		if _, err := ir.ParseAttr(s); err == nil && s != "i32 i32" {
			t.Errorf("attribute %q: no error", s)
		}
	}
}
