package sem

import (
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
)

func dot(c *Call) object.Value {
	b := c.B
	x, y := c.device("input"), c.device("other")
	acc := c.optDevice("acc")
	precision := c.dotPrecision()
	out := c.dotType(acc)
	shape := dotShape(x, y)
	if acc != nil && !slices.Equal(ShapeOf(acc.Type), shape) {
		panic(bad(CodeShape, "an accumulator of shape %s does not fit a product of shape %s",
			plainShape(ShapeOf(acc.Type)), plainShape(shape)).at("acc"))
	}
	if len(shape) < 4 {
		return c.dot(x, y, acc, precision, out)
	}
	x, y = b.flattenBatch(x), b.flattenBatch(y)
	if acc != nil {
		acc = b.flattenBatch(acc)
	}
	return b.reshape(c.dot(x, y, acc, precision, out), shape, false)
}

// dotType returns the type that a product is asked to have: by default, since 3.8, that of its accumulator.
func (c *Call) dotType(acc *Tensor) *DType {
	switch {
	case c.given("out_dtype") || !c.B.has(triton.AccumulatorType):
		return c.scalarDType("out_dtype")
	case acc == nil:
		return Float32
	}
	t := scalarType(acc)
	if t == nil {
		panic(bad(CodeType, "an accumulator holds numbers, not %s", Scalar(acc.Type)).at("acc"))
	}
	return t
}

// dotPrecision returns the precision in which fp32 operands are multiplied.
func (c *Call) dotPrecision() string {
	precision, tf32 := c.passed("input_precision"), c.passed("allow_tf32")
	switch {
	case precision && tf32:
		panic(bad(CodeArgs,
			"input_precision and allow_tf32 say the same thing: give one, best input_precision"))
	case precision && !c.given("input_precision"):
		return c.B.Opts.DefaultDotPrecision
	case precision:
		return c.str("input_precision")
	case c.B.Opts.allowsTF32() && (!tf32 || c.given("allow_tf32") && c.allowsTF32()):
		return "tf32"
	}
	return "ieee" // also for allow_tf32=None, which is not the same as none at all
}

// allowsTF32 reports whether allow_tf32 is true. A device value cannot choose: as any object of Python it
// counts as true.
func (c *Call) allowsTF32() bool {
	if _, ok := c.Named("allow_tf32").(*Tensor); ok {
		return true
	}
	return c.bool("allow_tf32")
}

// transposeHint returns advice for operands one of which may be meant transposed.
func transposeHint(a, b []int64) string {
	if n := len(a); a[n-1] == b[n-1] {
		return "tl.trans(other) would fit"
	}
	return ""
}

// dotShape returns the shape of a product.
func dotShape(x, y *Tensor) []int64 {
	a, b := ShapeOf(x.Type), ShapeOf(y.Type)
	n := len(a)
	switch {
	case n != len(b) || n < 2:
		panic(bad(CodeShape, "a product takes two matrices, or two batches of them, not shapes %s and %s",
			plainShape(a), plainShape(b)))
	case !slices.Equal(a[:n-2], b[:n-2]):
		panic(bad(CodeShape, "the batches of a product differ: %s and %s", plainShape(a), plainShape(b)))
	case a[n-1] != b[n-2]:
		panic(bad(CodeShape, "the inner dimensions of a product must be equal: %s and %s have %d and %d",
			plainShape(a), plainShape(b), a[n-1], b[n-2]).
			hint("%s", transposeHint(a, b)))
	}
	return append(slices.Clone(a[:n-1]), b[n-1])
}

// flattenBatch makes one dimension of all but the last two.
func (b *Builder) flattenBatch(x *Tensor) *Tensor {
	shape := ShapeOf(x.Type)
	n := len(shape)
	batch := Block(Int1, shape[:n-2]...).Numel()
	return b.reshape(x, []int64{batch, shape[n-2], shape[n-1]}, false)
}

