package ir_test

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// formats is a dialect whose ops use every directive of the assembly notation.
var formats = ir.NewDialect("fmt", "Ops to test formats with.")

var (
	fmtBox = formats.NewType(ir.TypeDef{
		Name: "box",
		Parse: func(p *ir.Parser) (ir.Type, bool) {
			if !p.Literal("<") {
				return nil, false
			}
			t, ok := p.Type()
			if !ok || !p.Literal(">") {
				return nil, false
			}
			return box(t), true
		},
		Print: func(p *ir.Printer, t *ir.DialectType) {
			p.Text("<")
			p.Type(t.Params[0].(ir.Type))
			p.Text(">")
		},
	})
	fmtFlag = formats.NewAttr(ir.AttrTypeDef{
		Name: "flag",
		Parse: func(p *ir.Parser) (ir.Attr, bool) {
			if !p.Literal("<") {
				return nil, false
			}
			w, ok := p.Keyword()
			if !ok || !p.Literal(">") {
				return nil, false
			}
			return flag(w), true
		},
		Print: func(p *ir.Printer, a *ir.DialectAttr) { p.Textf("<%s>", a.Params[0]) },
	})
	color = &ir.Enum{Name: "color", Cases: []ir.EnumCase{{Word: "red", Value: 1},
		{Word: "dark blue", Value: 2}}}
)

// Not methods of the defs above, which the functions in them may not mention.
func box(t ir.Type) ir.Type    { return ir.LookupType("fmt.box").Get(t) }
func flag(word string) ir.Attr { return ir.LookupAttr("fmt.flag").Get(word) }

var _ = ir.CustomDirective("Maybe", ir.Directive{
	Parse: func(p *ir.Parser, s *ir.State, args []*ir.FormatArg) bool {
		if !p.Try("maybe") {
			return true
		}
		o, ok := p.Operand()
		args[0].Operands = []ir.Operand{o}
		if len(args) > 1 {
			args[1].Types = args[2].Types
		}
		return ok
	},
	Print: func(p *ir.Printer, op *ir.Op, args []*ir.FormatArg) {
		if len(args[0].Values) > 0 {
			p.Text("maybe ")
			p.Values(args[0].Values)
		}
	},
})

func op(def ir.OpDef) { def.Doc = "A test."; formats.Op(def) }

