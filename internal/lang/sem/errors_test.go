package sem

import (
	"errors"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// errorNames are the names that the expressions below use.
func errorNames(f *testFunc) map[string]object.Value {
	return map[string]object.Value{
		"f32": f.param(Block(Float32, 16)), "f16": f.param(Block(Float16, 16)),
		"i32": f.param(Block(Int32, 16)), "u32": f.param(Block(Uint32, 16)), "b8": f.param(Block(Int1, 8)),
		"m": f.param(Block(Int1, 16)), "n": f.param(Int32), "n64": f.param(Int64), "s": f.param(Float32),
		"p": f.param(Ptr(Float32)), "pp": f.param(Block(Ptr(Float32), 16)),
		"q": f.param(PtrIn(Float32, 1, true)), "pi": f.param(Ptr(Int32)),
		"bp": f.param(Ptr(Block(Float32, 16, 16))), "bi": f.param(Ptr(Block(Int32, 16))),
		"w": f.param(Block(Float32, 16, 32)), "h": f.param(Block(Float16, 16, 32)), "e5b16": Float8E5B16,
	}
}

var errorCases = []struct{ expr, code, msg, hint string }{
	{"f32 + pp", CodeType, "invalid operands of type pointer<fp32> and fp32", ""},
	{"pp + pp", CodeType, "two pointers cannot be added: pointer<fp32>[16] and pointer<fp32>[16]", ""},
	{"i32 - pp", CodeType, "invalid operands", ""},
	{"i32 // u32", CodeType, "/, // and % need operands of the same signedness, not int32 and uint32",
		"cast one"},
	{"u32 + -1", CodeValue, "the negative constant -1 cannot be an operand beside uint32", "cast"},
	{"i32.to(tl.int8) + 300", CodeValue, "int8 cannot hold the constant 300", ""},
	{"f32 & 1", CodeType, "bit operations need integers, not fp32", ""},
	{"f32 // 2", CodeType, "// is not defined for fp32", ""},
	{"f32 ** 2", CodeType, "operator ** is not defined for tensors", "libdevice.pow"},
	{"w @ w", CodeType, "operator @", "tl.dot"},
	{"f32 + None", CodeType, "cannot convert None to a tensor", ""},
	{"f32 + 'a'", CodeType, `cannot convert the string "a" to a tensor`, ""},
	{"n + 18446744073709551616", CodeValue, "the integer 18446744073709551616 fits no type: it has more " +
		"than 64 bits", ""},
	{"f32 + b8.to(tl.float32)", CodeShape, "shapes [16] and [8] do not go together: dimension 0 is 16 and 8",
		""},
	{"~f32", CodeType, "~ is not defined for fp32", ""},
	{"-pp", CodeType, "unary - is not defined for pointer<fp32>", ""},
	{"not n", CodeType, "cannot bitcast int32 to int1: they have 32 and 1 bits", ""},
	{"f32[0]", CodeType, "a tensor cannot be indexed by the int 0", "tl.gather"},
	{"f32[:, None, None, None][n]", CodeType,
		"a tensor cannot be indexed by a device value of type int32", ""},
	{"tl.arange(0, 100)", CodeShape, "power of 2, not 100", "mask"},
	{"tl.arange(0, n)", CodeConst, "the bounds of tl.arange must be known at compile time, but end is a " +
		"device value of type int32", ""},
	{"tl.arange(8, 8)", CodeValue, "tl.arange must end after its start: got 8 to 8", ""},
	{"tl.arange(0, 4294967296)", CodeValue, "makes int32, which cannot hold its bounds", ""},
	{"tl.full((3, ), 0, tl.int32)", CodeShape,
		"sizes of blocks are powers of 2, but dimension 0 has size 3", ""},
	{"tl.full((2048, 1024), 0, tl.int32)", CodeShape,
		"a block of shape [2048, 1024] has more than 1048576 elements", ""},
	{"tl.full((4, ), 1.5, tl.int32)", CodeType, "from the float 1.5", ""},
	{"tl.full((4, ), 1, tl.float8e5)", CodeType, "can only be zero", "cast"},
	{"tl.full((n, ), 1, tl.int32)", CodeConst, "element 0 of shape must be a compile-time integer", ""},
	{"f32.to(e5b16)", CodeTarget, "the target has no fp8e5b16; its fp8 types are fp8e4b15, fp8e4nv, fp8e5",
		""},
	{"f32.to(tl.int32, fp_downcast_rounding='rtz')", CodeValue,
		"for a cast to a narrower float, not from fp32 to int32", ""},
	{"f32.to(tl.float16, fp_downcast_rounding='up')", CodeValue, "unknown rounding \"up\"", ""},
	{"f32.to(tl.int16, bitcast=True)", CodeType,
		"cannot bitcast fp32 to int16: they have 32 and 16 bits", ""},
	{"f32.to(3)", CodeType, "argument dtype of to must be a dtype, not the int 3", ""},
	{"tl.program_id(3)", CodeValue, "a grid has axes 0, 1 and 2, but program_id is asked for axis 3", ""},
	{"tl.program_id(n)", CodeConst, "compile-time integer", ""},
	{"tl.load(n)", CodeType, "tl.load needs a pointer, not a value of type int32", ""},
	{"tl.load(pp, other=0)", CodeArgs, "no `mask`", ""},
	{"tl.load(pp, mask=i32)", CodeType, "a mask is made of bools, not of int32", ""},
	{"tl.load(p, mask=m)", CodeShape, "the mask is a block (int1[16]), but the pointer is a single one", ""},
	{"tl.load(pp, cache_modifier='.xx')", CodeValue, `there is no cache modifier ".xx"`, ".ca"},
	{"tl.load(pp, boundary_check=(0, ))", CodeArgs, "boundary_check", "make_block_ptr"},
	{"tl.load(bp, mask=m)", CodeArgs, "mask and other are for plain pointers, not for block pointers",
		"boundary_check"},
	{"tl.load(bi, padding_option='nan', boundary_check=(0, ))", CodeValue, "integers have no NaN", ""},
	{"tl.load(bp, boundary_check=(2, ))", CodeValue, "dimension 2", ""},
	{"tl.load(pp, mask=m, foo=1)", CodeArgs, "unexpected keyword argument 'foo'", "pointer, mask=None"},
	{"tl.store(pp)", CodeArgs, "missing its argument 'value'", ""},
	{"tl.store(q, 1.0)", CodeType, "cannot store through const pointer<fp32>", ""},
	{"tl.store(p, f32)", CodeShape, "the value is a block (fp32[16]), but the pointer is a single one", ""},
	{"tl.store(pp, f32[:, None])", CodeShape,
		"a pointer of shape [16] cannot store a value of shape [16, 16]", ""},
	{"tl.store(bp, w)", CodeShape,
		"a block pointer to fp32[16, 16] cannot store a value of type fp32[16, 32]", ""},
	{"tl.store(bp, h)", CodeShape,
		"a block pointer to fp32[16, 16] cannot store a value of type fp16[16, 32]", ""},
	{"bp + 1", CodeType, "invalid operands", "tl.advance"},
	{"tl.advance(pp, (1, ))", CodeType, "block pointer", ""},
	{"tl.advance(bp, (n64, 0))", CodeType, "offsets of a block pointer are int32, not int64", "to(tl.int32)"},
	{"tl.make_block_ptr(p, (n, ), (1, ), (0, 0), (16, ), (0, ))", CodeShape,
		"shape has 1, strides 1, offsets 2, block_shape 1, order 1", ""},
	{"tl.make_block_ptr(p, (n, ), (1, ), (0, ), (16, ), (1, ))", CodeValue, "order names each dimension", ""},
	{"tl.make_tensor_descriptor(p, [n], [n], [16])", CodeValue, "lie side by side", "constant 1"},
	{"tl.make_tensor_descriptor(p, [n], [1], [2])", CodeShape, "16 bytes or more", ""},
	{"tl.atomic_add(pp, 1.0, sem='seq_cst')", CodeValue, `there is no memory semantic "seq_cst"`, "acq_rel"},
	{"tl.atomic_max(p.to(tl.pointer_type(tl.float16)), 1.0)", CodeType,
		"atomic_max does not support fp16", ""},
	{"tl.atomic_cas(pi, 0, 1.0)", CodeType, "takes values of type int32", "cast"},
	{"tl.dot(w, w)", CodeShape, "the inner dimensions of a product must be equal: [16, 32] and [16, 32] " +
		"have 32 and 16", ""},
	{"tl.dot(f32, f32)", CodeShape, "a product takes two matrices, or two batches of them, not shapes " +
		"[16] and [16]", ""},
	{"tl.dot(w, h.T)", CodeType, "the operands of a product have different types, fp32 and fp16", "cast"},
	{"tl.dot(h, h.T, out_dtype=tl.bfloat16)", CodeType, "a product cannot be summed in bfloat16", "float32"},
	{"tl.dot(w, w.T, input_precision='fp64')", CodeValue, "input_precision is fp64, but this target has", ""},
	{"tl.dot(w, w.T, input_precision='ieee', allow_tf32=True)", CodeArgs,
		"input_precision and allow_tf32 say the same", ""},
	{"tl.dot(w.reshape(64, 8), w.reshape(8, 64))", CodeShape,
		"the inner dimension of a product of fp32 and fp32 must be at least 16, not 8", ""},
	{"tl.reshape(w, 16, 16)", CodeShape, "a reshape keeps the number of elements: [16, 32] has 512, [16, " +
		"16] has 256", ""},
	{"tl.trans(f32)", CodeShape, "swaps the last two dimensions", ""},
	{"tl.permute(w, 0, 0)", CodeValue, "is no permutation", ""},
	{"tl.expand_dims(f32, 3)", CodeValue, "there is no axis 3: it must be between -2 and 1", ""},
	{"tl.broadcast_to(f32, 8)", CodeShape, "a block of shape [16] cannot be broadcast to [8]: dimension 0 " +
		"is 16, and only 1 becomes 8", ""},
	{"tl.cat(f32, f32)", CodeValue, "keeps no order", "can_reorder=True"},
	{"tl.split(f32)", CodeShape, "last dimension has size 2", ""},
	{"tl.exp(f16)", CodeType, "tl.exp takes (fp32, fp64), not fp16", "float32"},
	{"tl.exp(i32)", CodeType, "tl.exp takes (fp32, fp64), not int32", ""},
	{"tl.clamp(i32, 0, 1)", CodeType, "takes floats, not int32", ""},
	{"tl.reduce(w, 2, fn)", CodeValue, "there is no axis 2: it must be between -2 and 1", ""},
	{"tl.reduce(n, 0, fn)", CodeType, "reduce takes blocks, not a device value of type int32", ""},
	{"tl.histogram(f32, 16)", CodeType, "1D integer", ""},
	{"tl.gather(w, i32, 0)", CodeShape, "as many dimensions for src as for index", ""},
	{"tl.multiple_of(w, 16)", CodeShape, "takes a value for each dimension", ""},
	{"tl.device_print(n)", CodeConst, "must be a string", ""},
	{"tl.assume(m)", CodeType, "scalar bool", ""},
	{"libdevice.pow(f16, f16)", CodeType, "no variant takes arguments of types (fp16, fp16)", "cast"},
	{"tl.pointer_type(3)", CodeType, "must be a dtype", ""},
	{"tl.dtype('int7')", CodeValue, `no dtype "int7"`, ""},
	{"f32.handle", CodeAttribute, "no part of the language", ""},
	{"f32.T", CodeShape, "the order [1, 0] does not permute the dimensions of a block of shape [16]", ""},
	{"tl.sum(f32)", CodeType, "tl.sum cannot be called here", ""},
}

func TestErrors(t *testing.T) {
	for _, c := range errorCases {
		f := newTestFunc(DefaultOptions("cuda", "90"))
		w := &walker{testFunc: f, names: errorNames(f)}
		w.gen = w
		err := w.try(c.expr)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v", c.expr, err)
			continue
		}
		if e.Code != c.code || !strings.Contains(e.Msg, c.msg) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: [%s] %s (%s), want [%s] %s (%s)", c.expr, e.Code, e.Msg, e.Hint, c.code,
				c.msg, c.hint)
		}
		if strings.HasSuffix(e.Msg, ".") || e.Msg != "" && e.Msg[0] >= 'A' && e.Msg[0] <= 'Z' {
			t.Errorf("%s: message %q begins with a capital or ends with a full stop", c.expr, e.Msg)
		}
	}
}

