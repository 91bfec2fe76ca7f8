package selftest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/nereid-lang/nereid"
)

// drawRows draws a matrix and the blocks of its rows.
func drawRows(r *rand.Rand, p *place, c *Config, types ...nereid.DType) {
	n, columns := oneOf(r, 1024, 1000, 333), oneOf(r, 1, 7, 32, 100, 256, 1000)
	if !p.gpu {
		n, columns = oneOf(r, 8, 13), oneOf(r, 1, 7, 32, 50)
	}
	b := 1
	for b < columns {
		b *= 2
	}
	warps := oneOf(r, 1, 2, 4, 8)
	rows := oneOf(r, 1, 2, 4, 8, 16, 32)
	for rows*b > 64*32*warps || !p.gpu && rows > 8 {
		rows /= 2
	}
	c.set("n", n)
	c.set("columns", columns)
	c.set("dtype", oneOf(r, types...))
	c.set("r", max(1, rows))
	c.set("b", b)
	c.set("warps", warps)
}

// matrix is a case over the rows of a matrix.
type matrix struct {
	c          Config
	n, columns int
	r, b       int
	dt         nereid.DType
	x          []int32
	in         *nereid.Tensor
}

// matrix makes the input of a case, numbers from low up to high, without it.
func (e *env) matrix(c Config, low, high int32) (*matrix, error) {
	m := &matrix{c: c, n: c.num("n"), columns: c.num("columns"), r: max(1, c.num("r")), b: c.num("b")}
	var err error
	if m.dt, err = nereid.DTypeOf(c.get("dtype")); err != nil {
		return nil, err
	}
	key := fmt.Sprintf("rows %dx%d %d %d", m.n, m.columns, low, high)
	if m.x, err = e.numbers(key, func() ([]int32, error) {
		return below(random(e.seed, key), m.n*m.columns, low, high), nil
	}); err != nil {
		return nil, err
	}
	m.in, err = e.input(key, m.dt, func() ([]int32, error) { return m.x, nil })
	return m, err
}

// programs returns the number of blocks.
func (m *matrix) programs() int { return nereid.Cdiv(m.n, m.r) }

// work makes the launch of a kernel that leaves numbers of a type.
func (m *matrix) work(e *env, kernel string, dt nereid.DType, want []int32, rest ...any) (*work, error) {
	o, err := e.own("out", dt, len(want), encode(dt, want))
	if err != nil {
		return nil, err
	}
	list := append([]any{m.in, o.tensor, m.n, m.columns, m.columns, arg("R", m.r), arg("B", m.b),
		nereid.Options{NumWarps: m.c.num("warps")}}, rest...)
	launches := []launch{{nereid.Grid{m.programs()}, list}}
	return &work{kernel: kernel, outs: []*output{o}, launches: launches}, nil
}

// lines calls f for each row of the matrix, or each column of each block of rows: with the place of the
// line's first element, the distance between elements, and their number.
func (m *matrix) lines(axis int, f func(line, first, step, count int)) {
	if axis == 1 {
		for i := range m.n {
			f(i, i*m.columns, 1, m.columns)
		}
		return
	}
	for p := range m.programs() {
		for j := range m.columns {
			f(p*m.columns+j, p*m.r*m.columns+j, m.columns, min(m.r, m.n-p*m.r))
		}
	}
}

// padding returns what a block holds outside of the tensor, so that it changes no result.
func padding(op string) int {
	switch op {
	case "max", "argmax", "larger":
		return -100
	case "min", "argmin":
		return 100
	case "product":
		return 1
	}
	return 0
}

var (
	integers = []nereid.DType{nereid.Int32, nereid.Int64, nereid.Int16, nereid.Int8}
	numbers  = []nereid.DType{nereid.Int32, nereid.Float32, nereid.Float16, nereid.Int64, nereid.Int16,
		nereid.BFloat16, nereid.Int8, nereid.Float64}
)

// drawReduction draws a reduction.
func drawReduction(r *rand.Rand, p *place) (c Config) {
	op := oneOf(r, "sum", "max", "min", "xor", "argmax", "argmin", "larger")
	c.set("op", op)
	c.set("axis", bit(r))
	if op == "xor" {
		drawRows(r, p, &c, integers...)
	} else {
		drawRows(r, p, &c, numbers...)
	}
	return c
}

