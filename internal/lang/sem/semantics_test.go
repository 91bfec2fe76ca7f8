package sem

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// answers is what peer/semantics.py wrote; see there for groups and forms.
type answers struct {
	Types, Numbers, Few, Consts []string
	FewConsts                   []string `json:"few_consts"`
	Results                     []string
	Groups                      []struct{ Group, Cases string }
}

// answersOf returns Triton's answers of a release, from those of the release before it. Files of later
// releases have the differences alone; see semantics.py --since.
func answersOf(t *testing.T, v triton.Version, before answers) answers {
	t.Helper()
	if v == triton.Default {
		return txtest.JSON[answers](t, "testdata/semantics.json")
	}
	changes := txtest.JSON[answers](t, "testdata/semantics-"+v.String()+".json.gz")
	all := before
	all.Results, all.Groups = changes.Results, slices.Clone(before.Groups)
	for i, g := range changes.Groups {
		a, b := decode(t, before.Groups[i].Cases), decode(t, g.Cases)
		if g.Group != all.Groups[i].Group || len(a) != len(b) {
			t.Fatalf("%s: group %q does not fit that of the release before", v, g.Group)
		}
		for j := range a {
			a[j] ^= b[j]
		}
		all.Groups[i].Cases = base64.StdEncoding.EncodeToString(a)
	}
	return all
}