var dotTypes = []*DType{Int8, Uint8, Float16, BFloat16, Float32, Float64}

// dot multiplies blocks of rank 2 or 3.
func (c *Call) dot(x, y, acc *Tensor, precision string, out *DType) *Tensor {
	b := c.B
	xt, yt := checkDotTypes(x, y)
	x, y = b.widenFP8(x, y)
	attrs := []ir.NamedAttr{ir.A("inputPrecision", ir.I32Attr(b.precision(precision)))}
	xs, ys := ShapeOf(x.Type), ShapeOf(y.Type)
	n := len(xs)
	m, cols, k := xs[n-2], ys[n-1], xs[n-1]
	if xt.Bits != yt.Bits {
		panic(bad(CodeType, "the operands of a product have elements of one width, not %s and %s", xt, yt))
	}
	if least := b.Opts.MinDotK(scalarType(x).Bits); k < least {
		panic(bad(CodeShape, "the inner dimension of a product of %s and %s must be at least %d, not %d", xt,
			yt, least, k))
	}
	ret := dotResult(scalarType(x), out)
	shape := append(slices.Clone(xs[:n-2]), m, cols)
	zero := b.null(ret) // with an accumulator too, as in Triton
	if acc == nil {
		acc = b.splat(zero, shape)
	} else if acc.Type != Block(out, shape...) {
		panic(bad(CodeType, "accumulator of type %s does not fit a product of type %s", acc.Type,
			Block(out, shape...)).
			hint("pass out_dtype, or cast the accumulator"))
	}
	if acc.Type != Block(ret, shape...) {
		panic(bad(CodeType, "a product of %s and %s cannot be accumulated in %s", xt, yt,
			out).hint("use out_dtype=tl.%s", ret.longName()))
	}
	if n := c.impreciseAcc(x, y, k); n != 0 {
		attrs = append(attrs, ir.A("maxNumImpreciseAcc", ir.I32Attr(n)))
	}
	return b.opA(tt.Dot, acc.Type, attrs, x.V, y.V, acc.V)
}

func checkDotTypes(x, y *Tensor) (xt, yt *DType) {
	xt, yt = scalarType(x), scalarType(y)
	switch {
	case xt != nil && yt != nil && xt.IsFP8() && yt.IsFP8():
	case !slices.Contains(dotTypes, xt):
		panic(bad(CodeType, "unsupported lhs dtype %s", Scalar(x.Type)))
	case !slices.Contains(dotTypes, yt):
		panic(bad(CodeType, "unsupported rhs dtype %s", Scalar(y.Type)))
	case xt != yt:
		panic(bad(CodeType, "the operands of a product have different types, %s and %s", xt,
			yt).hint("cast one of them"))
	}
	return xt, yt
}

// widenFP8 makes fp16 of fp8 operands in formats that the target has no product for.
func (b *Builder) widenFP8(x, y *Tensor) (*Tensor, *Tensor) {
	uses := func(t *DType) bool { return Scalar(x.Type) == t || Scalar(y.Type) == t }
	deprecated := func(t *DType) bool { return slices.Contains(b.Opts.DeprecatedFP8, t.Name) }
	widen := func() { x, y = b.cast(x, Float16, noRounding), b.cast(y, Float16, noRounding) }
	if uses(Float8E4B15) {
		if deprecated(Float8E4B15) {
			b.Opts.warn("products of fp8e4b15 are slow on sm_90 and later, which convert it to fp16 first; " +
				"a later version of Triton drops it: use fp8e4nv or fp8e5")
		}
		widen()
	}
	for _, t := range []*DType{Float8E4B8, Float8E5B16} {
		if uses(t) {
			if deprecated(t) {
				b.Opts.warn(t.Name + " is a format of gfx942: " + b.Opts.Arch +
					" multiplies it as fp16, which is slow; fp8e4nv and fp8e5 " +
					"are its own formats")
				widen()
			}
			break
		}
	}
	return x, y
}

