package conform

import "fmt"

var _ = family(atomicCases)

// atomic is a read-modify-write: what is there and the operand give what will be there.
type atomic struct {
	name string
	fn   func(dt *dtype, old, val uint64) uint64
	only func(dt *dtype) bool // the types that it takes
}

func wideInt(dt *dtype) bool { return dt.isInt() && dt.bits >= 32 }

var atomics = []atomic{
	{"add", func(dt *dtype, a, b uint64) uint64 {
		return operators[0].apply(dt, a, b)
	}, func(dt *dtype) bool { return wideInt(dt) || dt.isFloat() && dt.bits >= 16 }},
	{"max", func(dt *dtype, a, b uint64) uint64 {
		return choose(dt, a, b, 1)
	}, func(dt *dtype) bool { return wideInt(dt) || dt == f32 || dt == f64 }},
	{"min", func(dt *dtype, a, b uint64) uint64 {
		return choose(dt, a, b, -1)
	}, func(dt *dtype) bool { return wideInt(dt) || dt == f32 || dt == f64 }},
	{"and", func(dt *dtype, a, b uint64) uint64 { return a & b }, wideInt},
	{"or", func(dt *dtype, a, b uint64) uint64 { return a | b }, wideInt},
	{"xor", func(dt *dtype, a, b uint64) uint64 { return a ^ b }, wideInt},
	{"xchg", func(dt *dtype, a, b uint64) uint64 {
		return b
	}, func(dt *dtype) bool { return wideInt(dt) || dt == f32 || dt == f64 }},
}

// choose is the larger (sign 1) or smaller (-1) of two numbers, neither NaN.
func choose(dt *dtype, a, b uint64, sign int) uint64 {
	if dt.isFloat() {
		if x, y := dt.float(a), dt.float(b); (x > y) == (sign > 0) && x != y {
			return a
		}
		return b
	}
	if dt.big(a).Cmp(dt.big(b)) == sign {
		return a
	}
	return b
}

func atomicCases(s *suite) {
	m := &module{name: "conform_atomic"}
	for _, a := range atomics {
		for _, dt := range standard {
			s.atomic(m, a, dt)
		}
		atomicForms(s, m, a)
	}
	casCases(s, m)
}

// atomic is one kind on one type: a block with distinct addresses, what was there returned, and many
// programs on one address.
func (s *suite) atomic(m *module, a atomic, dt *dtype) {
	name := fmt.Sprintf("atomic/%s/%s", a.name, dt)
	src := newSource(name)
	x, y := src.between(dt, -9, 9, 32), src.between(dt, -9, 9, 32)
	if dt.isFloat() { // a zero has two signs
		x, y = src.finite(dt, 32), src.finite(dt, 32)
	}
	// Triton's front end lets the bits of floats through, its back end does not.
	onBits := (a.name == "and" || a.name == "or" || a.name == "xor") && (dt == f32 || dt == f64)
	refused := !a.only(dt) && !onBits
	after := func() array {
		out := newArray(dt, 32)
		for i := range out.bits {
			out.bits[i] = a.fn(dt, x.bits[i], y.bits[i])
		}
		return out
	}
	m.raw(s, testCase{name: name + "/block", refused: refused, compile: onBits,
		args: []arg{in(y), inout(x, after), result(x)}}, "y_ptr, x_ptr, z_ptr", fmt.Sprintf(`
i = tl.arange(0, 32)
old = tl.atomic_%s(x_ptr + i, tl.load(y_ptr + i))
tl.static_assert(old.dtype == z_ptr.dtype.element_ty)
tl.store(z_ptr + i, old)
`, a.name))
	if refused || onBits {
		return
	}
	m.raw(s, testCase{name: name + "/mask", args: []arg{in(y), inout(x, func() array {
		out := after()
		for i := 20; i < 32; i++ {
			out.bits[i] = x.bits[i]
		}
		return out
	})}}, "y_ptr, x_ptr", fmt.Sprintf(`
i = tl.arange(0, 32)
tl.atomic_%s(x_ptr + i, tl.load(y_ptr + i), mask=i < 20)
`, a.name))
	// All programs work on one address; the operation does not depend on their order.
	one := src.between(dt, -9, 9, 1)
	operand := src.between(dt, -9, 9, 16)
	if a.name == "xchg" {
		operand = newArray(dt, 16)
		for i := range operand.bits {
			operand.bits[i] = src.between(dt, 3, 3, 1).bits[0]
		}
	}
	m.raw(s, testCase{name: name + "/programs", grid: [3]int{16, 1, 1},
		args: []arg{in(operand), inout(one, func() array {
			out := newArray(dt, 1)
			out.bits[0] = one.bits[0]
			for _, b := range operand.bits {
				out.bits[0] = a.fn(dt, out.bits[0], b)
			}
			return out
		}).within(tolerance{anyZero: true})}}, "y_ptr, x_ptr",
		fmt.Sprintf("tl.atomic_%s(x_ptr, tl.load(y_ptr + tl.program_id(0)))", a.name))
}