func decode(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTritonsAnswers compares types, errors and IR with Triton's for every combination that
// peer/semantics.py knows, under the rules of the default release and of another one at each commit.
func TestTritonsAnswers(t *testing.T) {
	var all answers
	chosen := txtest.Sample(t, len(triton.Releases)-1)
	for i, v := range triton.Releases {
		all = answersOf(t, v, all) // those of a release are what it changes in those before
		if v == triton.Default || chosen(i) {
			t.Run(v.String(), func(t *testing.T) { all.compare(t, v) })
		}
	}
}

func (all *answers) compare(t *testing.T, v triton.Version) {
	total := 0
	for _, g := range all.Groups {
		want := decode(t, g.Cases)
		t.Run(g.Group, func(t *testing.T) {
			cases := all.cases(g.Group)
			if len(cases)*3 != len(want) {
				t.Fatalf("%d cases for %d answers", len(cases), len(want)/3)
			}
			failed := 0
			for i, c := range cases {
				w := want[3*i : 3*i+3]
				if msg := compareCase(v, g.Group, c, all.Results[w[0]], w[1:]); msg != "" {
					if failed++; failed <= 3 {
						t.Errorf("peer/semantics.py --show %q %q: %s", g.Group, strings.Join(c, " "), msg)
					}
				}
			}
			if failed > 0 {
				t.Errorf("%d of %d cases differ", failed, len(cases))
			}
			total += len(cases)
		})
	}
	t.Logf("%d cases", total)
}

// parseGroup is the operation, the form, and the target as backend and architecture.
func parseGroup(group string) (op, form string, target [2]string) {
	words := append(strings.Fields(group), "cuda:90")
	target[0], target[1], _ = strings.Cut(words[2], ":")
	return words[0], words[1], target
}

// cases are all combinations of arguments of a group, in the script's order.
func (a *answers) cases(group string) [][]string {
	_, form, _ := parseGroup(group)
	arity := len(form) - strings.Count(form, "m") - strings.Count(form, "n")
	out := [][]string{nil}
	for _, letter := range form {
		var next [][]string
		for _, prefix := range out {
			for _, v := range a.domain(letter, arity) {
				next = append(next, append(slices.Clone(prefix), v))
			}
		}
		out = next
	}
	return out
}

func (a *answers) domain(letter rune, arity int) []string {
	types, consts := a.Types, a.Consts
	if arity == 3 {
		types, consts = a.Few, a.FewConsts
	}
	switch letter {
	case 'm', 'n':
		return []string{"int1"}
	case 'c':
		return consts
	case 'P', 'Q':
		return slices.DeleteFunc(slices.Clone(types), func(s string) bool {
			return !slices.Contains(a.Numbers, s)
		})
	}
	return types
}

// compareCase is what differs from Triton's answer, or "".
func compareCase(v triton.Version, group string, args []string, want string, hash []byte) string {
	op, form, target := parseGroup(group)
	opts := DefaultOptions(target[0], target[1])
	opts.Triton = v
	f := newTestFunc(opts)
	var vs []object.Value
	var err error
	for i, letter := range form {
		v := f.arg(letter, args[i])
		if x, ok := v.(*Tensor); ok && err == nil {
			_, err = f.b.IRType(x.Type)
		}
		vs = append(vs, v)
	}
	var got object.Value
	if err == nil {
		got, err = f.apply(op, vs)
	}
	f.b.Op(tt.Return, nil, nil)
	switch {
	case err != nil && want == "error":
		return ""
	case err != nil:
		return fmt.Sprintf("we say %q, Triton gives %s", err, want)
	case want == "error":
		return fmt.Sprintf("we give %s, Triton an error:\n%s", resultType(got), f.text())
	case resultType(got) != want:
		return fmt.Sprintf("we give %s, Triton %s", resultType(got), want)
	}
	if err := ir.Verify(f.module.Op); err != nil {
		return fmt.Sprintf("does not verify: %v\n%s", err, f.text())
	}
	if slices.Contains(args, "fp8e4b15") {
		return "" // converted without inline assembly here; see castE4B15
	}
	if sum := sha256.Sum256([]byte(f.text())); !bytes.Equal(sum[:2], hash) {
		return "IR differs; ours is\n" + f.text()
	}
	return ""
}

func resultType(v object.Value) string {
	switch v := v.(type) {
	case *Tensor:
		return v.Type.String()
	case object.NoneType:
		return "void"
	}
	return v.TypeName()
}

// testFunc is a function being built.
type testFunc struct {
	module *ir.Module
	fn     *ir.Op
	b      *Builder
	gen    Generator
}

func newTestFunc(o Options) *testFunc {
	m := ir.NewModule(ir.Unknown)
	s := funclike.State(tt.Func, "f", ir.Func(nil, nil), "public", false)
	s.Attrs = append(s.Attrs, ir.A("noinline", ir.BoolAttr(false)))
	fn := ir.NewOp(s)
	m.Block().Append(fn)
	return &testFunc{m, fn, New(ir.NewBuilder(fn.Body(0)), o), nil}
}

// param adds a parameter.
func (f *testFunc) param(t Type) *Tensor {
	v := f.fn.Body(0).AddArg(t.IR(), ir.Unknown)
	ins := append(slices.Clone(funclike.Type(f.fn).Ins), t.IR())
	funclike.SetType(f.fn, ir.Func(ins, nil))
	return &Tensor{v, t}
}

// arg is an argument of a case, by the letter of its form.
func (f *testFunc) arg(letter rune, text string) object.Value {
	switch letter {
	case 'c':
		return testConst(text)
	case 't':
		return testType(text)
	}
	t := testType(text)
	if letter == 'P' || letter == 'Q' {
		t = Ptr(t)
	}
	switch letter {
	case 'b', 'm', 'P':
		t = Block(t, 4)
	case 'x':
		t = Block(t, 16, 32)
	case 'y':
		t = Block(t, 32, 16)
	}
	return f.param(t)
}

func testType(name string) Type {
	if elem, ok := strings.CutPrefix(name, "*"); ok {
		return Ptr(testType(elem))
	}
	return DTypes[name]
}

func testConst(text string) object.Value {
	switch text {
	case "True":
		return object.Bool(true)
	case "nan":
		return object.Float(math.NaN())
	}
	if i, ok := new(big.Int).SetString(text, 10); ok {
		return object.BigInt(i)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return object.Float(v)
}

var valueName = regexp.MustCompile(`%[\w-]+`)

// text is the module's text.
func (f *testFunc) text() string { return strings.TrimSpace(anonymous(f.module.String())) + "\n" }

// anonymous is text with values numbered as they appear.
func anonymous(text string) string {
	names := map[string]string{}
	return valueName.ReplaceAllStringFunc(text, func(s string) string {
		if names[s] == "" {
			names[s] = "%" + strconv.Itoa(len(names))
		}
		return names[s]
	})
}

var testBinary = map[string]python.Operator{
	"+": python.Add, "-": python.Sub, "*": python.Mult, "/": python.Div, "//": python.FloorDiv,
	"%": python.Mod, "&": python.BitAnd, "|": python.BitOr, "^": python.BitXor, "<<": python.LShift,
	">>": python.RShift,
}

var testCompare = map[string]python.CmpOperator{
	"==": python.Eq, "!=": python.NotEq, "<": python.Lt, "<=": python.LtE, ">": python.Gt, ">=": python.GtE,
}

var testUnary = map[string]python.UnaryOperator{"neg": python.USub, "invert": python.Invert,
	"not": python.Not}

// apply does what Session.apply in the script does.
func (f *testFunc) apply(op string, args []object.Value) (object.Value, error) {
	name, option, _ := strings.Cut(op, ":")
	if o, ok := testBinary[name]; ok {
		return value(f.b.Binary(o, args[0], args[1]))
	}
	if o, ok := testCompare[name]; ok {
		return value(f.b.Compare(o, args[0], args[1]))
	}
	if o, ok := testUnary[name]; ok {
		return value(f.b.Unary(o, args[0]))
	}
	var kws []object.Keyword
	keyword := func(name string, v object.Value) { kws = append(kws, object.Keyword{Name: name, Value: v}) }
	switch name {
	case "method":
		return In(f.b.Opts.Triton).Method(args[0], option).Invoke(f.b, f.gen, args, nil, true)
	case "to":
		name = "cast"
		if option != "" {
			keyword("fp_downcast_rounding", object.Str(option))
		}
	case "bitcast":
		name = "cast"
		keyword("bitcast", object.Bool(true))
	case "full":
		args = append([]object.Value{object.NewTuple(object.MakeInt(4))}, args...)
	case "dot":
		if option != "" {
			keyword("out_dtype", DTypes[option])
		}
	case "cat":
		keyword("can_reorder", object.Bool(true))
	case "histogram":
		args = append(args, object.MakeInt(16))
	case "gather":
		args = append(args, object.MakeInt(0))
	}
	if option == "all" {
		keyword("propagate_nan", NanAll)
	}
	module := ""
	if rest, ok := strings.CutPrefix(name, "libdevice."); ok {
		module, name = InLibdevice, rest
	}
	return In(f.b.Opts.Triton).Lookup(module, name).Invoke(f.b, f.gen, args, kws, false)
}

// value makes a nil tensor a nil value.
func value(t *Tensor, err error) (object.Value, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}
