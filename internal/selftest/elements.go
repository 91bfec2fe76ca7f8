package selftest

import (
	"fmt"
	"math/rand/v2"

	"github.com/nereid-lang/nereid"
)

// drawConversion draws a conversion between types.
func drawConversion(r *rand.Rand, p *place) (c Config) {
	small := []nereid.DType{nereid.Float8E5}
	if p.chip.FP8Conversions {
		small = append(small, nereid.Float8E4NV)
	}
	all := append([]nereid.DType{nereid.Int8, nereid.Int16, nereid.Int32, nereid.Int64, nereid.Uint8,
		nereid.Uint32, nereid.Float16, nereid.BFloat16, nereid.Float32, nereid.Float64}, small...)
	for {
		c = nil
		drawRows(r, p, &c, all...)
		out := oneOf(r, all...)
		c.set("out", out)
		if from, _ := nereid.DTypeOf(c.get("dtype")); converts(from, out) {
			return c
		}
	}
}

// converts reports whether kernels may convert between types: 8-bit floats only from and to other floats.
func converts(from, to nereid.DType) bool {
	narrow := func(dt nereid.DType) bool { return dt.IsFloat() && dt.Size() == 1 }
	switch {
	case narrow(from) && narrow(to):
		return from == to
	case narrow(from):
		return to.IsFloat() && to.Size() < 8
	case narrow(to):
		return from.IsFloat() && from.Size() < 8
	}
	return true
}

// conversionWork makes the launch of a conversion. Numbers need no more than seven bits, but are rounded to
// 8-bit floats, to the nearest with ties to even.
func conversionWork(e *env, c Config) (*work, error) {
	to, err := nereid.DTypeOf(c.get("out"))
	if err != nil {
		return nil, err
	}
	m, err := e.matrix(c, 0, 101)
	if err != nil {
		return nil, err
	}
	want := make([]int32, len(m.x))
	for i, v := range m.x {
		want[i] = int32(m.dt.Decode(m.dt.Encode(float64(v)))) // as the input holds it
	}
	return m.work(e, "convert", to, want)
}

// drawFill draws a fill.
func drawFill(r *rand.Rand, p *place) (c Config) {
	c.set("op", oneOf(r, "value", "zero", "rows", "where"))
	c.set("value", oneOf(r, 0, 1, 2, 16, 100))
	drawRows(r, p, &c, numbers...)
	return c
}

// fillWork makes the launch of a fill.
func fillWork(e *env, c Config) (*work, error) {
	m, err := e.matrix(c, 0, 1)
	if err != nil {
		return nil, err
	}
	value, want := int32(c.num("value")), make([]int32, m.n*m.columns)
	for at := range want {
		row, column := at/m.columns, at%m.columns
		switch op := c.get("op"); {
		case op == "value", op == "where" && row > column:
			want[at] = value
		case op == "rows":
			want[at] = int32(row & 7)
		case op == "where":
			want[at] = int32((row + column) & 7)
		}
	}
	w, err := m.work(e, "fill", m.dt, want, arg("OP", c.get("op")))
	if err == nil {
		args := w.launches[0].args
		w.launches[0].args = append([]any{args[1], m.n, m.columns, c.num("value")}, args[5:]...)
	}
	return w, err
}

// atomicTypes lists the types of atomics.
var atomicTypes = map[string][]nereid.DType{
	"add": {nereid.Int32, nereid.Int64, nereid.Float32, nereid.Float16, nereid.BFloat16, nereid.Float64},
	"max": {nereid.Int32, nereid.Int64, nereid.Uint32, nereid.Float32},
	"min": {nereid.Int32, nereid.Int64, nereid.Uint32, nereid.Float32},
	"and": {nereid.Int32, nereid.Int64}, "or": {nereid.Int32, nereid.Int64},
	"xor":       {nereid.Int32, nereid.Int64},
	"histogram": {nereid.Int32},
}

// drawAtomic draws atomics on few elements.
func drawAtomic(r *rand.Rand, p *place) (c Config) {
	n, blocks := oneOf(r, 4096, 10000), []int{64, 256, 1024}
	if !p.gpu {
		n, blocks = oneOf(r, 256, 300), blocks[:2]
	}
	op := oneOf(r, "add", "add", "max", "min", "and", "or", "xor", "histogram")
	dt := oneOf(r, atomicTypes[op]...)
	// sums of 16-bit floats are exact below 256
	bins := oneOf(r, 2, 16, 128)
	if dt.Size() == 2 {
		bins, n = 128, min(n, 4096)
	}
	c.set("op", op)
	c.set("dtype", dt)
	c.set("n", n)
	c.set("bins", bins)
	c.set("sem", oneOf(r, "relaxed", "acq_rel", "release"))
	c.set("b", oneOf(r, blocks...))
	c.set("warps", oneOf(r, 1, 2, 4, 8))
	return c
}

// atomicWork makes the launch of atomics.
func atomicWork(e *env, c Config) (*work, error) {
	n, bins, op := c.num("n"), c.num("bins"), c.get("op")
	dt, err := nereid.DTypeOf(c.get("dtype"))
	if err != nil {
		return nil, err
	}
	keys, where, err := e.uniform("keys", n, int32(bins), nereid.Int32)
	if err != nil {
		return nil, err
	}
	values, x, err := e.uniform("values", n, 3, dt)
	if err != nil {
		return nil, err
	}
	want, before := make([]int32, bins), make([]int32, bins)
	for i := range want {
		want[i], before[i] = int32(i&3), int32(i&3)
	}
	for i, k := range keys {
		want[k] = changed(op, want[k], values[i])
	}
	o, err := e.own("out", dt, bins, encode(dt, want))
	if err != nil {
		return nil, err
	}
	if o.before, err = e.image(encode(dt, before)); err != nil {
		return nil, err
	}
	e.owned = append(e.owned, o.before)
	w := &work{kernel: "atomic", outs: []*output{o}}
	list := []any{where, x, o.tensor, n, arg("B", c.num("b")), arg("OP", op), arg("SEM", c.get("sem")),
		options(c)}
	if op == "histogram" {
		w.kernel, list = op, []any{where, o.tensor, n, arg("B", c.num("b")), arg("BINS", bins), options(c)}
	}
	w.launches = []launch{{nereid.Grid{nereid.Cdiv(n, c.num("b"))}, list}}
	return w, nil
}

// changed returns an element after one atomic.
func changed(op string, x, v int32) int32 {
	switch op {
	case "add":
		return x + v
	case "max":
		return max(x, v)
	case "min":
		return min(x, v)
	case "and":
		return x & v
	case "or":
		return x | v
	case "xor":
		return x ^ v
	}
	return x + 1 // a histogram counts
}

// uniform returns n numbers from 0 up to high, without it, and a tensor of them.
func (e *env) uniform(name string, n int, high int32, dt nereid.DType) ([]int32, *nereid.Tensor, error) {
	key := fmt.Sprintf("%s %d below %d", name, n, high)
	x, err := e.numbers(key, func() ([]int32, error) { return below(random(e.seed, key), n, 0, high), nil })
	if err != nil {
		return nil, nil, err
	}
	t, err := e.input(key, dt, func() ([]int32, error) { return x, nil })
	return x, t, err
}
