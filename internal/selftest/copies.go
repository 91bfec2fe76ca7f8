package selftest

import (
	"fmt"
	"math/rand/v2"

	"github.com/nereid-lang/nereid"
)

// copied lists the types of copies, each with those that hold its numbers.
var copied = map[nereid.DType][]nereid.DType{
	nereid.Int8:     {nereid.Int8, nereid.Int32, nereid.Float16, nereid.Float32},
	nereid.Int16:    {nereid.Int16, nereid.Int32, nereid.Int64, nereid.Float32},
	nereid.Int32:    {nereid.Int32, nereid.Int64, nereid.Float32, nereid.Int8},
	nereid.Int64:    {nereid.Int64, nereid.Int32},
	nereid.Float16:  {nereid.Float16, nereid.Float32, nereid.BFloat16, nereid.Int8},
	nereid.BFloat16: {nereid.BFloat16, nereid.Float32, nereid.Float16},
	nereid.Float32:  {nereid.Float32, nereid.Float16, nereid.BFloat16, nereid.Int32},
	nereid.Float64:  {nereid.Float64, nereid.Float32},
	nereid.Float8E5: {nereid.Float8E5, nereid.Float16, nereid.Float32},
}

// copyTypes lists the keys of copied in order.
var copyTypes = []nereid.DType{nereid.Int8, nereid.Int16, nereid.Int32, nereid.Int64, nereid.Float16,
	nereid.BFloat16, nereid.Float32, nereid.Float64, nereid.Float8E5}

// drawCopy draws the config of a copy.
func drawCopy(r *rand.Rand, p *place) (c Config) {
	rows, columns := oneOf(r, 2048, 1000, 777), oneOf(r, 2048, 1032, 515)
	if !p.gpu {
		rows, columns = oneOf(r, 64, 40, 33), oneOf(r, 64, 72, 51)
	}
	from := oneOf(r, copyTypes...)
	forms := []string{"desc", "desc", "pointers", "blocks"}
	c.set("rows", rows)
	c.set("columns", columns)
	c.set("dtype", from)
	c.set("out", oneOf(r, copied[from]...))
	kernel, pad := oneOf(r, "copy", "copy", "made"), bit(r)
	if kernel == "made" { // kernels make descriptors of rows that are multiples of 16 bytes
		pad = 1
	}
	c.set("kernel", kernel)
	c.set("pad", pad)
	c.set("from", oneOf(r, forms...))
	c.set("to", oneOf(r, forms...))
	c.set("t", bit(r))
	c.set("loop", oneOf(r, "none", "columns", "rows"))
	drawCopyBlocks(r, p, &c)
	return c
}

// drawCopyBlocks draws block sizes: both dimensions have 16 bytes, because each may be the last of a
// descriptor, and a thread holds at most 64 elements.
func drawCopyBlocks(r *rand.Rand, p *place, c *Config) {
	long := []int{16, 32, 64, 128, 256}
	if !p.gpu {
		long = long[:3]
	}
	for {
		br, bc, warps := oneOf(r, long...), oneOf(r, long...), oneOf(r, 1, 2, 4, 8)
		if br*bc > 64*32*warps {
			continue
		}
		c.set("br", br)
		c.set("bc", bc)
		c.set("warps", warps)
		c.set("stages", 1+r.IntN(5))
		return
	}
}

// copyWork makes the launch of a copy.
func copyWork(e *env, c Config) (*work, error) {
	rows, columns := c.num("rows"), c.num("columns")
	dt, err := nereid.DTypeOf(c.get("dtype"))
	if err != nil {
		return nil, err
	}
	to, err := nereid.DTypeOf(c.get("out"))
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("copy %dx%d", rows, columns)
	numbers := func() ([]int32, error) {
		return e.numbers(key, func() ([]int32, error) {
			return below(random(e.seed, key), rows*columns, -8, 9), nil
		})
	}
	l, lo := laid{pad: c.is("pad")}, layoutOf(c, "t")
	x, err := e.input(fmt.Sprintf("%s %v", key, l), dt, func() ([]int32, error) {
		v, err := numbers()
		return l.lay(v, rows, columns, 11), err
	})
	if err != nil {
		return nil, err
	}
	down, across := rows, columns
	if lo.t {
		down, across = columns, rows
	}
	out, err := e.shared(fmt.Sprintf("%s %v", key, lo), to, down*lo.width(across), func() ([]int32, error) {
		v, err := numbers()
		return lo.lay(v, rows, columns, untouched), err
	})
	if err != nil {
		return nil, err
	}
	return &work{kernel: c.get("kernel"), outs: []*output{out},
		launches: []launch{{copyGrid(c), copyArgs(c, x, out.tensor)}}}, nil
}

// copyGrid returns the programs: one for each block, row of blocks or column of blocks.
func copyGrid(c Config) nereid.Grid {
	down, across := nereid.Cdiv(c.num("rows"), c.num("br")), nereid.Cdiv(c.num("columns"), c.num("bc"))
	switch c.get("loop") {
	case "columns":
		return nereid.Grid{down}
	case "rows":
		return nereid.Grid{across}
	}
	return nereid.Grid{down * across}
}

// copyArgs returns the arguments of a kernel in copies.py.
func copyArgs(c Config, x, y *nereid.Tensor) []any {
	rows, columns, br, bc := c.num("rows"), c.num("columns"), c.num("br"), c.num("bc")
	l, lo := laid{pad: c.is("pad")}, layoutOf(c, "t")
	stride := lo.width(columns)
	if lo.t {
		stride = lo.width(rows)
	}
	list := []any{x, y, rows, columns, l.width(columns), stride, options(c), arg("BR", br), arg("BC", bc),
		arg("FROM", c.get("from")), arg("TO", c.get("to")), arg("T", lo.t), arg("LOOP", c.get("loop")),
		arg("STAGES", c.num("stages"))}
	if c.get("kernel") == "copy" {
		list[0] = described(c.get("from"), x, l, [2]int{rows, columns}, [2]int{br, bc})
		list[1] = described(c.get("to"), y, lo, [2]int{rows, columns}, [2]int{br, bc})
	}
	return list
}
