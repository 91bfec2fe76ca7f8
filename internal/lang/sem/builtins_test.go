package sem

import (
	"fmt"
	"math/big"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/rogpeppe/go-internal/txtar"
)

var (
	publicFunc = regexp.MustCompile(`(?ms)^  tt\.func public.*?^  }$`)
	callName   = regexp.MustCompile(`tt\.call @\w+\(`)
)

var kernelSig = regexp.MustCompile(`# sig: (.*)\n@triton.jit\ndef (\w+)`)

// TestBuiltinsLikeTriton builds the straight-line kernels of testdata/builtins.py and compares the IR with
// Triton's.
func TestBuiltinsLikeTriton(t *testing.T) {
	src, err := os.ReadFile("testdata/builtins.py")
	if err != nil {
		t.Fatal(err)
	}
	module, err := python.Parse(diag.NewFileSet(), "builtins.py", src)
	if err != nil {
		t.Fatal(err)
	}
	sigs := map[string]string{}
	for _, m := range kernelSig.FindAllSubmatch(src, -1) {
		sigs[string(m[2])] = string(m[1])
	}
	want, err := txtar.ParseFile("testdata/builtins.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Files) != len(sigs) {
		t.Errorf("%d kernels, %d answers", len(sigs), len(want.Files))
	}
	for _, f := range want.Files {
		t.Run(f.Name, func(t *testing.T) {
			got, err := buildKernel(module, f.Name, sigs[f.Name])
			if err != nil {
				t.Fatal(err)
			}
			txtest.Equal(t, f.Name, string(f.Data), got)
		})
	}
}

// buildKernel is the IR of one kernel of straight-line code.
func buildKernel(module *python.Module, name, sig string) (string, error) {
	for _, s := range module.Body {
		def, ok := s.(*python.FunctionDef)
		if !ok || def.Name != name {
			continue
		}
		w := &walker{testFunc: newTestFunc(DefaultOptions("cuda", "90")), names: map[string]object.Value{}}
		w.gen = w
		w.fn.SetAttr("sym_name", ir.Str(name))
		for i, typ := range strings.Split(sig, ", ") {
			w.names[def.Args.Args[i].Arg] = w.param(signatureType(typ))
		}
		for _, s := range def.Body {
			w.stmt(s)
		}
		w.b.Op(tt.Return, nil, nil)
		if err := ir.Verify(w.module.Op); err != nil {
			return "", err
		}
		text := publicFunc.FindString(callName.ReplaceAllString(w.module.String(), "tt.call @fn("))
		return anonymous(strings.TrimSpace(strings.ReplaceAll(text, "\n  ", "\n"))) + "\n", nil
	}
	return "", fmt.Errorf("no kernel %s", name)
}

var signatureTypes = map[string]Type{"i1": Int1, "i8": Int8, "i32": Int32, "i64": Int64, "u8": Uint8,
	"u32": Uint32, "u64": Uint64}

func signatureType(text string) Type {
	if elem, ok := strings.CutPrefix(text, "*"); ok {
		return Ptr(signatureType(elem))
	}
	if t := signatureTypes[text]; t != nil {
		return t
	}
	return DTypes[text]
}

// walker evaluates straight-line code: as much of the code generator as these tests need. It panics on
// errors.
type walker struct {
	*testFunc
	names map[string]object.Value
	calls int
}

// A name that is no value of the language by itself.
type (
	moduleName string // tl, or a module below it
	jitName    string // a function to be called
	bound      struct {
		fn   *Builtin
		self object.Value
	} // a method
)

func (moduleName) TypeName() string { return "module" }
func (jitName) TypeName() string    { return "JITFunction" }
func (bound) TypeName() string      { return "method" }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// CallFunction stands for a call of another jit function; each of these returns what it got as its first
// half.
func (w *walker) CallFunction(fn object.Value, args []object.Value) (object.Value, error) {
	n := len(args) / 2
	var operands []*ir.Value
	var types []ir.Type
	for i, a := range args {
		operands = append(operands, a.(*Tensor).V)
		if i < n {
			types = append(types, a.(*Tensor).V.Type)
		}
	}
	w.calls++
	name := fmt.Sprintf("fn%d", w.calls)
	var ins []ir.Type
	for _, v := range operands {
		ins = append(ins, v.Type)
	}
	w.module.Block().Append(ir.NewOp(funclike.State(tt.Func, name, ir.Func(ins, types), "private", true)))
	op := w.b.Op(tt.Call, operands, types, ir.A("callee", ir.SymbolRef(name)))
	var out []object.Value
	for i := range types {
		out = append(out, &Tensor{op.Result(i), args[i].(*Tensor).Type})
	}
	if n == 1 {
		return out[0], nil
	}
	return object.NewTuple(out...), nil
}

func (w *walker) stmt(s python.Stmt) {
	switch s := s.(type) {
	case *python.ExprStmt:
		w.eval(s.Value)
	case *python.Assign:
		w.assign(s.Targets[0], w.eval(s.Value))
	case *python.Assert:
		if err := w.b.DeviceAssert(w.eval(s.Test), ""); err != nil {
			panic(err)
		}
	default:
		panic(fmt.Sprintf("%T", s))
	}
}

