package selftest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid"
)

// edgeTypes lists what can be done with a block of a descriptor, and with which types.
var edgeTypes = map[string][]nereid.DType{
	"load": {nereid.Int8, nereid.Int16, nereid.Int32, nereid.Int64, nereid.Float16, nereid.BFloat16,
		nereid.Float32, nereid.Float8E5},
	"row": {nereid.Int8, nereid.Int16, nereid.Int32, nereid.Float16, nereid.BFloat16, nereid.Float32},
	"add": {nereid.Int32, nereid.Uint32, nereid.Uint64, nereid.Float32, nereid.Float16, nereid.BFloat16},
	"min": {nereid.Int32, nereid.Uint32, nereid.Int64, nereid.Uint64},
	"and": {nereid.Int32, nereid.Uint32, nereid.Int64, nereid.Uint64},
}

// edgeLike says which ops take the types of another.
var edgeLike = map[string]string{"load": "load", "store": "load", "gather": "row", "scatter": "row",
	"add": "add", "min": "min", "max": "min", "and": "and", "or": "and", "xor": "and"}

// drawEdge draws a kernel that accesses blocks of a descriptor at coordinates inside and outside of it. The
// field data seeds the coordinates, which are no part of the code.
func drawEdge(r *rand.Rand, p *place) (c Config) {
	op := oneOf(r, "load", "load", "store", "store", "store", "add", "min", "max", "and", "or", "xor", "gather",
		"scatter")
	types := edgeTypes[edgeLike[op]]
	if edgeLike[op] == "min" && p.tma {
		types = slices.Concat(types, []nereid.DType{nereid.Float16, nereid.BFloat16})
	}
	dt := oneOf(r, types...)
	form, pad := oneOf(r, "host", "made"), bit(r)
	if form == "made" { // kernels make descriptors of rows that are multiples of 16 bytes
		pad = 1
	}
	block := drawEdgeBlock(r, dt, 1+r.IntN(5))
	by := oneOf(r, "by_table", "by_table", "by_value")
	if op == "gather" || op == "scatter" {
		block, by = []int{8 << r.IntN(3), max(8, 32/dt.Size()) << r.IntN(2)}, "rows"
	}
	nan := 0
	if dt.IsFloat() && dt.Size() > 1 {
		nan = bit(r)
	}
	c.set("op", op)
	c.set("dtype", dt)
	c.set("form", form)
	c.set("pad", pad)
	c.set("nan", nan)
	c.set("block", dims(block))
	c.set("by", by)
	c.set("hint", bit(r))
	c.set("warps", oneOf(r, 1, 2, 4))
	c.set("shape", dims(drawEdgeShape(r, block)))
	c.set("programs", 4+r.IntN(12))
	c.set("data", r.IntN(1e6))
	return c
}

// drawEdgeBlock draws the shape of a block: its last dimension has at least 16 bytes, and all have at most
// 1,024 elements.
func drawEdgeBlock(r *rand.Rand, dt nereid.DType, rank int) []int {
	block := make([]int, rank)
	block[rank-1] = 16 / dt.Size() << r.IntN(3)
	left := 1024 / block[rank-1]
	for i := rank - 2; i >= 0; i-- {
		block[i] = 1 << r.IntN(4)
		for block[i] > left {
			block[i] /= 2
		}
		left /= block[i]
	}
	return block
}

// drawEdgeShape draws the shape of a tensor, which holds about two blocks in each dimension.
func drawEdgeShape(r *rand.Rand, block []int) []int {
	shape := make([]int, len(block))
	for i, b := range block {
		shape[i] = 1 + r.IntN(2*b+2)
	}
	return shape
}

// dims writes a shape: "4x8".
func dims(shape []int) string {
	var parts []string
	for _, n := range shape {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, "x")
}

// dims reads a shape.
func (c Config) dims(name string) (shape []int, err error) {
	for _, part := range strings.Split(c.get(name), "x") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s=%s is no shape", name, c.get(name))
		}
		shape = append(shape, n)
	}
	return shape, nil
}

// edge is a case of accesses at the edges.
type edge struct {
	c            Config
	op           string
	dt           nereid.DType
	shape, block []int
	strides      []int   // strides of the tensor's dimensions
	at           [][]int // coordinates of each program; of rows: the rows, then the column
	programs     int
}

