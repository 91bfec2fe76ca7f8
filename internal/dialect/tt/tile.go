package tt

import (
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/ir"
)

// TileAttr marks an argument of a kernel that is a descriptor which the host makes of other arguments.
const TileAttr = "nereid.tile"

// Tile says how the host makes a descriptor of the other arguments of a launch. Numbers of arguments count
// those of the function.
type Tile struct {
	Base int       // argument with the address
	Dims []TileDim // outermost first; the last one is contiguous
	// Multiples lists arguments that must be multiples of numbers, and at least as large. Where a launch's
	// are not, and where an argument that a dimension names is negative, there is no descriptor.
	Multiples []TileMultiple `json:",omitempty"`
	// Natural lists the arguments that must not be negative.
	Natural []int `json:",omitempty"`
	// Guards lists numbers that must not be negative for any program of the launch, in any iteration.
	Guards []TileGuard `json:",omitempty"`
	// Apart lists arguments through which a program may have stored before it loads the tile. The copy engine
	// need not see such stores, so none of them may be the same memory.
	Apart []int `json:",omitempty"`
}

// TileGuard is a number that a program computes of its place in the grid and of arguments: pairs of a step
// and its operand, for a machine with a stack. It may enter loops first; then it is a number for each of
// their iterations.
type TileGuard []int64

// Steps of a TileGuard. The first five put a number on the stack. GuardEach takes three, all that are there:
// first number, end and step of a loop, for whose iterations all that follows is computed. The others combine
// the two on top.
const (
	GuardNumber   int64 = iota // the operand
	GuardArg                   // the argument that the operand numbers
	GuardProgram               // the program's number along an axis
	GuardPrograms              // the number of programs along an axis
	GuardIndex                 // the variable of a loop, by the order in which the loops are entered
	GuardEach
	GuardAdd
	GuardSub
	GuardMul
	GuardDiv
	GuardRem
	GuardMin
	GuardMax
)

// TileDim is a dimension of a Tile.
type TileDim struct {
	Stride TileTerm   // distance of neighbours, in elements
	Size   []TileTerm `json:",omitempty"` // a sum; nil means as large as can be
}

// TileTerm is a product of arguments and a factor.
type TileTerm struct {
	Factor int64
	Args   []int `json:",omitempty"`
}

// TileMultiple says that an argument must be a positive multiple of a number.
type TileMultiple struct {
	Arg int
	Of  int64
}

// Bounds of guards.
const (
	MaxGuardStack = 16
	MaxGuardArgs  = 12
	MaxGuardLoops = 3
)

// Valid reports whether a guard has well-formed steps, so that computing it needs no checks of the stack.
func (g TileGuard) Valid() bool {
	n, args, loops := 0, 0, 0
	for i := 0; i+1 < len(g); i += 2 {
		step, x := g[i], g[i+1]
		if step < 0 || step > GuardMax {
			return false
		}
		switch step {
		case GuardProgram, GuardPrograms:
			if x < 0 || x > 2 {
				return false
			}
		case GuardArg:
			args++
		case GuardIndex:
			if x < 0 || x >= int64(loops) {
				return false
			}
		case GuardEach:
			if loops++; n != 3 || loops > MaxGuardLoops {
				return false
			}
		}
		if n += guardPushes(step); n < 1 && step != GuardEach || n > MaxGuardStack || args > MaxGuardArgs {
			return false
		}
	}
	return n == 1 && len(g)%2 == 0
}

// guardPushes returns by how many numbers a step makes the stack higher.
func guardPushes(step int64) int {
	switch {
	case step <= GuardIndex:
		return 1
	case step == GuardEach:
		return -3
	}
	return -1
}

// Attr returns the tile as an attribute.
func (t Tile) Attr() ir.Attr {
	dims := make([]ir.Attr, len(t.Dims))
	for i, d := range t.Dims {
		list := []ir.Attr{d.Stride.attr()}
		for _, s := range d.Size {
			list = append(list, s.attr())
		}
		dims[i] = ir.Array(list...)
	}
	var multiples []int64
	for _, m := range t.Multiples {
		multiples = append(multiples, int64(m.Arg), m.Of)
	}
	guards := make([]ir.Attr, len(t.Guards))
	for i, g := range t.Guards {
		guards[i] = ir.DenseArray(ir.I64, g...)
	}
	list := []ir.NamedAttr{ir.A("base", ir.I32Attr(int64(t.Base))), ir.A("dims", ir.Array(dims...)),
		ir.A("guards", ir.Array(guards...)), ir.A("multiples", ir.DenseArray(ir.I64, multiples...)),
		ir.A("natural", ir.I32Array(t.Natural...))}
	if len(t.Apart) > 0 {
		list = append(list, ir.A("apart", ir.I32Array(t.Apart...)))
	}
	return ir.Dict(list...)
}

// attr returns the factor and the arguments of a term.
func (t TileTerm) attr() ir.Attr {
	list := []int64{t.Factor}
	for _, a := range t.Args {
		list = append(list, int64(a))
	}
	return ir.DenseArray(ir.I64, list...)
}

// TileOf returns the tile of a function's argument, or nil if the launch passes the argument.
func TileOf(fn *ir.Op, i int) *Tile {
	dict, ok := funclike.ArgAttr(fn, i, TileAttr).(*ir.DictAttr)
	if !ok {
		return nil
	}
	t := &Tile{}
	if n, ok := dict.Get("base").(*ir.IntegerAttr); ok {
		t.Base = int(n.Value)
	}
	if dims, ok := dict.Get("dims").(*ir.ArrayAttr); ok {
		for _, d := range dims.Elems {
			t.Dims = append(t.Dims, dimOf(d))
		}
	}
	if guards, ok := dict.Get("guards").(*ir.ArrayAttr); ok {
		for _, g := range guards.Elems {
			t.Guards = append(t.Guards, denseOf(g))
		}
	}
	for list := denseOf(dict.Get("multiples")); len(list) > 1; list = list[2:] {
		t.Multiples = append(t.Multiples, TileMultiple{int(list[0]), list[1]})
	}
	for _, n := range denseOf(dict.Get("natural")) {
		t.Natural = append(t.Natural, int(n))
	}
	for _, n := range denseOf(dict.Get("apart")) {
		t.Apart = append(t.Apart, int(n))
	}
	return t
}

func dimOf(a ir.Attr) (d TileDim) {
	list, ok := a.(*ir.ArrayAttr)
	if !ok {
		return d
	}
	for i, e := range list.Elems {
		t := TileTerm{}
		for k, n := range denseOf(e) {
			if k == 0 {
				t.Factor = n
			} else {
				t.Args = append(t.Args, int(n))
			}
		}
		if i == 0 {
			d.Stride = t
		} else {
			d.Size = append(d.Size, t)
		}
	}
	return d
}

func denseOf(a ir.Attr) []int64 {
	if d, ok := a.(*ir.DenseArrayAttr); ok {
		return d.Values
	}
	return nil
}