func (w *walker) assign(target python.Expr, v object.Value) {
	switch target := target.(type) {
	case *python.Name:
		if isNumber(v) {
			v = must(w.b.ToTensor(v))
		}
		w.names[target.ID] = v
	case *python.Tuple:
		for i, t := range target.Elts {
			w.assign(t, v.(*object.Tuple).Items[i])
		}
	}
}

func (w *walker) eval(x python.Expr) object.Value {
	switch x := x.(type) {
	case *python.Constant:
		return constantValue(x.Value)
	case *python.Name:
		return w.name(x.ID)
	case *python.Tuple:
		return object.NewTuple(w.evalAll(x.Elts)...)
	case *python.List:
		return object.NewTuple(w.evalAll(x.Elts)...)
	case *python.Slice:
		return &object.Slice{}
	case *python.Attribute:
		return w.attr(w.eval(x.Value), x.Attr)
	case *python.Call:
		return w.call(x)
	case *python.Subscript:
		return w.subscript(w.eval(x.Value), w.eval(x.Slice))
	case *python.BinOp:
		return w.binary(x.Op, w.eval(x.Left), w.eval(x.Right))
	case *python.Compare:
		return must(w.b.Compare(x.Ops[0], w.eval(x.Left), w.eval(x.Comparators[0])))
	case *python.UnaryOp:
		return w.unary(x.Op, w.eval(x.Operand))
	}
	panic(fmt.Sprintf("%T", x))
}

func (w *walker) evalAll(xs []python.Expr) []object.Value {
	var out []object.Value
	for _, x := range xs {
		out = append(out, w.eval(x))
	}
	return out
}

func constantValue(v any) object.Value {
	switch v := v.(type) {
	case nil:
		return object.None
	case bool:
		return object.Bool(v)
	case *big.Int:
		return object.BigInt(v)
	case float64:
		return object.Float(v)
	case string:
		return object.Str(v)
	}
	panic(fmt.Sprintf("%T", v))
}

func (w *walker) name(id string) object.Value {
	if v := w.names[id]; v != nil {
		return v
	}
	switch id {
	case "tl":
		return moduleName("")
	case "core":
		return moduleName(InCore)
	case "libdevice":
		return moduleName(InLibdevice)
	case "cuda":
		return moduleName(InCUDA)
	case "min", "max":
		return In(triton.Default).Lookup(InCore, "builtin_"+id)
	case "print":
		return In(triton.Default).Lookup("", "device_print")
	}
	return jitName(id)
}

func (w *walker) attr(v object.Value, name string) object.Value {
	switch v := v.(type) {
	case moduleName:
		bi := In(triton.Default).Lookup(string(v), name)
		switch {
		case bi == nil:
			panic(string(v) + "." + name)
		case bi.State == Constant:
			return bi.Value
		case bi.State == Module:
			return moduleName(name)
		}
		return bi
	case Type:
		a, ok := DTypeAttr(v, name)
		if !ok {
			panic(name)
		}
		return a
	case propagateNanClass:
		a, _, _ := v.Attr(nil, name)
		return a
	}
	if a, ok, err := w.b.Attr(v, name); err != nil {
		panic(err)
	} else if ok {
		return a
	}
	fn := In(triton.Default).Method(v, name)
	if fn == nil {
		panic(v.TypeName() + "." + name)
	}
	return bound{fn, v}
}

func (w *walker) call(x *python.Call) object.Value {
	fn := w.eval(x.Func)
	var kws []object.Keyword
	for _, k := range x.Keywords { // before the others, as Triton does
		kws = append(kws, object.Keyword{Name: k.Arg, Value: w.eval(k.Value)})
	}
	args := w.evalAll(x.Args)
	switch fn := fn.(type) {
	case *Builtin:
		return must(fn.Invoke(w.b, w, args, kws, false))
	case bound:
		return must(fn.fn.Invoke(w.b, w, append([]object.Value{fn.self}, args...), kws, true))
	case *object.Builtin:
		return must(fn.Fn(nil, args, kws))
	}
	panic(fmt.Sprintf("%T", fn))
}

func (w *walker) subscript(v, index object.Value) object.Value {
	if t, ok := v.(*object.Tuple); ok {
		i, _ := smallInt(index)
		return t.Items[i]
	}
	return must(w.b.IndexSlice(v.(*Tensor), index))
}

// binary folds the few operators on numbers that the kernels have.
func (w *walker) binary(op python.Operator, l, r object.Value) object.Value {
	a, lok := smallInt(l)
	b, rok := smallInt(r)
	if lok && rok && op == python.Mult {
		return object.MakeInt(a * b)
	}
	return must(w.b.Binary(op, l, r))
}

func (w *walker) unary(op python.UnaryOperator, v object.Value) object.Value {
	switch n := v.(type) {
	case object.Int:
		return object.BigInt(new(big.Int).Neg(n.Big()))
	case object.Float:
		return -n
	}
	return must(w.b.Unary(op, v))
}
