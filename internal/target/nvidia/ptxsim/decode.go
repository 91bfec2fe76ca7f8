package ptxsim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/ptx"
)

// stmt is an instruction as text, taken apart.
type stmt struct {
	p     *parser
	name  string   // "add"
	parts []string // "rn", "f32"
	ops   []operand
	types []typ // those among parts
	kind  kind  // set by decoders of instructions that change where a thread is

	narrow func(to typ, f float64) uint64 // rounds to a format, nil for the format's own rounding
}

// decoder makes an instruction's action.
type decoder func(s *stmt) (action, error)

// decoders by the first part of an instruction's name.
var decoders map[string]decoder

func init() {
	decoders = map[string]decoder{}
	for _, table := range []map[string]decoder{intOps, floatOps, moveOps, memoryOps, warpOps, matrixOps,
		groupOps, mbarrierOps, tensormapOps} {
		for name, d := range table {
			decoders[name] = d
		}
	}
}

func (s *stmt) has(part string) bool { return slices.Contains(s.parts, part) }

// typ returns the last type in the name, which for most instructions is the type of the operands.
func (s *stmt) typ() typ {
	if len(s.types) == 0 {
		return typ{}
	}
	return s.types[len(s.types)-1]
}

// src returns operand i as a value of type t: immediates get their bits.
func (s *stmt) src(i int, t typ) operand {
	o := s.ops[i]
	if o.kind == isFloat && t.fmt != nil {
		o.kind, o.imm = isImm, t.bitsOf(typ{fmt: types["f64"].fmt}.float(o.imm))
	}
	if o.kind == isImm && t.bits > 0 && t.lanes == 1 {
		o.imm = t.mask(o.imm)
	}
	if o.kind == isName {
		o.kind, o.imm = isImm, s.p.addressOf(o.name)
	}
	return o
}

// addressOf returns the generic address of a module's variable, or the shared one; of a parameter, its
// place among them.
func (p *parser) addressOf(name string) uint64 {
	if q, ok := p.param(name); ok {
		return uint64(q.off)
	}
	y := p.m.symbols[name]
	switch {
	case y == nil:
		return 0xbad0000000000000
	case y.shared:
		return uint64(y.off)
	case y.off < 0:
		return uint64(-1 - y.off)
	}
	return moduleBase + uint64(y.off)
}

// dst returns the register of operand i, or -1 where the result is not wanted.
func (s *stmt) dst(i int) (int, error) {
	switch s.ops[i].kind {
	case isReg:
		return s.ops[i].reg, nil
	case isNone:
		return -1, nil
	}
	return 0, fmt.Errorf("the result of %s is no register", s.name)
}

// need checks the number of operands.
func (s *stmt) need(n int) error {
	if len(s.ops) < n {
		return fmt.Errorf("%s needs %d operands", s.name, n)
	}
	return nil
}

// instruction takes in one instruction.
func (p *parser) instruction(read *ptx.Stmt) error {
	in := instr{text: strings.Join(strings.Fields(read.Text), " "), line: read.Line, loc: p.loc, guard: -1,
		neg: read.Not}
	if read.Opcode == "" {
		return fmt.Errorf("a predicate without an instruction: %q", read.Text)
	}
	if read.Guard != "" {
		r, ok := p.register(read.Guard)
		if !ok {
			return fmt.Errorf("no predicate %q", read.Guard)
		}
		in.guard = r
	}
	s, args := &stmt{p: p, name: read.Name(), parts: read.Parts()}, read.Args
	for _, x := range s.parts {
		if t := typeOf(x); t.bits > 0 {
			s.types = append(s.types, t)
		}
	}
	if done, err := p.transfer(s, &in, args); done || err != nil {
		return err
	}
	for _, a := range ptx.Split(args) {
		o, err := p.operand(a)
		if err != nil {
			return fmt.Errorf("%s: %w", in.text, err)
		}
		s.ops = append(s.ops, o)
	}
	d := s.decoder()
	if d == nil {
		return fmt.Errorf("instruction %s is not known", in.text)
	}
	run, err := d(s)
	if err != nil {
		return fmt.Errorf("%s: %w", in.text, err)
	}
	in.run, in.kind = run, s.kind
	in.counts = s.name == "st" && (s.space() == global || s.space() == generic)
	in.touches = s.touches(in.guard)
	if err := s.ofWarp(&in); err != nil {
		return err
	}
	p.emit(in)
	return nil
}