// try evaluates an expression and returns its error.
func (w *walker) try(expr string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	x, err := python.ParseExpr(diag.NewFileSet(), "expr", []byte(expr))
	if err != nil {
		return err
	}
	w.eval(x)
	return nil
}

// TestGeneratorErrors makes sure that an error of the code generator comes through, and the insertion point
// is restored.
func TestGeneratorErrors(t *testing.T) {
	f := newTestFunc(DefaultOptions("cuda", "90"))
	want := errors.New("broken")
	at := f.b.Point()
	_, err := In(triton.Default).Lookup("", "reduce").Invoke(f.b, failing{want},
		[]object.Value{f.param(Block(Float32, 16)), object.MakeInt(0), jitName("fn")}, nil, false)
	if err != want {
		t.Errorf("got %v", err)
	}
	if f.b.Point() != at {
		t.Error("the insertion point moved")
	}
}

type failing struct{ err error }

func (g failing) CallFunction(object.Value, []object.Value) (object.Value, error) { return nil, g.err }

// TestWarnings are told through the options.
func TestWarnings(t *testing.T) {
	for expr, want := range map[string]string{
		"i32 << 40":               "a shift by 40 leaves no bit of int32, which has 32 bits",
		"tl.where(i32, f32, f32)": "the condition of tl.where is int32",
		"tl.view(w, 32, 16)":      "view is an old name",
		"max(f32, f32)":           "write tl.maximum for blocks",
	} {
		o := DefaultOptions("cuda", "90")
		var got []string
		o.Warn = func(msg string) { got = append(got, msg) }
		f := newTestFunc(o)
		w := &walker{testFunc: f, names: errorNames(f)}
		if err := w.try(expr); err != nil || len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%s: %v, warnings %q, want %q", expr, err, got, want)
		}
	}
}

// TestDebugAssertsOverflow compares with and without debug mode.
func TestDebugAssertsOverflow(t *testing.T) {
	for _, debug := range []bool{false, true} {
		o := DefaultOptions("cuda", "90")
		o.Debug = debug
		f := newTestFunc(o)
		x := f.param(Int32)
		if _, err := f.b.Binary(python.Add, x, x); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(f.text(),
			`tt.assert %8, "int32 overflow detected for operation add" : i1`); got != debug {
			t.Errorf("debug %v:\n%s", debug, f.text())
		}
		if err := f.b.DeviceAssert(x, "x"); (err != nil) != debug {
			t.Errorf("assert of an int32: %v", err)
		}
	}
	o := DefaultOptions("cuda", "90")
	o.SanitizeOverflow = false
	f := newTestFunc(o)
	x := f.param(Int32)
	if _, err := f.b.Binary(python.Add, x, x); err != nil || strings.Contains(f.text(), "extsi") {
		t.Errorf("%v\n%s", err, f.text())
	}
}