func init() {
	x := ir.Slots("x", ir.AnyType)
	opt := ir.Optional(ir.AnyType)
	many := ir.Variadic(ir.AnyType)
	op(ir.OpDef{Name: "types", Operands: x, Results: ir.Slots("r", ir.AnyType), Format: "$x attr-dict `:` " +
		"type($x) `->` type($r)"})
	op(ir.OpDef{Name: "function", Operands: ir.Slots("xs", many), Results: ir.Slots("rs", many),
		Format: "`(` $xs `)` attr-dict `:` functional-type($xs, $rs)"})
	op(ir.OpDef{Name: "all", Operands: ir.Slots("a", ir.AnyType, "b", ir.AnyType), Results: ir.Slots("r",
		ir.AnyType), Format: "operands attr-dict `:` functional-type(operands, results)"})
	op(ir.OpDef{Name: "listed", Operands: ir.Slots("xs", many), Format: "operands attr-dict `:` " +
		"type(operands)"})
	op(ir.OpDef{Name: "group", Traits: ir.SegmentedOperands,
		Operands: ir.Slots("x", ir.AnyType, "mask", ir.Optional(ir.Bool), "other", opt),
		Format:   "$x (`,` $mask^)? (`else` $other^ `:` type($other))? attr-dict `:` type($x)"})
	op(ir.OpDef{Name: "either", Operands: ir.Slots("x", opt), Attrs: ir.Attrs("n", ir.OptAttr(ir.AnyI32)),
		Format: "(`dyn` $x^ `:` type($x)) : (`static` $n)? attr-dict"})
	op(ir.OpDef{Name: "unit", Attrs: ir.Attrs("fast", ir.OptAttr(ir.AnyUnit), "slow", ir.OptAttr(ir.AnyUnit)),
		Format: "(`fast` $fast^)? (`quick`) : (`slow` $slow^ `,`)? attr-dict"})
	op(ir.OpDef{Name: "oilist", Attrs: ir.Attrs("a", ir.OptAttr(ir.AnyI32), "b",
		ir.DefAttr(ir.AnyI64, ir.I64Attr(7)), "c", ir.OptAttr(ir.AnyUnit)),
		Format: "oilist(`a` `=` $a | `b` `(` $b `)` | `c` $c) attr-dict"})
	op(ir.OpDef{Name: "enum", Attrs: ir.Attrs("color", ir.EnumAttr(color, ir.I32), "flag",
		&ir.AttrKind{Desc: "flag", Def: fmtFlag}),
		Format: "$color `,` $flag attr-dict"})
	op(ir.OpDef{Name: "qualified", Operands: ir.Slots("x", ir.Of(fmtBox)),
		Attrs:  ir.Attrs("flag", &ir.AttrKind{Desc: "flag", Def: fmtFlag}),
		Format: "$x qualified($flag) attr-dict `:` qualified(type($x))"})
	op(ir.OpDef{Name: "stripped", Operands: ir.Slots("x", ir.Of(fmtBox)),
		Format: "$x attr-dict `:` type($x)"})
	op(ir.OpDef{Name: "arrays", Attrs: ir.Attrs("order", ir.I32s, "on", ir.OptAttr(ir.Bools), "name",
		ir.SymbolName, "ref", ir.AnySymbol, "text", ir.AnyString),
		Format: "$name `,` $ref $order (`on` $on^)? $text `:` attr-dict"})
	op(ir.OpDef{Name: "props", Attrs: ir.Attrs("a", ir.AnyI32, "b", ir.DefAttr(ir.AnyI32, ir.I32Attr(1)), "c",
		ir.OptAttr(ir.AnyString)),
		Format: "$a prop-dict attr-dict"})
	op(ir.OpDef{Name: "keyword", Format: "attr-dict-with-keyword"})
	op(ir.OpDef{Name: "spaces", Operands: ir.Slots("x", ir.AnyType, "y", ir.AnyType),
		Traits: ir.SameTypeOperands, Format: "`<` $x `>` `` `[` $y `]` ` ` `a` `->` `b` `,` `c` `:` " +
			"type($x) attr-dict"})
	op(ir.OpDef{Name: "same", Traits: ir.SameOperandsAndResultType,
		Operands: ir.Slots("x", ir.AnyType, "y", ir.AnyType), Results: ir.Slots("r", ir.AnyType),
		Format: "$x `,` $y attr-dict `:` type($r)"})
	op(ir.OpDef{Name: "rule", Operands: ir.Slots("x", ir.AnyType), Results: ir.Slots("r", ir.AnyType),
		Types: []ir.TypeRule{{From: "r", To: "x", Fn: box}}, Format: "$x attr-dict `:` type($r)"})
	op(ir.OpDef{Name: "value", Attrs: ir.Attrs("v", ir.AnyAttr), Results: ir.Slots("r", ir.AnyType),
		Types: []ir.TypeRule{{From: "v", To: "r"}}, Format: "$v attr-dict"})
	op(ir.OpDef{Name: "region", Regions: []string{"a", "b"}, Format: "$a (`else` $b^)? attr-dict"})
	op(ir.OpDef{Name: "regions", Regions: []string{"rest..."}, Format: "(`of` $rest^)? attr-dict"})
	op(ir.OpDef{Name: "branch", Traits: ir.Terminator, Operands: ir.Slots("xs", many),
		Successors: []string{"dest"}, Format: "$dest (`(` $xs^ `:` type($xs) `)`)? attr-dict"})
	op(ir.OpDef{Name: "jump", Traits: ir.Terminator, Successors: []string{"dests..."},
		Format: "`to` $dests attr-dict"})
	op(ir.OpDef{Name: "custom", Traits: ir.SegmentedOperands, Operands: ir.Slots("x", ir.AnyType, "y", opt),
		Format: "$x `:` type($x) custom<Maybe>($y, type($y), ref(type($x))) attr-dict"})
	op(ir.OpDef{Name: "results", Traits: ir.SegmentedResults, Results: ir.Slots("a", many, "b", many),
		Format: "attr-dict (type($a)^)? (`and` type($b)^)?"})
}

