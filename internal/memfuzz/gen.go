package memfuzz

import (
	"fmt"
	"math/rand/v2"
)

// generator makes one kernel. What it has made so far tells which names statements may use.
type generator struct {
	*rand.Rand
	k     *Kernel
	vars  []*Expr           // variables in scope, as expressions
	from  map[string]string // the tensor that a variable was last loaded from
	loops []string          // loop variables in scope
	ptrs  []*Stmt           // pointer variables in scope
	names int
	left  int // how many more statements may be made
	depth int
}

// Generate returns kernel i of a seed.
func Generate(seed, i uint64) *Kernel {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, i)), k: &Kernel{}, from: map[string]string{}}
	g.launch()
	g.arguments()
	g.left = 2 + g.IntN(9)
	g.k.Body = g.body()
	g.k.Body = append(g.k.Body, g.store())
	return g.k
}

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// chance reports true in p of 100 cases.
func (g *generator) chance(p int) bool { return g.IntN(100) < p }

func (g *generator) launch() {
	n := pick(g, 16, 32, 64, 64, 64, 128, 128, 256)
	g.k.Rows = min(n/2, pick(g, 2, 4, 8, 16))
	g.k.Cols = n / g.k.Rows
	g.k.Warps = pick(g, 1, 2, 4, 4)
	g.k.Grid = pick(g, 1, 1, 2, 3)
	g.k.Align = pick(g, 1, 16, 32)
}

// arguments makes few tensors, so that accesses meet.
func (g *generator) arguments() {
	for i := range pick(g, 1, 2, 2, 3) {
		t := Tensor{Name: fmt.Sprintf("x%d", i), Type: pick(g, I32, I32, I32, F32, F32, I8, I64, F16), Seed: g.Uint64N(1000), Indexed: g.chance(30)}
		if g.chance(20) {
			t.Offset = pick(g, 1, 3, 4, 16)
		}
		g.k.Tensors = append(g.k.Tensors, t)
	}
	if g.chance(15) {
		of := pick(g, g.k.Tensors...)
		g.k.Tensors = append(g.k.Tensors, Tensor{
			Name: "y", Type: of.Type, Of: of.Name, Offset: pick(g, 0, 1, 2, 4, 16, 16, 32), Indexed: of.Indexed,
		})
	}
	if g.chance(30) {
		g.k.Tensors = append(g.k.Tensors, Tensor{Name: "p", Type: I32, Perm: true, Seed: g.Uint64N(1000)})
	}
	for i := range g.IntN(4) {
		g.k.Scalars = append(g.k.Scalars, Scalar{fmt.Sprintf("n%d", i), pick(g, 0, 1, 2, 3, 5, 6, 7, 8, 16, 33)})
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
		g.left--
		out = append(out, g.stmt())
	}
	if g.depth > 0 {
		g.vars, g.ptrs = g.vars[:vars], g.ptrs[:ptrs]
	}
	return out
}

// stmt makes one statement.
func (g *generator) stmt() *Stmt {
	switch n := g.IntN(100); {
	case n < 28:
		return g.load()
	case n < 56:
		return g.store()
	case n < 60:
		return g.assign()
	case n < 67:
		return &Stmt{Kind: "barrier"}
	case n < 72:
		return g.reduce()
	case n < 76:
		return g.pointer()
	case n < 79:
		return g.advance()
	case n < 83:
		return g.atomic()
	case n < 84 && g.depth == 0:
		return &Stmt{Kind: "return", Value: g.condition()}
	case g.depth >= 2:
		return g.store()
	case n < 93:
		return g.loop()
	case n < 96:
		return g.while()
	}
	return g.branch()
}
