package sem

import (
	"fmt"
	"slices"
	"sync"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// Gluon is compiled as an experiment: see RATIONALE.md. Its operations are those of Triton, so they have the
// same rules here; the layouts that a program gives stand on the operations as ttg.LayoutMark, and a pass
// (gpu/layouts.GivenLayouts) carries them on to all other tensors.

// Layout is a layout that a program of Gluon gives to tensors, known at compile time.
type Layout struct {
	Enc   ir.Attr
	class string
	args  string // as the program writes them
}

// TypeName returns the class name in the language.
func (l *Layout) TypeName() string { return l.class }

// Repr returns the layout as the program makes it.
func (l *Layout) Repr() string { return l.class + "(" + l.args + ")" }

// Str returns the layout as the program makes it.
func (l *Layout) Str() string { return l.Repr() }

// HashKey lets layouts be compared: encodings are interned.
func (l *Layout) HashKey() (any, error) { return l.Enc, nil }

// BlockedLayout returns gl.BlockedLayout of lists of numbers.
func BlockedLayout(perThread, threads, warps, order []int64) (*Layout, error) {
	rank := len(perThread)
	if rank == 0 || len(threads) != rank || len(warps) != rank || len(order) != rank {
		return nil, object.Errorf(object.ValueError,
			"a BlockedLayout has lists of one length: there are %d, %d, %d and %d numbers", rank,
			len(threads), len(warps), len(order))
	}
	if !slices.Equal(slices.Sorted(slices.Values(order)), iota64(rank)) {
		return nil, object.Errorf(object.ValueError,
			"the order of a BlockedLayout names each dimension from 0 to %d once, but is %s", rank-1,
			plainShape(order))
	}
	for _, n := range slices.Concat(perThread, threads, warps) {
		if n <= 0 || n&(n-1) != 0 {
			return nil, object.Errorf(object.ValueError,
				"sizes of a BlockedLayout are powers of 2, not %d", n)
		}
	}
	b := ttg.Blocked{SizePerThread: perThread, ThreadsPerWarp: threads, WarpsPerCTA: warps, Order: order}
	return &Layout{b.Attr(), "BlockedLayout", fmt.Sprintf("%s, %s, %s, %s", plainShape(perThread),
		plainShape(threads), plainShape(warps), plainShape(order))}, nil
}

// SliceLayout returns gl.SliceLayout.
func SliceLayout(dim int64, parent *Layout) *Layout {
	return &Layout{ttg.Slice{Dim: dim, Parent: parent.Enc}.Attr(), "SliceLayout",
		fmt.Sprintf("%d, %s", dim, parent.Repr())}
}

// gluonRows has the functions of gluon.language that take layouts.
var gluonRows = []row{
	{"arange", "start, end, layout=None", public, gluonArange},
	{"full", "shape, value, dtype, layout=None", public, gluonFull},
	{"zeros", "shape, dtype, layout=None", public, gluonZeros},
	{"convert_layout", "value, layout, assert_trivial=False", public, convertLayout},
}

var gluonBuiltins = sync.OnceValue(func() map[string]*Builtin {
	out := map[string]*Builtin{}
	for _, r := range gluonRows {
		bi := r.make()
		bi.Language = "gl"
		out[r.name] = bi
	}
	return out
})

// Gluon returns a function of gluon.language that takes a layout, or nil.
func Gluon(name string) *Builtin { return gluonBuiltins()[name] }

// layout returns the argument of that name.
func (c *Call) layout() *Layout {
	if l, ok := c.Named("layout").(*Layout); ok {
		return l
	}
	if !c.given("layout") {
		panic(bad(CodeGluon, "gl.%s without layout=: layouts are not derived here", c.Fn.Name).
			hint("give it a gl.BlockedLayout or a gl.SliceLayout"))
	}
	panic(c.wrong("layout", "a gl.BlockedLayout or gl.SliceLayout"))
}

// marked gives an operation's result the layout that the program says.
func (c *Call) marked(x *Tensor, l *Layout) *Tensor {
	if rank, want := len(ShapeOf(x.Type)), l.rank(); rank != want {
		panic(bad(CodeShape, "a tensor of rank %d cannot have %s, which is of rank %d", rank, l.Repr(),
			want).at("layout"))
	}
	x.V.Def().SetAttr(ttg.LayoutMark, l.Enc)
	return x
}

func (l *Layout) rank() int {
	if s, ok := ttg.As[ttg.Slice](l.Enc); ok {
		return (&Layout{Enc: s.Parent}).rank() - 1
	}
	b, _ := ttg.As[ttg.Blocked](l.Enc)
	return len(b.Order)
}

func gluonArange(c *Call) object.Value {
	l := c.layout()
	return c.marked(c.B.arange(c.constBound("start"), c.constBound("end")), l)
}

func gluonFull(c *Call) object.Value { return c.filled(c.Named("value")) }

func gluonZeros(c *Call) object.Value { return c.filled(object.MakeInt(0)) }

// filled returns a tensor with a value everywhere.
func (c *Call) filled(v object.Value) *Tensor {
	l := c.layout()
	x := c.B.makeScalar(v, c.dtype("dtype"))
	return c.marked(c.B.splat(x, c.shape("shape", c.list("shape"))), l)
}

func convertLayout(c *Call) object.Value {
	l, x := c.layout(), c.device("value")
	if c.bool("assert_trivial") {
		panic(bad(CodeGluon, "gl.convert_layout(assert_trivial=True) is not checked here"))
	}
	return c.marked(c.B.op(ttg.ConvertLayout, x.Type, x.V), l)
}
