package uniform

import (
	"errors"
	"slices"
)

// Op is what a step computes.
type Op uint8

// Number, Arg and Programs have no operands; Extend and ExtendU have one.
const (
	Number   Op = iota // N
	Arg                // parameter N of the kernel
	Programs           // the number of programs along axis N
	Extend             // X, from 32 bits, with its sign
	ExtendU            // X, from 32 bits, with zeros
	Add
	Sub
	Mul
	Div
	Rem
	DivU
	RemU
	Min
	Max
	numOps
)

// operands returns the number of operands of an op.
func (o Op) operands() int {
	switch {
	case o < Extend:
		return 0
	case o < Add:
		return 1
	}
	return 2
}

// Step computes a number of at most 64 bits. Its operands are the results of earlier steps. Numbers of 32
// bits are kept with their sign, and their sums and products wrap around as a GPU's do.
type Step struct {
	Op   Op
	Wide bool  `json:",omitempty"` // 64 bits rather than 32
	X, Y uint8 `json:",omitempty"`
	N    int64 `json:",omitempty"`
}

// Output is what becomes of the result of a step.
type Output struct {
	Kind Kind
	Step uint8
}

// Program computes words of a launch.
type Program struct {
	Steps   []Step
	Outputs []Output
	Params  int // parameters before those that the program computes
}

// maxSteps bounds the steps of a program: their results are on the stack of a launch.
const maxSteps = 64

// Words returns how many words of 64 bits the program computes. They hold the numbers of its outputs one
// behind the other, each aligned to its size: a GPU reads a parameter line by line.
func (p *Program) Words() int {
	if p == nil {
		return 0
	}
	n := 0
	for _, o := range p.Outputs {
		n = o.Kind.end(n)
	}
	return (n + 7) / 8
}

// Check returns an error for a program from a file that does not fit its kernel, which has params parameters
// besides the computed one; the first args of them are numbers that steps may read.
func (p *Program) Check(args, params int) error {
	if p == nil {
		return nil
	}
	wrong := func(o Output) bool { return o.Kind >= numKinds || int(o.Step) >= len(p.Steps) }
	bad := len(p.Steps) > maxSteps || p.Params != params || slices.ContainsFunc(p.Outputs, wrong)
	for i, s := range p.Steps {
		n := s.Op.operands()
		bad = bad || s.Op >= numOps || n > 0 && int(s.X) >= i || n > 1 && int(s.Y) >= i ||
			s.Op == Arg && (s.N < 0 || s.N >= int64(args)) || s.Op == Programs && (s.N < 0 || s.N > 2)
	}
	if bad {
		return errors.New("the kernel's description of the numbers that the host computes is not right")
	}
	return nil
}

// Fill computes the words of a launch with x, y and z programs along the axes. They follow those of the
// parameters, which are the first of words.
func (p *Program) Fill(words []uint64, x, y, z uint32) {
	var results [maxSteps]int64
	p.run(&results, words, x, y, z)
	rest, at := words[p.Params:], 0
	for _, o := range p.Outputs {
		var parts [maxParts]uint64
		o.Kind.put(&parts, results[o.Step%maxSteps])
		for i, bits := range o.Kind.Widths() {
			at = align(at, bits/8)
			if word := &rest[at/8]; bits == 64 {
				*word = parts[i]
			} else if at%8 == 0 {
				*word = uint64(uint32(parts[i]))
			} else {
				*word |= parts[i] << 32
			}
			at += bits / 8
		}
	}
}

func align(at, to int) int { return (at + to - 1) &^ (to - 1) }

func (p *Program) run(results *[maxSteps]int64, words []uint64, x, y, z uint32) {
	for i := range p.Steps {
		s := &p.Steps[i]
		var v int64
		switch s.Op {
		case Number:
			v = s.N
		case Arg:
			v = int64(words[s.N])
		case Programs:
			v = int64([3]uint32{x, y, z}[s.N])
		default:
			v = Apply(s.Op, results[s.X%maxSteps], results[s.Y%maxSteps])
		}
		if !s.Wide {
			v = int64(int32(v))
		}
		results[i%maxSteps] = v
	}
}

// Apply computes an op of numbers; of 32-bit numbers the lower half of the result counts. A division by zero,
// which has no result on a GPU, gives 0.
func Apply(o Op, x, y int64) int64 {
	switch o {
	case Extend:
		return x
	case ExtendU:
		return int64(uint32(x))
	case Add:
		return x + y
	case Sub:
		return x - y
	case Mul:
		return x * y
	case Min:
		return min(x, y)
	case Max:
		return max(x, y)
	}
	if y == 0 || o > Rem && uint32(y) == 0 {
		return 0
	}
	switch o {
	case Div:
		return x / y
	case Rem:
		return x % y
	case DivU:
		return int64(uint32(x) / uint32(y))
	default:
		return int64(uint32(x) % uint32(y))
	}
}