// newEdge reads a config and draws the coordinates.
func newEdge(c Config) (d *edge, err error) {
	d = &edge{c: c, op: c.get("op"), programs: c.num("programs")}
	if d.dt, err = nereid.DTypeOf(c.get("dtype")); err != nil {
		return nil, err
	}
	if d.shape, err = c.dims("shape"); err != nil {
		return nil, err
	}
	if d.block, err = c.dims("block"); err != nil {
		return nil, err
	}
	if len(d.shape) != len(d.block) || len(d.shape) > 5 || edgeLike[d.op] == "" {
		return nil, fmt.Errorf("%s of blocks of %v in %v: both have one to five dimensions", d.op, d.block,
			d.shape)
	}
	d.strides = make([]int, len(d.shape))
	width := d.shape[len(d.shape)-1]
	if c.is("pad") {
		width = (width + 15) / 16 * 16
	}
	stride := 1
	for i := len(d.shape) - 1; i >= 0; i-- {
		d.strides[i] = stride
		if stride *= d.shape[i]; i == len(d.shape)-1 {
			stride = width
		}
	}
	d.draw(rand.New(rand.NewPCG(uint64(c.num("data")), 1)))
	return d, nil
}

// size returns the number of elements from the first of the tensor to behind the last, gaps included.
func (d *edge) size() int {
	n := 1
	for i, s := range d.strides {
		n += s * (d.shape[i] - 1)
	}
	return n
}

// draw draws the coordinates of each program.
func (d *edge) draw(r *rand.Rand) {
	for range d.programs {
		var at []int
		if d.rows() {
			for range d.block[0] {
				at = append(at, drawCoordinate(r, d.shape[0], 1))
			}
			at = append(at, drawCoordinate(r, d.shape[1], d.block[1]))
		} else {
			for i := range d.shape {
				at = append(at, drawCoordinate(r, d.shape[i], d.block[i]))
			}
		}
		if d.c.is("hint") {
			at[len(at)-1] = at[len(at)-1] / 16 * 16
		}
		d.at = append(d.at, at)
	}
}

// drawCoordinate draws where a block begins: most often inside, across an edge, or just outside.
func drawCoordinate(r *rand.Rand, shape, block int) int {
	switch r.IntN(12) {
	case 0:
		return -1 - r.IntN(block)
	case 1:
		return -block - r.IntN(3*block)
	case 2:
		return shape + r.IntN(3*block)
	case 3:
		return oneOf(r, -1<<16, 1<<16, -1<<30, 1<<30, 1<<20, -1<<20)
	case 4:
		return max(0, shape-block)
	case 5:
		return shape - 1 - r.IntN(block)
	}
	return r.IntN(shape)
}

// rows reports whether rows are gathered or scattered.
func (d *edge) rows() bool { return d.op == "gather" || d.op == "scatter" }

// reads reports whether the tensor is only read.
func (d *edge) reads() bool { return d.op == "load" || d.op == "gather" }

// edgeWork makes the launches at the edges.
func edgeWork(e *env, c Config) (*work, error) {
	d, err := newEdge(c)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(uint64(c.num("data")), 2))
	before := below(r, d.size(), 0, 8)
	d.eachGap(func(at int) { before[at] = untouched })
	o, x, err := d.memory(e, before)
	if err != nil {
		return nil, err
	}
	table, err := d.table(e)
	if err != nil {
		return nil, err
	}
	w := &work{kernel: c.get("by"), outs: []*output{o}}
	out := o.tensor
	if !d.reads() {
		x, out = o.tensor, table // a kernel that writes to x does not use out
	}
	for p := range d.programs {
		if c.get("by") == "by_value" {
			w.launches = append(w.launches, launch{nereid.Grid{1}, d.args(x, out, p)})
		}
	}
	if w.launches == nil {
		w.launches = []launch{{nereid.Grid{d.programs}, d.args(x, out, table)}}
	}
	return w, nil
}

// eachGap calls f for the elements between the rows of the tensor.
func (d *edge) eachGap(f func(at int)) {
	inside := map[int]bool{}
	d.each(make([]int, len(d.shape)), d.shape, func(_, at int) { inside[at] = true })
	for i := range d.size() {
		if !inside[i] {
			f(i)
		}
	}
}

// each calls f for the elements of a block at i that lie inside of the tensor: with the number in the block,
// and where in memory.
func (d *edge) each(i, block []int, f func(n, at int)) {
	count := 1
	for _, b := range block {
		count *= b
	}
	for n := range count {
		rest, at, inside := n, 0, true
		for k := len(block) - 1; k >= 0; k-- {
			x := i[k] + rest%block[k]
			rest /= block[k]
			inside = inside && x >= 0 && x < d.shape[k]
			at += x * d.strides[k]
		}
		if inside {
			f(n, at)
		}
	}
}

