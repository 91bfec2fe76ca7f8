package sem

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
)

// change is a group of rows that only some versions have. A row stands in the place of that of its name in
// the tables of names.go, and of earlier groups.
type change struct {
	in   func(triton.Version) bool
	rows []row
}

func since(v triton.Version) func(triton.Version) bool { return triton.Span{Since: v}.Contains }

func with(f triton.Feature) func(triton.Version) bool {
	return func(v triton.Version) bool { return v.Has(f) }
}

func without(f triton.Feature) func(triton.Version) bool {
	return func(v triton.Version) bool { return !v.Has(f) }
}

// changes has the names that came, went, or changed their parameters after 3.6.
var changes = []change{
	{since(triton.V37), []row{
		{"cat", "input, other, can_reorder=False, dim=0", public, cat},
		{"squeeze", "x, dim", inLib, nil},
		{"unsqueeze", "x, dim", inLib, nil},
		{"to_tensor", "x", public, toTensorFn},
	}},
	{since(triton.V38), []row{
		{"dot", "input, other, acc=None, input_precision=None, allow_tf32=None, " +
			"max_num_imprecise_acc=None, out_dtype=None", public, dot},
		{"expect_zero", "x, mask", public, expectZero},
		{"topk", "x, k, dim=None, descending=True", inLib, nil},
		{"is_hip_gfx1250", "", inTarget, never},
	}},
	{since(triton.V39), []row{
		{"atomic_load", "pointer, mask=None, sem=None, scope=None", public | member, atomicLoad},
		{"atomic_store", "pointer, val, mask=None, sem=None, scope=None", public | member, atomicStore},
		{"atomic_poll", "pointer, expected_value, sem=None, scope=None, timeout_ns=None", public | member,
			atomicPoll},
		{"cumprod", "input, axis=0, reverse=False, dtype=None", libMember, nil},
		{"fdiv", "x, y, ieee_rounding=False, approx=False", inMath | public, fdivAny},
		{"softmax", "x, dim=None, *, keep_dims=None, ieee_rounding=False", libMember, nil},
		{"pointer_type", `element_ty, address_space="global", const=False`, public | class, pointerClass},
		{"gdc_wait", "", inCUDA, gridOp(tt.GridWait)},
		{"gdc_launch_dependents", "", inCUDA, gridOp(tt.GridLaunch)},
	}},
	{with(triton.KeywordOptions), []row{
		{"load", `pointer, mask=None, other=None, *, cache_modifier="", eviction_policy="", volatile=False`,
			public, load},
		{"store", `pointer, value, mask=None, *, cache_modifier="", eviction_policy=""`, public | member,
			store},
	}},
	{without(triton.BlockPointers), []row{
		{"make_block_ptr", "base, shape, strides, offsets, block_shape, order", public, noBlockPtr},
		{"advance", "base, offsets", member, noBlockPtr},
	}},
}

// noBlockPtr refuses block pointers in the releases that have given them up.
func noBlockPtr(c *Call) object.Value {
	v := c.B.Opts.Triton
	panic(bad(CodeVersion, "Triton %s has no block pointers: %s went with %s", v, c.Fn.FullName(),
		triton.V39).hint("use tl.make_tensor_descriptor, or keep them: %s",
		triton.HowToChoose(v.KeepBlockPtr())))
}

// gridOp returns a builtin that is one operation without arguments.
func gridOp(def *ir.OpDef) impl {
	return func(c *Call) object.Value {
		c.B.Op(def, nil, nil)
		return object.None
	}
}

// ParamHint says which releases have a parameter of a function, and how to choose the one nearest to those
// that lack it; "" where none has it. The function is named by its module and name.
func ParamHint(module, function, param string) string {
	var have []triton.Version
	for _, v := range triton.Releases {
		if bi := In(v).Lookup(module, function); bi != nil && bi.ParamIndex(param) >= 0 {
			have = append(have, v)
		}
	}
	if len(have) == 0 || len(have) == len(triton.Releases) {
		return ""
	}
	span := triton.SpanOf(have)
	nearest := span.Since
	if span.Last != (triton.Version{}) {
		nearest = span.Last
	}
	return "it is a parameter in " + span.String() + ": " + triton.HowToChoose(nearest)
}

// Elsewhere returns the releases whose language has a name of a module ("" stands for triton.language) or,
// for the module "tensor", a method of tensors.
func Elsewhere(module, name string) []triton.Version {
	var out []triton.Version
	for _, v := range triton.Releases {
		n := In(v)
		if n.Lookup(module, name) != nil || module == InTensor && n.members[name] != nil {
			out = append(out, v)
		}
	}
	return out
}

// never is a question about a chip that no target has.
func never(*Call) object.Value { return object.Bool(false) }
