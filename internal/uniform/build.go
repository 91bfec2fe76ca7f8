package uniform

import "slices"

// Builder makes a Program.
type Builder struct {
	program Program
	room    int // bytes that the program may compute
}

// NewBuilder returns a builder of a program that computes at most so many words of 64 bits.
func NewBuilder(words int) *Builder { return &Builder{room: 8 * words} }

// Step adds a step and returns its number; ok is false if the program has no room.
func (b *Builder) Step(s Step) (n uint8, ok bool) {
	p := &b.program
	if i := slices.Index(p.Steps, s); i >= 0 {
		return uint8(i), true
	}
	if len(p.Steps) == maxSteps {
		return 0, false
	}
	p.Steps = append(p.Steps, s)
	return uint8(len(p.Steps) - 1), true
}

// Output asks for the result of a step and returns the places of its words, in bytes; ok is false if there is
// no room.
func (b *Builder) Output(o Output) (offsets []int, ok bool) {
	at := 0
	for _, have := range b.program.Outputs {
		if have == o {
			offsets, _ = o.Kind.offsets(at)
			return offsets, true
		}
		at = have.Kind.end(at)
	}
	offsets, end := o.Kind.offsets(at)
	if end > b.room {
		return nil, false
	}
	b.program.Outputs = append(b.program.Outputs, o)
	return offsets, true
}

// Program returns the program for a kernel with so many parameters of its own, nil if there is no output.
// Steps that no output needs are left out.
func (b *Builder) Program(params int) *Program {
	if len(b.program.Outputs) == 0 {
		return nil
	}
	out := &Program{Params: params}
	moved := make([]uint8, len(b.program.Steps))
	needed := make([]bool, len(moved))
	for _, o := range b.program.Outputs {
		needed[o.Step] = true
	}
	for i, s := range slices.Backward(b.program.Steps) {
		if n := s.Op.operands(); needed[i] && n > 0 {
			needed[s.X] = true
			needed[s.Y] = needed[s.Y] || n > 1
		}
	}
	for i, s := range b.program.Steps {
		if needed[i] {
			s.X, s.Y = moved[s.X], moved[s.Y]
			moved[i] = uint8(len(out.Steps))
			out.Steps = append(out.Steps, s)
		}
	}
	for _, o := range b.program.Outputs {
		out.Outputs = append(out.Outputs, Output{o.Kind, moved[o.Step]})
	}
	return out
}