// memory returns the output with what it must hold, and the tensor if it is only read.
func (d *edge) memory(e *env, before []int32) (o *output, x *nereid.Tensor, err error) {
	if d.reads() {
		if x, err = upload(e.dev, d.dt, encode(d.dt, before)); err != nil {
			return nil, nil, err
		}
		e.owned = append(e.owned, x)
		data := d.loaded(before)
		o, err = e.own("out", d.dt, len(data)/d.dt.Size(), data)
		return o, x, err
	}
	o, err = e.own("x", d.dt, d.size(), encode(d.dt, d.changed(before)))
	if err != nil {
		return nil, nil, err
	}
	if o.before, err = e.image(encode(d.dt, before)); err != nil {
		return nil, nil, err
	}
	e.owned = append(e.owned, o.before)
	return o, nil, nil
}

// visit calls f for each element of a program's blocks that lies inside: with the program, the number in its
// block, and where in memory.
func (d *edge) visit(f func(p, n, at int)) {
	for p, i := range d.at {
		if !d.rows() {
			d.each(i, d.block, func(n, at int) { f(p, n, at) })
			continue
		}
		for row, first := range i[:d.block[0]] {
			d.each([]int{first, i[d.block[0]]}, []int{1, d.block[1]}, func(n, at int) {
				f(p, row*d.block[1]+n, at)
			})
		}
	}
}

// loaded returns the elements that programs load, with zero or NaN for those outside.
func (d *edge) loaded(x []int32) []byte {
	count := 1
	for _, b := range d.block {
		count *= b
	}
	width := d.dt.Size()
	out := make([]byte, count*d.programs*width)
	if d.c.is("nan") {
		for i := 0; i < len(out); i += width {
			put(out[i:], width, d.dt.Encode(math.NaN()))
		}
	}
	in := encode(d.dt, x)
	d.visit(func(p, n, at int) { copy(out[(p*count+n)*width:], in[at*width:(at+1)*width]) })
	return out
}

// changed returns the tensor after all programs.
func (d *edge) changed(before []int32) []int32 {
	x := slices.Clone(before)
	d.visit(func(_, _, at int) {
		v := d.value(at)
		switch d.op {
		case "add":
			x[at] += v
		case "min":
			x[at] = min(x[at], v)
		case "max":
			x[at] = max(x[at], v)
		case "and":
			x[at] &= v
		case "or":
			x[at] |= v
		case "xor":
			x[at] ^= v
		default:
			x[at] = v
		}
	})
	return x
}

// value returns the number that kernels write to an element, by its coordinates.
func (d *edge) value(at int) int32 {
	i := make([]int, len(d.shape))
	for k, s := range d.strides {
		i[k], at = at/s, at%s
	}
	if d.op == "scatter" {
		return int32((i[0]+3*i[1])&7) + 1
	}
	total := 0
	for k := len(i) - 1; k >= 0; k-- {
		total = total*3 + i[k]
	}
	return int32(total&7) + 1
}

// table returns the coordinates of all programs, as the kernels read them.
func (d *edge) table(e *env) (*nereid.Tensor, error) {
	var data []byte
	for _, at := range d.at {
		for k := range max(5, len(at)) {
			v := 0
			if k < len(at) {
				v = at[k]
			}
			data = binary.LittleEndian.AppendUint32(data, uint32(int32(v)))
		}
	}
	t, err := upload(e.dev, nereid.Int32, data)
	if err == nil {
		e.owned = append(e.owned, t)
	}
	return t, err
}

// args returns the arguments of a kernel; the third is the table, or the program.
func (d *edge) args(x, out *nereid.Tensor, third any) []any {
	last := len(d.shape) - 1
	list := []any{any(x), out, third}
	block := any(d.block)
	if p, ok := third.(int); ok {
		list = append(list, slices.Concat(d.at[p], make([]int, 5-len(d.at[p]))))
	}
	desc := d.block
	padding := "zero"
	if d.c.is("nan") {
		padding = "nan"
	}
	if d.rows() {
		desc, block = []int{1, d.block[1]}, d.block[1]
	}
	if d.c.get("form") == "host" {
		h := descriptor(x, d.shape, desc)
		for i, s := range d.strides {
			h.Strides[i] = int64(s)
		}
		h.NaN = d.c.is("nan")
		list[0] = h
	}
	list = append(list, slices.Concat(d.shape, make([]int, 4-last)),
		slices.Concat(d.strides, make([]int, 4-last)), arg("B", block), arg("OP", d.op),
		arg("FORM", d.c.get("form")), arg("PAD", padding), options(d.c))
	if d.rows() {
		return append(list, arg("R", d.block[0]), arg("HINT", d.c.is("hint")))
	}
	count := 1
	for _, b := range d.block {
		count *= b
	}
	list = append(list, arg("COUNT", count), arg("RANK", len(d.shape)))
	if _, ok := third.(int); ok {
		return list
	}
	return append(list, arg("HINT", d.c.is("hint")))
}
