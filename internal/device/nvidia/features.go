package nvidia

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/ptx"
)

// features is what decides how PTX is assembled and only PTX shows: which loops LLVM has left of those of
// TTGIR, and which instructions it has chosen. What TTGIR shows is in Code (GridStride, Recurrence).
type features struct {
	// products says that a kernel multiplies matrices. The assembler's own number of registers is good for
	// these. It saves registers of other kernels by loading less at once; the goal of one block per SM keeps
	// it from that, and shows how many registers a kernel can use.
	products bool
	groups   bool // products of warp groups
	bounded  bool // the author has limited the registers
	loop     bool
	barrier  bool // the threads of a block wait for each other in a loop
	goal     int  // where a goal is inserted; 0 if the number of threads is not fixed
	module   *ptx.Module
}

// readFeatures reads the features of PTX. Text that cannot be read has none; the assembler will refuse it.
func readFeatures(text []byte) (f features) {
	m, err := ptx.Parse(text)
	if err != nil {
		return features{module: &ptx.Module{}}
	}
	f.module = m
	f.groups = m.Has("wgmma")
	f.products = f.groups || m.Has("mma", "wmma")
	for body := range m.Loops() {
		f.loop = true
		for i := range body {
			f.barrier = f.barrier || body[i].Is("bar.sync")
		}
	}
	for _, fn := range m.Funcs {
		if d := fn.Directive(".reqntid"); d != nil && f.goal == 0 {
			f.goal = d.End
		}
		f.bounded = f.bounded || fn.Directive(".maxnreg") != nil
	}
	return f
}

// withGoal returns the PTX with the number of blocks that an SM should run, nil if no goal can be given.
func (f *features) withGoal(text []byte, blocks int) []byte {
	if f.goal == 0 {
		return nil
	}
	out := make([]byte, 0, len(text)+32)
	out = append(out, text[:f.goal]...)
	out = fmt.Appendf(out, "\n.minnctapersm %d", blocks)
	return append(out, text[f.goal:]...)
}

// pressure returns the largest number of 32-bit registers that are alive at once if the instructions run in
// the order of the text. Predicates and 16-bit registers are not counted: several share one register.
func (f *features) pressure() int {
	p := pressure{lives: map[string]*lifetime{}}
	for _, fn := range f.module.Funcs {
		p.function(fn)
	}
	return p.most()
}

// lifetime is the part of the text, in lines, in which a register holds a value.
type lifetime struct{ first, last int }

// pressure gathers the lifetimes of registers.
type pressure struct {
	lives map[string]*lifetime
	loops []lifetime
	lines int
}

// function takes in the instructions of a function.
func (p *pressure) function(f *ptx.Func) {
	labels := map[string]int{}
	for i := range f.Body {
		s := &f.Body[i]
		p.lines = max(p.lines, s.Line)
		if s.Kind == ptx.Label {
			labels[s.Opcode] = s.Line
		}
		if s.Kind != ptx.Instruction {
			continue
		}
		if at := labels[s.Branch()]; at != 0 {
			p.loops = append(p.loops, lifetime{at, s.Line})
		}
		for r := range ptx.Registers(s.Args) {
			if registerWords(r) == 0 {
				continue
			}
			if l := p.lives[r]; l != nil {
				l.last = s.Line
			} else {
				p.lives[r] = &lifetime{s.Line, s.Line}
			}
		}
	}
}

// registerWords returns how many 32-bit registers a register of LLVM's is, 0 for predicates and 16-bit ones.
func registerWords(name string) int {
	switch strings.TrimRight(name, "0123456789") {
	case "%r", "%f":
		return 1
	case "%rd", "%fd":
		return 2
	}
	return 0
}

// most returns the largest number of registers at once.
func (p *pressure) most() (most int) {
	change := make([]int, p.lines+2)
	for name, l := range p.lives {
		for _, o := range p.loops { // a value from before a loop that the loop uses stays alive to its end
			if l.first < o.first && o.first <= l.last && l.last < o.last {
				l.last = o.last
			}
		}
		change[l.first] += registerWords(name)
		change[l.last] -= registerWords(name)
	}
	now := 0
	for _, c := range change {
		now += c
		most = max(most, now)
	}
	return most
}
