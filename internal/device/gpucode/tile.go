package gpucode

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
