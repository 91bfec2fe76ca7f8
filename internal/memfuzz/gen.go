package memfuzz

import (
	"fmt"
	"math/rand/v2"
)

// generator makes one kernel. What it has made so far tells which names statements may use.
type generator struct {
	*rand.Rand
	k       *Kernel
	vars    []*Expr           // variables in scope, as expressions
	from    map[string]string // the tensor that a variable was last loaded from
	loops   []string          // loop variables in scope
	ptrs    []*Stmt           // pointer variables in scope
	indices [nShapes][]Index  // made so far
	names   int
	left    int // how many more statements may be made
	depth   int
	dots    bool // there are products of matrices, for whose sake loops are pipelined
	values  bool // the kernel computes more than it moves
}

// Generate returns kernel i of a seed.
func Generate(seed, i uint64) *Kernel { return generate(seed, i, false) }

func generate(seed, i uint64, values bool) *Kernel {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, i)), k: &Kernel{}, from: map[string]string{},
		values: values}
	g.launch()
	g.arguments()
	g.left = 2 + g.IntN(9)
	g.k.Body = g.body()
	for range min(len(g.vars), 1+g.IntN(2)) {
		g.k.Body = append(g.k.Body, g.storeVariable(pick(g, g.vars...)))
	}
	return g.k
}

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// chance reports true in p of 100 cases.
func (g *generator) chance(p int) bool { return g.IntN(100) < p }

func (g *generator) launch() {
	n := pick(g, 16, 32, 64, 64, 64, 128, 128, 256)
	g.k.Rows = min(n/2, pick(g, 2, 4, 8, 16))
	few := 8
	if g.values {
		few = 30
	}
	if g.dots = g.chance(few); g.dots {
		n, g.k.Rows = 256, 16 // the least that products take
	}
	g.k.Cols = n / g.k.Rows
	g.k.Warps = pick(g, 1, 2, 4, 4)
	g.k.Grid = pick(g, 1, 2, 3, 8)
	g.k.Align = pick(g, 1, 16, 32)
	g.k.Check = g.chance(10)
	if g.k.CTAs = 1; g.chance(5) {
		g.k.CTAs = 2
	}
}

// arguments makes few tensors, so that accesses meet.
func (g *generator) arguments() {
	for i := range pick(g, 1, 2, 2, 3) {
		t := Tensor{Name: fmt.Sprintf("x%d", i), Type: pick(g, I32, I32, I32, F32, F32, I8, I64, F16),
			Seed: g.Uint64N(1000), Indexed: g.chance(30)}
		if g.dots {
			t.Type = pick(g, F16, F16, F32)
		}
		if g.chance(15) {
			t.Offset = pick(g, 1, 3, 4, 16)
		}
		g.k.Tensors = append(g.k.Tensors, t)
	}
	if g.chance(20) {
		of := pick(g, g.k.Tensors...)
		g.k.Tensors = append(g.k.Tensors, Tensor{
			Name: "y", Type: of.Type, Of: of.Name, Offset: pick(g, 0, 1, 2, 4, 16, 16, 32),
			Indexed: of.Indexed,
		})
	}
	if g.chance(30) {
		g.k.Tensors = append(g.k.Tensors, Tensor{Name: "p", Type: I32, Perm: true, Seed: g.Uint64N(1000)})
	}
	for i := range g.IntN(4) {
		g.k.Scalars = append(g.k.Scalars, Scalar{fmt.Sprintf("n%d", i),
			pick(g, 0, 1, 2, 3, 5, 6, 7, 8, 16, 33)})
	}
}

// tensor returns a tensor that may be written.
func (g *generator) tensor() *Tensor {
	for {
		if t := &g.k.Tensors[g.IntN(len(g.k.Tensors))]; !t.Perm {
			return t
		}
	}
}

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *generator) shape() Shape { return pick(g, Vec, Vec, Vec, Vec, Mat, Mat, RowVec, ColVec, Scal) }

// body makes statements in a scope of their own.
func (g *generator) body() []*Stmt {
	vars, ptrs := len(g.vars), len(g.ptrs)
	var out []*Stmt
	for n := 1 + g.IntN(4); g.left > 0 && (g.depth == 0 || n > 0); n-- {
		if g.chance(30) {
			g.left -= 2
			out = append(out, g.move()...)
			continue
		}
		g.left--
		out = append(out, g.stmt())
	}
	if g.depth > 0 {
		g.vars, g.ptrs = g.vars[:vars], g.ptrs[:ptrs]
	}
	return out
}

// kind is a kind of statement: how many of 100 are of it, and the depth above which alone it is made.
type kind struct {
	weight, depth int
	make          func() *Stmt
}

// kinds returns the kinds of statement; what is left of the 100 are stores.
func (g *generator) kinds() []kind {
	if g.values {
		return g.valueKinds()
	}
	return []kind{
		{25, 9, g.load},
		{22, 9, g.store},
		{5, 9, g.assign},
		{8, 9, func() *Stmt { return &Stmt{Kind: "barrier"} }},
		{5, 9, g.reduce},
		{4, 9, g.pointer},
		{4, 9, g.advance},
		{5, 9, g.atomic},
		{1, 1, func() *Stmt { return &Stmt{Kind: "return", Value: g.condition()} }},
		{10, 2, g.loop},
		{4, 2, g.while},
		{7, 2, g.branch},
	}
}

// stmt makes one statement.
func (g *generator) stmt() *Stmt {
	n := g.IntN(100)
	for _, k := range g.kinds() {
		if n -= k.weight; n < 0 && g.depth < k.depth {
			return k.make()
		}
	}
	return g.store()
}