func (b *Builder) precision(name string) int64 {
	name = strings.ToLower(name)
	v, ok := tt.InputPrecision.Value(name)
	if !ok || !slices.Contains(b.Opts.AllowedDotPrecisions, name) {
		panic(bad(CodeValue, "input_precision is %[2]s, but this target has %[1]s",
			b.Opts.AllowedDotPrecisions, name).at("input_precision"))
	}
	return v
}

// dotResult returns the element type of a product of operands of type t.
func dotResult(t, out *DType) *DType {
	switch {
	case t.IsInt() && t != Int8:
		panic(bad(CodeType, "only int8 supported, not %s", t))
	case t.IsInt():
		return Int32
	case out == BFloat16:
		panic(bad(CodeType,
			"a product cannot be summed in bfloat16").hint("leave out_dtype at float32 and cast the " +
			"result with .to(tl.bfloat16)"))
	case t == Float32 || t == BFloat16:
		return Float32
	case t == Float64:
		return Float64
	case out != Float16 && out != Float32:
		panic(bad(CodeType, "a product of %s cannot have out_dtype=%s", t,
			out.longName()).hint("use out_dtype=float32 or float16 and cast"))
	}
	return out
}

// impreciseAcc returns the number of products after which an fp8 dot on sm_90 adds up in full precision.
func (c *Call) impreciseAcc(x, y *Tensor, k int64) int64 {
	fp8 := scalarType(x).IsFP8() && scalarType(y).IsFP8()
	switch {
	case !c.given("max_num_imprecise_acc") && fp8:
		return int64(c.B.Opts.MaxNumImpreciseAcc)
	case !c.given("max_num_imprecise_acc"):
		return 0
	}
	n := c.int("max_num_imprecise_acc")
	if fp8 && n > k {
		panic(bad(CodeValue, "max_num_imprecise_acc (%d) must be <= K (%d)", n, k))
	}
	return n
}

// scaledFormats has the element formats of dot_scaled: their names in IR, and the types that hold them.
var scaledFormats = map[string]struct {
	elem    int64
	float   *DType
	bits    *DType
	perByte int64
}{
	"e2m1": {tt.ElemE2M1, nil, Uint8, 2},
	"e4m3": {tt.ElemE4M3, Float8E4NV, Uint8, 1},
	"e5m2": {tt.ElemE5M2, Float8E5, Uint8, 1},
	"bf16": {tt.ElemBF16, BFloat16, Uint16, 1},
	"fp16": {tt.ElemFP16, Float16, Uint16, 1},
}

// scaled is one operand of dot_scaled.
type scaled struct {
	x, scale *Tensor // scale may be nil
	elem     int64
	pack     int64 // elements in one of x
	kPack    bool  // they lie along K
}

// scaledArg takes an operand of dot_scaled, "lhs" or "rhs", and reads its bits in its format.
func (c *Call) scaledArg(side string) scaled {
	x, scale := c.device(side), c.optDevice(side+"_scale")
	name := c.str(side + "_format")
	f, ok := scaledFormats[name]
	if !ok {
		panic(bad(CodeValue, "unknown format %q of %s", name,
			side).hint("formats are bf16, fp16, e5m2, e4m3 and e2m1"))
	}
	if t := Scalar(x.Type); t != f.bits && (f.float == nil || t != f.float) {
		panic(bad(CodeType, "unexpected dtype for %s; got %s", name, t))
	}
	if f.float != nil {
		x = c.B.bitcast(x, f.float)
	}
	kPack := c.bool(side + "_k_pack")
	if !kPack && name != "e2m1" {
		panic(bad(CodeValue, "%s_k_pack=False is for e2m1, which packs two elements in a byte, not for %s",
			side, name))
	}
	return scaled{x, scale, f.elem, f.perByte, kPack}
}

