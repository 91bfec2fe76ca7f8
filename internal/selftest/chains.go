package selftest

import (
	"fmt"
	"math/rand/v2"

	"github.com/nereid-lang/nereid"
)

// drawChain draws the config of a chain of two products.
func drawChain(r *rand.Rand, p *place) (c Config) {
	m, n, wide := oneOf(r, 2048, 1000), oneOf(r, 512, 1024, 1016), []int{16, 32, 64, 128}
	if !p.gpu {
		m, n, wide = oneOf(r, 64, 40), oneOf(r, 64, 96, 72), wide[:2]
	}
	dt := oneOf(r, p.products()...)
	if dt.Size() == 1 {
		wide = wide[1:]
	}
	c.set("m", m)
	c.set("n", n)
	c.set("h", oneOf(r, wide...))
	c.set("d", oneOf(r, wide...))
	c.set("dtype", dt)
	c.set("f", oneOf(r, between(dt)...))
	c.set("kernel", oneOf(r, "chain", "chain", "made"))
	form := oneOf(r, "pointers", "desc", "desc")
	if c.get("kernel") == "made" {
		form = "desc"
	}
	c.set("form", form)
	c.set("loop", oneOf(r, "plain", "plain", "plain", "special"))
	drawChainBlocks(r, p, &c, dt)
	return c
}

// between returns the functions between two products whose values a type holds.
func between(dt nereid.DType) []string {
	if dt.Size() == 1 {
		return []string{"sign"}
	}
	return []string{"sign", "none", "relu", "causal"}
}

// drawChainBlocks draws block sizes that a program's threads hold.
func drawChainBlocks(r *rand.Rand, p *place, c *Config, dt nereid.DType) {
	tall, short := []int{16, 32, 64, 128, 256}, []int{16, 32, 64, 128}
	if !p.gpu {
		tall, short = tall[:3], short[:3]
	}
	if dt.Size() == 1 {
		short = short[1:]
	}
	for {
		bm, bn, warps := oneOf(r, tall...), oneOf(r, short...), oneOf(r, 1, 2, 4, 4, 8)
		if bm*max(bn, c.num("d"), c.num("h")) > 96*warps*32 {
			continue
		}
		c.set("bm", bm)
		c.set("bn", bn)
		c.set("warps", warps)
		c.set("stages", 1+r.IntN(4))
		return
	}
}

// chainWork makes the launch of a chain.
func chainWork(e *env, c Config) (*work, error) {
	m, n, h, d := c.num("m"), c.num("n"), c.num("h"), c.num("d")
	dt, err := nereid.DTypeOf(c.get("dtype"))
	if err != nil {
		return nil, err
	}
	acc := outTypes(dt)[0]
	var in [3]*nereid.Tensor
	for i, x := range []struct {
		name          string
		rows, columns int
	}{{"a", m, h}, {"b", n, h}, {"d", n, d}} {
		if in[i], err = e.operand(x.name, dt, x.rows, x.columns, laid{}); err != nil {
			return nil, err
		}
	}
	key := fmt.Sprintf("chain %d %d %d %d %s", m, n, h, d, c.get("f"))
	out, err := e.shared(key, acc, m*d, func() ([]int32, error) {
		return e.chained(key, m, n, h, d, c.get("f"))
	})
	if err != nil {
		return nil, err
	}
	return &work{kernel: c.get("kernel"), outs: []*output{out},
		launches: []launch{
			{nereid.Grid{nereid.Cdiv(m, c.num("bm"))}, chainArgs(c, in, out.tensor, acc, e.precision())},
		}}, nil
}

// chained computes a chain on the host.
func (e *env) chained(key string, m, n, h, d int, f string) ([]int32, error) {
	return e.numbers(key, func() ([]int32, error) {
		s, err := e.sums(size{m, n, h})
		if err != nil {
			return nil, err
		}
		y, err := e.signs(fmt.Sprintf("d %dx%d", n, d), n*d)
		if err != nil {
			return nil, err
		}
		mid := make([]int32, len(s))
		for i, v := range s {
			mid[i] = apply(f, v, i/n, i%n)
		}
		return multiply(mid, y, size{m, d, n}), nil
	})
}

// apply is the function between products, of a value in row m and column n.
func apply(f string, v int32, m, n int) int32 {
	switch {
	case f == "sign":
		return min(max(v, -1), 1)
	case f == "relu":
		return max(v, 0)
	case f == "causal" && m < n:
		return 0
	}
	return v
}

// chainArgs returns the arguments of a kernel in chains.py.
func chainArgs(c Config, in [3]*nereid.Tensor, out *nereid.Tensor, acc nereid.DType,
	precision string) []any {
	m, n, h, d, bm, bn := c.num("m"), c.num("n"), c.num("h"), c.num("d"), c.num("bm"), c.num("bn")
	list := []any{in[0], in[1], in[2], out, m, n, options(c), arg("H", h), arg("D", d), arg("BM", bm),
		arg("BN", bn), arg("F", c.get("f")), arg("FORM", c.get("form")), arg("ACC", acc),
		arg("PRECISION", precision), arg("LOOP", c.get("loop"))}
	if c.get("kernel") == "chain" && c.get("form") == "desc" {
		list[0] = descriptor(in[0], []int{m, h}, []int{bm, h})
		list[1] = descriptor(in[1], []int{n, h}, []int{bn, h})
		list[2] = descriptor(in[2], []int{n, d}, []int{bn, d})
		list[3] = descriptor(out, []int{m, d}, []int{bm, d})
	}
	return list
}
