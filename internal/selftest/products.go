package selftest

import (
	"fmt"
	"math/rand/v2"

	"github.com/nereid-lang/nereid"
)

// drawProduct draws the config of a product.
func drawProduct(r *rand.Rand, p *place) (c Config) {
	s := oneOf(r, p.sizes()...)
	dt := oneOf(r, p.products()...)
	c.set("m", s.m)
	c.set("n", s.n)
	c.set("k", s.k)
	c.set("dtype", dt)
	precision := p.precision()
	if dt == nereid.Float32 && r.IntN(3) == 0 {
		precision = "ieee"
	} else if dt.Size() == 2 && precision == "tf32" {
		switch r.IntN(6) {
		case 0:
			precision = "wide"
		case 1:
			precision = "widened"
		}
	}
	c.set("precision", precision)
	c.set("out", oneOf(r, outTypes(dt)...))
	drawForms(r, &c)
	drawBlocks(r, p, &c, dt, precision)
	c.set("group", oneOf(r, 1, 1, 2, 4, 8))
	return c
}

// outTypes returns the types in which the sums of operands of a type may be stored.
func outTypes(dt nereid.DType) []nereid.DType {
	if dt == nereid.Int8 {
		return []nereid.DType{nereid.Int32}
	}
	return []nereid.DType{nereid.Float32, nereid.Float16, nereid.BFloat16}
}

// drawForms draws how operands and results are accessed and how programs walk.
func drawForms(r *rand.Rand, c *Config) {
	kernel := oneOf(r, "product", "product", "product", "product", "made", "made", "advanced", "blocks")
	forms := []string{"desc", "desc", "desc", "pointers", "wrapped"}
	a, b, out, loop := oneOf(r, forms...), oneOf(r, forms...), oneOf(r, "desc", "pointers", "halves"), "none"
	if r.IntN(3) == 0 {
		loop = oneOf(r, "walk", "flat", "special")
	}
	if kernel == "advanced" || kernel == "blocks" {
		a, b, out, loop = "pointers", "pointers", "pointers", "none"
	}
	c.set("kernel", kernel)
	c.set("a", a)
	c.set("b", b)
	c.set("c", out)
	c.set("loop", loop)
	c.set("step", oneOf(r, 1, 3, 64, 132))
	c.set("ta", bit(r))
	c.set("tb", bit(r))
	pad := bit(r)
	if kernel == "made" { // kernels make descriptors of rows that are multiples of 16 bytes
		pad = 1
	}
	c.set("pad", pad)
}

// drawBlocks draws block sizes, warps and stages. A thread holds at most 128 sums of a tile, and products
// that are not for tensor cores at most 64.
func drawBlocks(r *rand.Rand, p *place, c *Config, dt nereid.DType, precision string) {
	tall, deep := []int{16, 32, 64, 128, 256}, []int{16, 32, 64, 128}
	if !p.gpu {
		tall, deep = tall[:3], deep[:3]
	}
	if dt.Size() == 1 {
		deep = deep[1:]
	}
	each, size := 128, dt.Size()
	if precision == "wide" {
		size = 4
	}
	if precision == "ieee" {
		each, deep = 64, deep[:2]
	}
	for {
		bm, bn, bk := oneOf(r, tall...), oneOf(r, tall...), oneOf(r, deep...)
		warps := oneOf(r, 1, 2, 4, 4, 8)
		if bm*bn > each*warps*32 || (bm+bn)*bk*size > 128<<10 {
			continue
		}
		c.set("bm", bm)
		c.set("bn", bn)
		c.set("bk", bk)
		c.set("warps", warps)
		c.set("stages", 1+r.IntN(5))
		return
	}
}

// productWork makes the launch of a product.
func productWork(e *env, c Config) (*work, error) {
	s := size{c.num("m"), c.num("n"), c.num("k")}
	dt, err := nereid.DTypeOf(c.get("dtype"))
	if err != nil {
		return nil, err
	}
	out, err := nereid.DTypeOf(c.get("out"))
	if err != nil {
		return nil, err
	}
	a, err := e.operand("a", dt, s.m, s.k, layoutOf(c, "ta"))
	if err != nil {
		return nil, err
	}
	b, err := e.operand("b", dt, s.n, s.k, layoutOf(c, "tb"))
	if err != nil {
		return nil, err
	}
	o, err := e.product(s, out, c.is("pad"))
	if err != nil {
		return nil, err
	}
	return &work{kernel: c.get("kernel"), outs: []*output{o},
		launches: []launch{{productGrid(s, c), productArgs(s, c, a, b, o.tensor)}}}, nil
}

// laid says how a matrix lies in memory: as it is or transposed, its rows one behind another or at multiples
// of 16 elements.
type laid struct{ t, pad bool }

// layoutOf returns how an operand lies, by the config's field that says whether it is transposed.
func layoutOf(c Config, transposed string) laid { return laid{c.is(transposed), c.is("pad")} }

// width returns the distance between rows of so many elements.
func (l laid) width(columns int) int {
	if l.pad {
		return (columns + 15) / 16 * 16
	}
	return columns
}

// lay returns a matrix as it lies in memory; between its rows is the number gap.
func (l laid) lay(x []int32, rows, columns int, gap int32) []int32 {
	if l.t {
		x = transposed(x, rows, columns)
		rows, columns = columns, rows
	}
	width := l.width(columns)
	out := make([]int32, rows*width)
	for i := range rows {
		row := out[i*width : (i+1)*width]
		for j := copy(row, x[i*columns:(i+1)*columns]); j < width; j++ {
			row[j] = gap
		}
	}
	return out
}