// Each line reads and prints as it stands; after "=>" comes what it prints as where that differs, after
// "==" its generic form.
const formatLines = `
%0 = fmt.types %arg0 : i32 -> f32
%0 = fmt.types %arg0 {a = 1 : i32} : i32 -> f32
fmt.function() : () -> ()
%0:2 = fmt.function(%arg0, %arg1) : (i32, i1) -> (f32, f64)
%0 = fmt.all %arg0, %arg1 : (i32, i1) -> f32
fmt.listed %arg0, %arg1 : i32, i1
fmt.listed :
fmt.group %arg0 : i32 == "fmt.group"(%arg0) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
fmt.group %arg0, %arg1 : i32
fmt.group %arg0 else %arg1 : i1 : i32
fmt.group %arg0, %arg1 else %arg0 : i32 {a} : i32 == \
    "fmt.group"(%arg0, %arg1, %arg0) <{operandSegmentSizes = array<i32: 1, 1, 1>}> {a} : (i32, i1, i32) -> ()
fmt.either dyn %arg0 : i32
fmt.either static 3
fmt.unit quick
fmt.unit fast quick
fmt.unit slow, {a}
fmt.oilist
fmt.oilist a = 3
fmt.oilist b(8) a = 1 => fmt.oilist a = 1 b(8)
fmt.oilist b(7) => fmt.oilist
fmt.oilist c
fmt.oilist c {b = 7} => fmt.oilist c
fmt.enum red, <on>
fmt.enum "dark blue", <off> == "fmt.enum"() <{color = 2 : i32, flag = #fmt.flag<off>}> : () -> ()
fmt.enum red, #fmt.flag<on> => fmt.enum red, <on>
fmt.qualified %arg2 #fmt.flag<on> : !fmt.box<i8>
fmt.stripped %arg2 : <i8>
fmt.stripped %arg2 : !fmt.box<i8> => fmt.stripped %arg2 : <i8>
fmt.arrays @a, @b [] "t" :
fmt.arrays @"a b", @b::@c [1, 0] on [true, false] "t" : == \
    "fmt.arrays"() <{name = "a b", on = array<i1: true, false>, \
    order = array<i32: 1, 0>, ref = @b::@c, text = "t"}> : () -> ()
fmt.props 1
fmt.props 1 <{b = 2 : i32, c = "x"}> {d}
fmt.props 1 <{b = 1 : i32}> => fmt.props 1
fmt.props 1 {c = "x"} => fmt.props 1 <{c = "x"}>
fmt.keyword attributes {a = 1 : i32}
fmt.keyword
fmt.spaces<%arg0>[%arg0] a -> b, c : i32
%0 = fmt.same %arg0, %arg0 : i32
%0 = fmt.rule %arg2 : i8
%0 = fmt.value 5 : i32
%0 = fmt.value dense<1> : tensor<4xi32>
%0 = fmt.value i32
%0 = fmt.custom_none => error
fmt.custom %arg0 : i32 maybe %arg0
fmt.custom %arg0 : i32  {a}
%a:2, %b = fmt.results i32, i32 and i1 == \
    %a:2, %b = "fmt.results"() <{resultSegmentSizes = array<i32: 2, 1>}> : () -> (i32, i32, i1)
%b = fmt.results and i1
fmt.results
`

func TestFormats(t *testing.T) {
	wrap := func(line string) string {
		return "\"mine.region\"() ({\n^bb0(%arg0: i32, %arg1: i1, %arg2: !fmt.box<i8>):\n  " + line +
			"\n}) : () -> ()\n"
	}
	show := func(m *ir.Module, opts ir.PrintOptions) string {
		lines := strings.Split(text(m, opts), "\n")
		return strings.TrimSpace(lines[3])
	}
	for line := range strings.Lines(strings.ReplaceAll(strings.TrimSpace(formatLines), "\\\n    ", "")) {
		in, generic, _ := strings.Cut(strings.TrimSpace(line), " == ")
		in, want, differs := strings.Cut(in, " => ")
		if !differs {
			want = in
		}
		m, err := ir.Parse(diag.NewFileSet(), "in", []byte(wrap(in)))
		if want == "error" {
			if err == nil {
				t.Errorf("%s: no error", in)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		txtest.Equal(t, in, want, strings.TrimSpace(show(m, ir.PrintOptions{})))
		asGeneric := show(m, ir.PrintOptions{Generic: true})
		if generic != "" {
			txtest.Equal(t, in, generic, asGeneric)
		}
		again, err := ir.Parse(diag.NewFileSet(), "again", []byte(wrap(asGeneric)))
		if err != nil {
			t.Errorf("%s: %v", asGeneric, err)
			continue
		}
		txtest.Equal(t, asGeneric, want, strings.TrimSpace(show(again, ir.PrintOptions{})))
	}
}

// TestFormatRegions is about ops whose text has several lines.
func TestFormatRegions(t *testing.T) {
	const src = `module {
  "mine.region"() ({
    fmt.region {
      fmt.keyword
    }
    fmt.region {
    } else {
    ^bb0(%arg0: i32):
      "mine.use"(%arg0) : (i32) -> ()
    } {a}
    fmt.regions
    fmt.regions of {
    }, {
      fmt.keyword
    }
    fmt.branch ^bb1
  ^bb1:  // 2 preds: ^bb0, ^bb2
    %0 = "mine.def"() : () -> i32
    fmt.branch ^bb2(%0 : i32)
  ^bb2(%1: i32):  // pred: ^bb1
    fmt.jump to ^bb1, ^bb3
  ^bb3:  // pred: ^bb2
    fmt.jump to
  }) : () -> ()
}
`
	m := parse(t, "in", src)
	txtest.Equal(t, "print", src, text(m, ir.PrintOptions{}))
	checkForm(t, m, ir.PrintOptions{Generic: true})
}

func TestBadFormatPanics(t *testing.T) {
	bad := ir.NewDialect("badfmt", "Mistakes.")
	for name, format := range map[string]string{
		"variable": "$nothing", "directive": "kind($x)", "literal": "`open", "anchor": "(`a` $x)?",
		"rest": "$x )", "oilist": "oilist($x)",
	} {
		t.Run(name, func(t *testing.T) {
			def := bad.Op(ir.OpDef{Name: name, Doc: "Wrong.", Operands: ir.Slots("x", ir.AnyType),
				Format: format})
			defer func() {
				if recover() == nil {
					t.Errorf("%q compiles", format)
				}
			}()
			ir.Parse(diag.NewFileSet(), "in", []byte(def.FullName()+" %x : i32"))
		})
	}
}