// atomicForms are the options, the method, and numbers as operands.
func atomicForms(s *suite, m *module, a atomic) {
	x, y := count(i32, 16), ofInts(i32, 5)
	after := func() array {
		return x.each(i32, func(b uint64) uint64 { return a.fn(i32, b, y.bits[0]) })
	}
	for _, sem := range []string{"relaxed", "acquire", "release", "acq_rel"} {
		for _, scope := range []string{"cta", "gpu", "sys"} {
			m.raw(s, testCase{name: fmt.Sprintf("atomic/%s/%s-%s", a.name, sem, scope),
				args: []arg{inout(x, after)}}, "x_ptr",
				fmt.Sprintf(`tl.atomic_%s(x_ptr + tl.arange(0, 16), 5, sem="%s", scope="%s")`, a.name,
					sem, scope))
		}
	}
	m.raw(s, testCase{name: "atomic/" + a.name + "/method", args: []arg{inout(x, after)}}, "x_ptr",
		fmt.Sprintf(`(x_ptr + tl.arange(0, 16)).atomic_%s(5, sem="relaxed")`, a.name))
	m.raw(s, testCase{name: "atomic/" + a.name + "/positional", args: []arg{inout(x, after)}}, "x_ptr",
		fmt.Sprintf(`tl.atomic_%s(x_ptr + tl.arange(0, 16), 5, None, "relaxed", "gpu")`, a.name))
	for _, o := range []string{`sem="strong"`, `scope="world"`, `mask=tl.arange(0, 8) < 4`, `order=1`} {
		m.raw(s, testCase{name: "atomic/" + a.name + "/refused/" + identifier(o), refused: true,
			args: []arg{inout(x, after)}}, "x_ptr",
			fmt.Sprintf(`tl.atomic_%s(x_ptr + tl.arange(0, 16), 5, %s)`, a.name, o))
	}
}

// casCases: compare and swap, of whole blocks and as a lock.
func casCases(s *suite, m *module) {
	for _, dt := range standard {
		name := "atomic/cas/" + dt.sig
		src := newSource(name)
		x, c, v := src.between(dt, 0, 2, 32), src.between(dt, 0, 2, 32), src.between(dt, 0, 9, 32)
		m.raw(s, testCase{name: name, refused: dt.bits < 16, args: []arg{in(c), in(v), inout(x, func() array {
			out := newArray(dt, 32)
			for i := range out.bits {
				if out.bits[i] = x.bits[i]; x.bits[i] == c.bits[i] {
					out.bits[i] = v.bits[i]
				}
			}
			return out
		}), result(x)}}, "c_ptr, v_ptr, x_ptr, z_ptr", `
i = tl.arange(0, 32)
old = tl.atomic_cas(x_ptr + i, tl.load(c_ptr + i), tl.load(v_ptr + i))
tl.store(z_ptr + i, old)
`)
	}
	for _, sem := range []string{"relaxed", "acquire", "release", "acq_rel"} {
		for _, scope := range []string{"cta", "gpu", "sys"} {
			m.raw(s, testCase{name: fmt.Sprintf("atomic/cas/%s-%s", sem, scope),
				args: []arg{inout(ofInts(i32, 1), func() array {
					return ofInts(i32, 7)
				})}}, "x_ptr", fmt.Sprintf(`tl.atomic_cas(x_ptr, 1, 7, sem="%s", scope="%s")`, sem, scope))
		}
	}
	m.raw(s, testCase{name: "atomic/lock", grid: [3]int{8, 1, 1},
		args: []arg{inout(ofInts(i32, 0), func() array {
			return ofInts(i32, 0)
		}), inout(ofFloats(f32, 0, 0), func() array { return ofFloats(f32, 8, 28) })}}, "lock_ptr, x_ptr", `
pid = tl.program_id(0)
while tl.atomic_cas(lock_ptr, 0, 1) == 1:
    pass
n = tl.load(x_ptr)
t = tl.load(x_ptr + 1)
tl.store(x_ptr, n + 1)
tl.store(x_ptr + 1, t + pid)
tl.debug_barrier()
tl.atomic_xchg(lock_ptr, 0)
`)
	m.raw(s, testCase{name: "atomic/refused/const", refused: true,
		args: []arg{{sig: "*ki32:16", data: count(i32, 4)}}}, "x_ptr", "tl.atomic_add(x_ptr, 1)")
	m.raw(s, testCase{name: "atomic/refused/value", refused: true, args: []arg{in(count(i32, 4))}}, "x_ptr",
		"tl.atomic_add(tl.load(x_ptr), 1)")
}
