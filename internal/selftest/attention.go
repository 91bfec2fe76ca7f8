package selftest

import (
	"fmt"
	"math/rand/v2"

	"github.com/nereid-lang/nereid"
)

// drawAttention draws the config of attention.
func drawAttention(r *rand.Rand, p *place) (c Config) {
	heads, n, wide := oneOf(r, 4, 16), oneOf(r, 1024, 512, 1000), []int{16, 32, 64, 128}
	if !p.gpu {
		heads, n, wide = oneOf(r, 1, 2), oneOf(r, 64, 48), wide[:2]
	}
	c.set("heads", heads)
	c.set("n", n)
	h := oneOf(r, wide...)
	c.set("h", h)
	c.set("d", oneOf(r, h, h, oneOf(r, wide...)))
	c.set("dtype", oneOf(r, nereid.Float16, nereid.Float16, nereid.BFloat16, nereid.Float32))
	c.set("causal", bit(r))
	c.set("form", oneOf(r, "pointers", "desc", "heads"))
	c.set("loop", oneOf(r, "plain", "plain", "special"))
	c.set("query", oneOf(r, "loaded", "scaled"))
	dt, _ := nereid.DTypeOf(c.get("dtype"))
	drawChainBlocks(r, p, &c, dt)
	return c
}

// attentionWork makes the launch of attention.
func attentionWork(e *env, c Config) (*work, error) {
	heads, n, h, d := c.num("heads"), c.num("n"), c.num("h"), c.num("d")
	dt, err := nereid.DTypeOf(c.get("dtype"))
	if err != nil {
		return nil, err
	}
	var in [3]*nereid.Tensor
	for i, x := range []struct {
		name  string
		width int
		make  func(r *rand.Rand, rows, width int) []int32
	}{{"q", h, oneHot}, {"k", h, depths}, {"v", d, attended}} {
		key := fmt.Sprintf("attention %s %dx%dx%d", x.name, heads, n, x.width)
		if in[i], err = e.input(key, dt, func() ([]int32, error) {
			return e.made(key, heads*n, x.width, x.make)
		}); err != nil {
			return nil, err
		}
	}
	outs, err := e.attended(heads, n, h, d, c.is("causal"))
	if err != nil {
		return nil, err
	}
	return &work{kernel: "attention", outs: outs, launches: []launch{{
		nereid.Grid{nereid.Cdiv(n, c.num("bm")), heads}, attentionArgs(c, in, outs)}}}, nil
}

// made returns the numbers of an input.
func (e *env) made(key string, rows, width int, f func(*rand.Rand, int, int) []int32) ([]int32, error) {
	return e.numbers(key, func() ([]int32, error) { return f(random(e.seed, key), rows, width), nil })
}

// oneHot returns rows with a single 1 each: scores are elements of the keys.
func oneHot(r *rand.Rand, rows, width int) []int32 {
	out := make([]int32, rows*width)
	for i := range rows {
		out[i*width+r.IntN(width)] = 1
	}
	return out
}

// depths returns scores of -3 to 0, whose powers of two add up without rounding.
func depths(r *rand.Rand, rows, width int) []int32 { return below(r, rows*width, -3, 1) }

// attended returns the values.
func attended(r *rand.Rand, rows, width int) []int32 { return signs(r, rows*width) }

// weighed is what attention leaves: sums of values and of weights in eighths, and the largest scores.
type weighed struct{ out, sums, tops []int32 }

// attended returns the outputs of attention with what they must hold.
func (e *env) attended(heads, n, h, d int, causal bool) ([]*output, error) {
	key := fmt.Sprintf("attention %d %d %d %d %v", heads, n, h, d, causal)
	all := func() (*weighed, error) {
		return once(e.store, "weighed "+key, func() (*weighed, error) {
			return e.weigh(heads, n, h, d, causal)
		})
	}
	var outs []*output
	for _, x := range []struct {
		name  string
		width int
		part  func(*weighed) ([]int32, float64)
	}{
		{"out", d, func(w *weighed) ([]int32, float64) { return w.out, 8 }},
		{"sums", 1, func(w *weighed) ([]int32, float64) { return w.sums, 8 }},
		{"tops", 1, func(w *weighed) ([]int32, float64) { return w.tops, 1 }},
	} {
		img, err := once(e.store, "image "+x.name+" "+key, func() (*image, error) {
			w, err := all()
			if err != nil {
				return nil, err
			}
			values, by := x.part(w)
			return e.image(encodeOver(nereid.Float32, values, by))
		})
		if err != nil {
			return nil, err
		}
		o, err := e.output(x.name, nereid.Float32, heads*n*x.width, img)
		if err != nil {
			return nil, err
		}
		outs = append(outs, o)
	}
	return outs, nil
}

// weigh computes attention on the host, in eighths. Weights are relative to the row's largest score.
func (e *env) weigh(heads, n, h, d int, causal bool) (*weighed, error) {
	q, err := e.made(fmt.Sprintf("attention q %dx%dx%d", heads, n, h), heads*n, h, oneHot)
	if err != nil {
		return nil, err
	}
	k, err := e.made(fmt.Sprintf("attention k %dx%dx%d", heads, n, h), heads*n, h, depths)
	if err != nil {
		return nil, err
	}
	v, err := e.made(fmt.Sprintf("attention v %dx%dx%d", heads, n, d), heads*n, d, attended)
	if err != nil {
		return nil, err
	}
	w := &weighed{make([]int32, heads*n*d), make([]int32, heads*n), make([]int32, heads*n)}
	inRows(heads*n, func(i int) {
		head, end := i/n*n, n
		if causal {
			end = i%n + 1
		}
		hot := 0
		for q[i*h+hot] == 0 {
			hot++
		}
		top := int32(-3)
		for j := range end {
			top = max(top, k[(head+j)*h+hot])
		}
		w.tops[i] = top
		for j := range end {
			weight := int32(8) >> (top - k[(head+j)*h+hot])
			w.sums[i] += weight
			for x, value := range v[(head+j)*d : (head+j+1)*d] {
				w.out[i*d+x] += weight * value
			}
		}
	})
	return w, nil
}

// attentionArgs returns the arguments of the kernel.
func attentionArgs(c Config, in [3]*nereid.Tensor, outs []*output) []any {
	heads, n, h, d, bm, bn := c.num("heads"), c.num("n"), c.num("h"), c.num("d"), c.num("bm"), c.num("bn")
	list := []any{in[0], in[1], in[2], outs[0].tensor, outs[1].tensor, outs[2].tensor, n, float32(1),
		options(c), arg("H", h), arg("D", d), arg("BM", bm), arg("BN", bn), arg("CAUSAL", c.is("causal")),
		arg("EVEN", n%bn == 0), arg("FORM", c.get("form")), arg("LOOP", c.get("loop")),
		arg("QUERY", c.get("query"))}
	for i, x := range [][2]int{{bm, h}, {bn, h}, {bn, d}} {
		switch c.get("form") {
		case "desc":
			list[i] = descriptor(in[i], []int{heads * n, x[1]}, x[:])
		case "heads":
			list[i] = descriptor(in[i], []int{heads, n, x[1]}, []int{1, x[0], x[1]})
		}
	}
	return list
}