// strides returns the strides of rows and columns of a matrix.
func (l laid) strides(rows, columns int) (row, column int) {
	if l.t {
		return 1, l.width(rows)
	}
	return l.width(columns), 1
}

// operand returns a matrix of rows of length k on the device.
func (e *env) operand(name string, dt nereid.DType, rows, k int, l laid) (*nereid.Tensor, error) {
	const gap = 5 // no number of the matrix, so that it shows in a sum
	key := fmt.Sprintf("%s %dx%d", name, rows, k)
	return e.input(fmt.Sprintf("%s %v", key, l), dt, func() ([]int32, error) {
		x, err := e.signs(key, rows*k)
		return l.lay(x, rows, k, gap), err
	})
}

// signs returns the numbers of a shared input.
func (e *env) signs(key string, n int) ([]int32, error) {
	return e.numbers(key, func() ([]int32, error) { return signs(random(e.seed, key), n), nil })
}

// product returns the output of a product, with what it must hold.
func (e *env) product(s size, dt nereid.DType, pad bool) (*output, error) {
	l := laid{pad: pad}
	return e.shared(fmt.Sprintf("product %v %v", s, pad), dt, s.m*l.width(s.n), func() ([]int32, error) {
		x, err := e.sums(s)
		return l.lay(x, s.m, s.n, untouched), err
	})
}

// sums returns the product of the operands of a size.
func (e *env) sums(s size) ([]int32, error) {
	return e.numbers(fmt.Sprintf("product %v", s), func() ([]int32, error) {
		a, err := e.signs(fmt.Sprintf("a %dx%d", s.m, s.k), s.m*s.k)
		if err != nil {
			return nil, err
		}
		b, err := e.signs(fmt.Sprintf("b %dx%d", s.n, s.k), s.n*s.k)
		if err != nil {
			return nil, err
		}
		return multiplySigns(a, b, s), nil
	})
}

// productGrid returns the programs: one for each tile, or as many as walk over the tiles.
func productGrid(s size, c Config) nereid.Grid {
	tiles := nereid.Cdiv(s.m, c.num("bm")) * nereid.Cdiv(s.n, c.num("bn"))
	if c.get("loop") != "none" {
		tiles = min(tiles, c.num("step"))
	}
	return nereid.Grid{tiles}
}

// productArgs returns the arguments of a kernel in products.py.
func productArgs(s size, c Config, a, b, out *nereid.Tensor) []any {
	bm, bn, bk := c.num("bm"), c.num("bn"), c.num("bk")
	la, lb, lc := layoutOf(c, "ta"), layoutOf(c, "tb"), laid{pad: c.is("pad")}
	sam, sak := la.strides(s.m, s.k)
	sbn, sbk := lb.strides(s.n, s.k)
	acc := nereid.Float32
	if out.DType == nereid.Int32 {
		acc = nereid.Int32
	}
	list := []any{a, b, out, s.m, s.n, s.k, sam, sak, sbn, sbk, lc.width(s.n), options(c), arg("BM", bm),
		arg("BN", bn), arg("BK", bk), arg("GROUP", c.num("group")), arg("ACC", acc),
		arg("PRECISION", c.get("precision"))}
	switch c.get("kernel") {
	case "advanced":
		return append(list, arg("EVEN", s.k%bk == 0))
	case "blocks":
		return append(list, arg("TA", la.t), arg("TB", lb.t))
	case "product":
		half := bn
		if c.get("c") == "halves" {
			half /= 2
		}
		list[0] = described(c.get("a"), a, la, [2]int{s.m, s.k}, [2]int{bm, bk})
		list[1] = described(c.get("b"), b, lb, [2]int{s.n, s.k}, [2]int{bn, bk})
		list[2] = described(c.get("c"), out, lc, [2]int{s.m, s.n}, [2]int{bm, half})
	}
	return append(list, arg("AFORM", c.get("a")), arg("BFORM", c.get("b")), arg("CFORM", c.get("c")),
		arg("TA", la.t), arg("TB", lb.t), arg("LOOP", c.get("loop")), arg("STEP", c.num("step")))
}

// arg is an argument by name.
func arg(name string, v any) nereid.Named { return nereid.Arg(name, v) }

// options returns the options that a config has.
func options(c Config) nereid.Options {
	return nereid.Options{NumWarps: c.num("warps"), NumStages: c.num("stages")}
}

// described returns a tensor, or its descriptor unless a form takes pointers.
func described(form string, x *nereid.Tensor, l laid, shape, block [2]int) any {
	if form != "desc" && form != "halves" {
		return x
	}
	if l.t {
		shape[0], shape[1], block[0], block[1] = shape[1], shape[0], block[1], block[0]
	}
	d := descriptor(x, shape[:], block[:])
	d.Strides[0] = int64(l.width(shape[1]))
	return d
}

// descriptor describes the first elements of a tensor as one of a shape.
func descriptor(x *nereid.Tensor, shape, block []int) *nereid.Descriptor {
	d := &nereid.Descriptor{Base: x, Strides: make([]int64, len(shape))}
	stride := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		d.Strides[i] = stride
		stride *= int64(shape[i])
	}
	for i := range shape {
		d.Shape, d.Block = append(d.Shape, int64(shape[i])), append(d.Block, int64(block[i]))
	}
	return d
}