// checkScale makes sure that an operand's scales have one for each group of 16 or 32 elements along K.
func (s scaled) checkScale(b *Builder, side string, rows, k, group int64) {
	if s.scale == nil {
		return
	}
	if group == 0 {
		group = 32
		if Scalar(s.scale.Type) == Float8E4NV {
			group = 16
		}
	}
	shape := ShapeOf(s.scale.Type)
	if b.has(triton.BatchedScales) && len(shape) > 2 {
		shape = shape[len(shape)-2:]
	}
	if want := []int64{rows, k / group}; !slices.Equal(shape, want) {
		panic(bad(CodeShape, "%s_scale has shape %s, but the operand wants %s", side,
			plainShape(ShapeOf(s.scale.Type)), plainShape(want)))
	}
}

// scaleGroup returns the number of elements that share a scale as the shapes tell, since 3.8; 0 where the
// type of the scales tells it.
func (b *Builder) scaleGroup(l, r scaled, k int64) int64 {
	if !b.has(triton.ScaleFactors) {
		return 0
	}
	for _, s := range []scaled{l, r} {
		if s.scale == nil {
			continue
		}
		if shape := ShapeOf(s.scale.Type); len(shape) >= 2 {
			if n := k / shape[len(shape)-1]; n == 16 || n == 32 {
				return n
			}
			panic(bad(CodeShape, "scales of shape %s do not fit %d elements along K: 16 or 32 share one",
				plainShape(shape), k))
		}
	}
	return 32
}

func dotScaled(c *Call) object.Value {
	b := c.B
	out := c.scalarDType("out_dtype")
	if out != Float32 {
		panic(bad(CodeType, "tl.dot_scaled sums in float32, not in %s", out).hint("cast the result"))
	}
	acc := c.optDevice("acc")
	l, r := c.scaledArg("lhs"), c.scaledArg("rhs")
	xs, ys := ShapeOf(l.x.Type), ShapeOf(r.x.Type)
	n := len(xs)
	if n != len(ys) || n != 2 && n != 3 {
		panic(bad(CodeShape, "tl.dot_scaled takes two matrices, or two batches of them, not shapes %s and %s",
			plainShape(xs), plainShape(ys)))
	}
	m, k, cols, kr := xs[n-2], xs[n-1], ys[n-1], ys[n-2]
	if l.kPack {
		k *= l.pack
	} else {
		m *= l.pack
	}
	if r.kPack {
		kr *= r.pack
	} else {
		cols *= r.pack
	}
	if k != kr {
		panic(bad(CodeShape,
			"lhs has rows of another length than the columns of rhs, once unpacked: shapes %s and %s",
			plainShape(xs), plainShape(ys)))
	}
	t := Block(out, append(slices.Clone(xs[:n-2]), m, cols)...)
	zero := b.null(Float32)
	if acc == nil {
		acc = b.splat(zero, t.Shape)
	} else if acc.Type != t {
		panic(bad(CodeType, "accumulator of type %s does not fit a product of type %s", acc.Type, t))
	}
	group := b.scaleGroup(l, r, k)
	l.checkScale(b, "lhs", m, k, group)
	r.checkScale(b, "rhs", cols, k, group)
	return b.dotScaled(c, l, r, acc)
}

func (b *Builder) dotScaled(c *Call, l, r scaled, acc *Tensor) *Tensor {
	attrs := []ir.NamedAttr{
		ir.A("a_elem_type", ir.I32Attr(l.elem)), ir.A("b_elem_type", ir.I32Attr(r.elem)),
		ir.A("fastMath", ir.BoolAttr(c.bool("fast_math"))),
		ir.A("lhs_k_pack", ir.BoolAttr(l.kPack)), ir.A("rhs_k_pack", ir.BoolAttr(r.kPack)),
	}
	groups := [][]*ir.Value{{l.x.V}, {r.x.V}, {acc.V}, {valueOf(l.scale)}, {valueOf(r.scale)}}
	return &Tensor{b.Groups(tt.DotScaled, groups, []ir.Type{b.ir(acc.Type)}, attrs...).Result(0), acc.Type}
}
