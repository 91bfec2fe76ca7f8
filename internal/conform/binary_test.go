package conform

import (
	"fmt"
	"strings"
)

var _ = family(binaryCases)

// binaryKernels has a kernel for each operator in all its forms: two blocks, block and scalar, scalar and
// block, two scalars.
func binaryKernels() *module {
	b := strings.Builder{}
	b.WriteString(header)
	for _, o := range operators {
		fmt.Fprintf(&b, `
@triton.jit
def %s(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    a = tl.load(x_ptr)
    b = tl.load(y_ptr)
    z = x %[2]s y
    tl.static_assert(z.dtype == z_ptr.dtype.element_ty)
    tl.store(z_ptr + i, z)
    tl.store(z_ptr + N + i, x %[2]s b)
    tl.store(z_ptr + 2 * N + i, a %[2]s y)
    tl.store(z_ptr + 3 * N, a %[2]s b)

@triton.jit
def %[1]s_const(x_ptr, z_ptr, C: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    z = x %[2]s C
    tl.static_assert(z.dtype == z_ptr.dtype.element_ty)
    tl.store(z_ptr + i, z)

@triton.jit
def const_%[1]s(x_ptr, z_ptr, C: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    z = C %[2]s x
    tl.static_assert(z.dtype == z_ptr.dtype.element_ty)
    tl.store(z_ptr + i, z)
`, o.name, o.sym)
	}
	return &module{name: "conform_binary", text: b.String()}
}

func binaryCases(s *suite) {
	m := binaryKernels()
	for _, o := range operators {
		for _, pair := range o.pairs() {
			s.add(binaryCase(m, o, pair[0], pair[1]))
		}
		numbers := []any{3, -2, 2.5}
		if o.sym == "+" || o.sym == "<" {
			numbers = append(numbers, true, 1<<40)
		}
		for _, a := range standard {
			for _, c := range numbers {
				s.add(constCase(m, o, a, c, false))
				s.add(constCase(m, o, a, c, true))
			}
		}
	}
}

// pairs are the pairs of types on which an operator is tried: all of them, but for comparisons that only
// differ in the last step, and fp8, which has no operators but through promotion.
func (o operator) pairs() [][2]*dtype {
	if o.compare && o.sym != "<" && o.sym != "==" {
		return append(alike(standard), mixed...)
	}
	types := standard
	if o.sym == "+" || o.sym == "*" || o.sym == "<" {
		types = dtypes
	}
	var out [][2]*dtype
	for _, a := range types {
		for _, b := range types {
			out = append(out, [2]*dtype{a, b})
		}
	}
	return out
}

const binaryN = 32

// divTolerance: a GPU's fp32 division is not correctly rounded.
func (o operator) tolerance() tolerance {
	if o.sym == "/" {
		return ulps(0, 2)
	}
	return exact
}

func binaryCase(m *module, o operator, a, b *dtype) testCase {
	c := testCase{name: fmt.Sprintf("binary/%s/%s-%s", o.name, a, b), module: m, kernel: o.name}
	in := promoted(a, b, o.div)
	if o.refuses(in) {
		c.refused = true
		c.args = []arg{arrayArg(a), arrayArg(b), arrayArg(f32), constant(binaryN)}
		return c
	}
	src := newSource(c.name)
	x, y := o.operands(src, a, b, in)
	c.args = []arg{arrayIn(x), arrayIn(y), out(o.result(in), 3*binaryN+1, func() array {
		z := newArray(o.result(in), 3*binaryN+1)
		at := func(i, j int) uint64 {
			return o.apply(o.view(in, a), cast(x.bits[i], a, in, nearest), cast(y.bits[j], b, in, nearest))
		}
		for i := range binaryN {
			z.bits[i], z.bits[binaryN+i], z.bits[2*binaryN+i] = at(i, i), at(i, 0), at(0, i)
		}
		z.bits[3*binaryN] = at(0, 0)
		return z
	}).within(o.tolerance()), constant(binaryN)}
	if in.isFP8() {
		c.gpuless = "GPUs have no arithmetic on fp8"
	}
	return c
}

// arrayArg is the signature of a tensor with nothing in it, for kernels that do not run.
func arrayArg(dt *dtype) arg { return in(newArray(dt, 1)) }

func arrayIn(a array) arg { return in(a) }

// operands are values for which the operation is defined: no division by zero, no shift by more than the
// width.
func (o operator) operands(src source, a, b, in *dtype) (x, y array) {
	x, y = src.any(a, binaryN), src.any(b, binaryN)
	switch {
	case o.shifts():
		for i := range y.bits {
			y.bits[i] = uint64(src.IntN(min(in.bits, 1<<min(b.bits, 6)))) & (b.mask() >> truth(b.signed))
			if y.dt.int(y.bits[i]) >= int64(in.bits) || y.dt.int(y.bits[i]) < 0 {
				y.bits[i] = 0
			}
		}
	case o.div:
		y = src.finite(b, binaryN)
		if in.isInt() {
			x = src.finite(a, binaryN)
		}
	}
	return x, y
}

// constCase is an operation on a block and a number, on either side.
func constCase(m *module, o operator, dt *dtype, n any, left bool) testCase {
	c := testCase{name: fmt.Sprintf("binary/%s/%s-%s", o.name, dt, literal(n)), module: m,
		kernel: o.name + "_const"}
	if left {
		c.name, c.kernel = fmt.Sprintf("binary/%s/%s-%s", o.name, literal(n), dt), "const_"+o.name
	}
	in := promotedWith(dt, n, o.div)
	if o.refuses(in) {
		c.refused = true
		c.args = []arg{arrayArg(dt), arrayArg(f32), constant(n), constant(binaryN)}
		return c
	}
	src := newSource(c.name)
	x, y := o.operands(src, dt, dt, in)
	if left {
		x = y
	}
	k := bitsOfConst(n, in)
	if !left && o.shifts() && in.big(k).Cmp(in.big(uint64(in.bits))) >= 0 || !left && o.shifts() &&
		in.big(k).Sign() < 0 {
		c.compile = true // too far: undefined
	}
	c.args = []arg{arrayIn(x), out(o.result(in), binaryN, func() array {
		return x.each(o.result(in), func(b uint64) uint64 {
			v := cast(b, dt, in, nearest)
			if left {
				return o.apply(o.view(in, dt), k, v)
			}
			return o.apply(o.view(in, dt), v, k)
		})
	}).within(o.tolerance()), constant(n), constant(binaryN)}
	return c
}