// transfer reads the instructions that change where a thread is.
func (p *parser) transfer(s *stmt, in *instr, args string) (bool, error) {
	switch s.name {
	case "bra":
		in.kind = kindBranch
		p.jumps = append(p.jumps, jump{len(p.m.code), args, in.line, slices.Clone(p.scopes)})
	case "ret":
		in.kind = kindReturn
	case "exit":
		in.kind = kindExit
	case "trap":
		in.kind = kindTrap
	case "bar", "barrier":
		switch {
		case s.has("warp"):
			mask, err := p.operand(args)
			if err != nil {
				return true, fmt.Errorf("%s: %w", in.text, err)
			}
			in.setMembers(mask)
			in.kind, in.run = kindWarp, (*block).meet
		case s.has("arrive") && s.has("cluster"):
			in.kind = kindClusterArrive
		case s.has("wait") && s.has("cluster"):
			in.kind = kindClusterWait
		default:
			var err error
			if in.barrier, err = p.barrierOf(s, args); err != nil {
				return true, fmt.Errorf("%s: %w", in.text, err)
			}
			in.kind = kindBarrier
		}
	case "brx":
		if err := p.table(in, ptx.Split(args)); err != nil {
			return true, err
		}
	case "call":
		in.kind = kindCall
		site, err := p.callSite(ptx.Split(args))
		if err != nil {
			return true, err
		}
		in.call = site
	default:
		return false, nil
	}
	p.emit(*in)
	return true, nil
}

// table reads "index, name" of brx.idx, which goes to one of the labels that name stands for.
func (p *parser) table(in *instr, args []string) error {
	if len(args) != 2 || p.tables[args[1]] == nil {
		return fmt.Errorf("%s: no targets", in.text)
	}
	index, err := p.operand(args[0])
	if err != nil {
		return err
	}
	in.kind = kindTable
	for _, l := range p.tables[args[1]] {
		p.jumps = append(p.jumps, jump{len(p.m.code), l, in.line, slices.Clone(p.scopes)})
	}
	in.run = func(c *block, act []int32) {
		to := c.m.code[c.at].targets
		for _, t := range act {
			i := index.get(c, t)
			if i >= uint64(len(to)) {
				c.fail(t, "target %d of %d", i, len(to))
			}
			c.pc[t] = int32(to[i])
		}
	}
	return nil
}

// callSite reads "(ret), name, (args)" and its shorter forms.
func (p *parser) callSite(parts []string) (*callSite, error) {
	c := &callSite{}
	var err error
	if len(parts) > 0 && parts[0][0] == '(' {
		if c.rets, err = p.paramNames(parts[0]); err != nil {
			return nil, err
		}
		parts = parts[1:]
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("a call of nothing")
	}
	c.callee = parts[0]
	if len(parts) > 1 {
		if c.args, err = p.paramNames(parts[1]); err != nil {
			return nil, err
		}
	}
	if f, ok := externals[c.callee]; ok {
		c.external = func(b *block, act []int32) { f(b, act, c) }
	}
	return c, nil
}

func (p *parser) paramNames(list string) ([]param, error) {
	var out []param
	for _, n := range ptx.Split(strings.Trim(list, "() \t\n")) {
		q, ok := p.param(n)
		if !ok {
			return nil, fmt.Errorf("no parameter %q", n)
		}
		out = append(out, q)
	}
	return out, nil
}

// checkCalls sees to it that every function that is called is there.
func (p *parser) checkCalls() error {
	for _, in := range p.m.code {
		if in.kind == kindCall && in.call.external == nil && p.m.funcs[in.call.callee] == nil {
			return fmt.Errorf("ptx:%d: no function %s", in.line, in.call.callee)
		}
	}
	return nil
}

// each makes an action that computes one register from up to three values.
func each(d int, f func(c *block, t int32) uint64) action {
	return func(c *block, act []int32) {
		row := c.regs[d*c.n:]
		for _, t := range act {
			row[t] = f(c, t)
		}
	}
}

func (s *stmt) unary(t typ, f func(a uint64) uint64) (action, error) {
	if err := s.need(2); err != nil {
		return nil, err
	}
	d, err := s.dst(0)
	a := s.src(1, t)
	return each(d, func(c *block, t int32) uint64 { return f(a.get(c, t)) }), err
}

func (s *stmt) binary(t typ, f func(a, b uint64) uint64) (action, error) {
	if err := s.need(3); err != nil {
		return nil, err
	}
	d, err := s.dst(0)
	a, b := s.src(1, t), s.src(2, t)
	return each(d, func(c *block, t int32) uint64 { return f(a.get(c, t), b.get(c, t)) }), err
}

func (s *stmt) ternary(t, last typ, f func(a, b, c uint64) uint64) (action, error) {
	if err := s.need(4); err != nil {
		return nil, err
	}
	d, err := s.dst(0)
	a, b, e := s.src(1, t), s.src(2, t), s.src(3, last)
	return each(d, func(c *block, t int32) uint64 { return f(a.get(c, t), b.get(c, t), e.get(c, t)) }), err
}