// reductionWork makes the launch of a reduction. Sums of 1,000 numbers below 2 are exact in every type but
// bfloat16 and int8, whose sums are computed in wider ones.
func reductionWork(e *env, c Config) (*work, error) {
	m, err := e.matrix(c, -1, 2)
	if err != nil {
		return nil, err
	}
	op, axis := c.get("op"), c.num("axis")
	want := []int32{}
	m.lines(axis, func(_, first, step, count int) { want = append(want, m.reduce(op, first, step, count)) })
	out := m.dt
	if op == "sum" && m.dt.Size() < 4 || op == "argmax" || op == "argmin" {
		out = nereid.Int32
		if m.dt.IsFloat() && op == "sum" {
			out = nereid.Float32
		}
	}
	return m.work(e, "reduce", out, want, arg("OP", op), arg("AXIS", axis), arg("OTHER", padding(op)),
		arg("REVERSE", false))
}

// reduce reduces a line on the host.
func (m *matrix) reduce(op string, first, step, count int) int32 {
	best, at := m.x[first], 0
	for i := 1; i < count; i++ {
		v := m.x[first+i*step]
		switch {
		case op == "sum":
			best += v
		case op == "xor":
			best ^= v
		case (op == "min" || op == "argmin") && v < best, (op == "max" || op == "argmax" || op == "larger") &&
			v > best:
			best, at = v, i
		}
	}
	if op == "argmax" || op == "argmin" {
		return int32(at)
	}
	return best
}

// drawScan draws a scan.
func drawScan(r *rand.Rand, p *place) (c Config) {
	op := oneOf(r, "sum", "product", "max", "affine")
	c.set("op", op)
	c.set("axis", bit(r))
	c.set("reverse", bit(r))
	types := []nereid.DType{nereid.Int32, nereid.Int64, nereid.Float32, nereid.Float64}
	if op == "product" { // floats have a negative zero
		types = types[:2]
	}
	drawRows(r, p, &c, types...)
	return c
}

// scanWork makes the launch of a scan.
func scanWork(e *env, c Config) (*work, error) {
	m, err := e.matrix(c, -1, 2)
	if err != nil {
		return nil, err
	}
	op, axis, want := c.get("op"), c.num("axis"), make([]int32, m.n*m.columns)
	m.lines(axis, func(_, first, step, count int) {
		sum, factor := int32(0), int32(1)
		if op == "max" {
			sum = -100
		}
		for i := range count {
			at := first + i*step
			if c.is("reverse") {
				at = first + (count-1-i)*step
			}
			v := m.x[at]
			switch op {
			case "sum":
				sum += v
			case "product":
				factor *= v
				sum = factor
			case "max":
				sum = max(sum, v)
			default:
				sum = sum*v + v
			}
			want[at] = sum
		}
	})
	return m.work(e, "scan", m.dt, want, arg("OP", op), arg("AXIS", axis), arg("OTHER", padding(op)),
		arg("REVERSE", c.is("reverse")))
}

// drawSort draws a sort.
func drawSort(r *rand.Rand, p *place) (c Config) {
	c.set("reverse", bit(r))
	drawRows(r, p, &c, numbers...)
	return c
}

// sortWork makes the launch of a sort.
func sortWork(e *env, c Config) (*work, error) {
	m, err := e.matrix(c, -60, 61)
	if err != nil {
		return nil, err
	}
	want, other := slices.Clone(m.x), 100
	for i := range m.n {
		row := want[i*m.columns : (i+1)*m.columns]
		slices.Sort(row)
		if c.is("reverse") {
			slices.Reverse(row)
			other = -100
		}
	}
	return m.work(e, "sort", m.dt, want, arg("OP", ""), arg("AXIS", 1), arg("OTHER", other),
		arg("REVERSE", c.is("reverse")))
}

// drawGather draws a gather.
func drawGather(r *rand.Rand, p *place) (c Config) {
	c.set("axis", bit(r))
	c.set("data", r.IntN(1e6))
	drawRows(r, p, &c, numbers...)
	return c
}

// gatherWork makes the launch of a gather within blocks.
func gatherWork(e *env, c Config) (*work, error) {
	m, err := e.matrix(c, -60, 61)
	if err != nil {
		return nil, err
	}
	axis := c.num("axis")
	index := below(rand.New(rand.NewPCG(uint64(c.num("data")), 3)), len(m.x), 0, int32([]int{m.r, m.b}[axis]))
	want := make([]int32, len(m.x))
	for at, k := range index {
		row, column := at/m.columns, at%m.columns
		if axis == 1 {
			column = int(k)
		} else {
			row = row/m.r*m.r + int(k)
		}
		if row < m.n && column < m.columns {
			want[at] = m.x[row*m.columns+column]
		}
	}
	t, err := upload(e.dev, nereid.Int32, encode(nereid.Int32, index))
	if err != nil {
		return nil, err
	}
	e.owned = append(e.owned, t)
	w, err := m.work(e, "gather", m.dt, want, arg("AXIS", axis))
	if err == nil {
		w.launches[0].args = slices.Insert(w.launches[0].args, 1, any(t))
	}
	return w, err
}
