package ptx

import (
	"strconv"
	"strings"
)

// Live returns, for each statement of a function, how many registers of 32 bits hold a value that is read
// later, once the statement has run; what it writes counts even if nothing reads it. -1 stands for what is no
// instruction. Predicates have registers of their own and do not count.
//
// The assembler orders instructions anew and may keep addresses and constants elsewhere: the numbers show
// where values pile up, not how many registers the machine code has.
func (f *Func) Live() []int {
	g := newFlow(f)
	out := g.solve()
	counts := make([]int, len(f.Body))
	for i := range counts {
		if counts[i] = -1; f.Body[i].Kind != Instruction {
			continue
		}
		counts[i] = 0
		live := out[i].with(g.defs[i])
		for r, width := range g.width {
			if live.has(r) {
				counts[i] += width
			}
		}
	}
	return counts
}

// flow is the control flow of a function, and what its statements do to registers, which are numbered.
type flow struct {
	body   []Stmt
	next   [][]int // statements that may follow
	width  []int   // in registers of 32 bits, by register
	number map[string]int
	defs   []set // what a statement writes, by statement
	kills  []set // what it writes in any case
	uses   []set
}

func newFlow(f *Func) *flow {
	g := &flow{body: f.Body, number: map[string]int{}, defs: make([]set, len(f.Body)),
		kills: make([]set, len(f.Body)), uses: make([]set, len(f.Body)), next: make([][]int, len(f.Body))}
	widths := map[string]int{}
	for i := range f.Body {
		if f.Body[i].Kind == Declaration {
			declare(widths, f.Body[i].Text)
		}
	}
	labels := g.labels()
	for i := range f.Body {
		s := &f.Body[i]
		if s.Kind == Instruction {
			g.registers(i, widths)
		}
		to, known := labels[i]
		if known {
			g.next[i] = append(g.next[i], to)
		}
		leaves := s.Is("ret") || s.Is("exit") || s.Is("trap") || s.Branch() != ""
		if i+1 < len(f.Body) && (!leaves || s.Guard != "") {
			g.next[i] = append(g.next[i], i+1)
		}
	}
	return g
}

// labels returns where each branch goes to. A label belongs to the braces around it: inline assembly repeats
// names.
func (g *flow) labels() map[int]int {
	scope := make([]int, len(g.body)) // the brace that each statement stands in; -1 is the function's own
	parent := map[int]int{-1: -1}
	at := map[int]map[string]int{}
	now := -1
	for i := range g.body {
		scope[i] = now
		switch g.body[i].Kind {
		case Open:
			parent[i] = now
			now = i
		case Close:
			now = parent[now]
		case Label:
			if at[now] == nil {
				at[now] = map[string]int{}
			}
			at[now][g.body[i].Opcode] = i
		}
	}
	out := map[int]int{}
	for i := range g.body {
		name := strings.TrimSpace(g.body[i].Branch())
		if name == "" {
			continue
		}
		for s := scope[i]; ; s = parent[s] {
			if to, ok := at[s][name]; ok {
				out[i] = to
				break
			}
			if s == -1 {
				break
			}
		}
	}
	return out
}

// declare notes the widths of registers by the letters of their names: %rd of ".reg .b64 %rd<7>".
func declare(widths map[string]int, text string) {
	words := strings.Fields(strings.TrimSuffix(text, ";"))
	if len(words) < 3 || words[0] != ".reg" {
		return
	}
	width := 1
	bits := strings.TrimLeft(words[1], ".bsuf")
	if n, err := strconv.Atoi(bits); err == nil {
		width = (n + 31) / 32
	} else if words[1] == ".pred" {
		width = 0
	}
	for _, name := range Split(strings.Join(words[2:], " ")) {
		name, _, _ = strings.Cut(name, "<")
		widths[name] = width
	}
}

// readers are instructions whose first operand is read, not written, although it is no address.
var readers = []string{"st", "red", "bar.sync", "bar.arrive", "bar.warp", "barrier", "brx", "nanosleep",
	"setmaxnreg", "call"}

// registers notes what an instruction does to registers.
func (g *flow) registers(i int, widths map[string]int) {
	s := &g.body[i]
	uses := func(text string) {
		for r := range Registers(text) {
			if n, ok := g.register(r, widths); ok {
				g.uses[i] = g.uses[i].plus(n)
			}
		}
	}
	uses(s.Guard)
	ops := s.Operands()
	for k, op := range ops {
		if k > 0 || strings.HasPrefix(op, "[") || isReader(s) {
			uses(op)
			continue
		}
		for r := range Registers(op) {
			n, ok := g.register(r, widths)
			if !ok {
				continue
			}
			g.defs[i] = g.defs[i].plus(n)
			if s.Guard == "" {
				g.kills[i] = g.kills[i].plus(n)
			}
		}
		if s.Is("wgmma") && strings.HasPrefix(op, "{") { // products are added to what the registers hold
			uses(op)
		}
	}
}

func isReader(s *Stmt) bool {
	for _, name := range readers {
		if s.Is(name) {
			return true
		}
	}
	return false
}

// register returns the number of a register. Special registers, such as %tid.x, have none.
func (g *flow) register(name string, widths map[string]int) (int, bool) {
	width, ok := widths[strings.TrimRight(name, "0123456789")]
	if !ok {
		if width, ok = widths[name]; !ok {
			return 0, false
		}
	}
	n, known := g.number[name]
	if !known {
		n = len(g.width)
		g.number[name] = n
		g.width = append(g.width, width)
	}
	return n, true
}

// solve returns the registers that are read later, after each statement.
func (g *flow) solve() []set {
	in, out := make([]set, len(g.body)), make([]set, len(g.body))
	for changed := true; changed; {
		changed = false
		for i := len(g.body) - 1; i >= 0; i-- {
			var o set
			for _, n := range g.next[i] {
				o = o.with(in[n])
			}
			v := o.without(g.kills[i]).with(g.uses[i])
			if !v.equal(in[i]) {
				in[i], changed = v, true
			}
			out[i] = o
		}
	}
	return out
}

// set is a set of small numbers. Sets are values: operations make new ones where they change something.
type set []uint64

func (s set) has(n int) bool { return n/64 < len(s) && s[n/64]>>(n%64)&1 != 0 }

func (s set) plus(n int) set {
	t := make(set, max(len(s), n/64+1))
	copy(t, s)
	t[n/64] |= 1 << (n % 64)
	return t
}

func (s set) with(t set) set {
	if len(t) == 0 {
		return s
	}
	u := make(set, max(len(s), len(t)))
	copy(u, s)
	for i, w := range t {
		u[i] |= w
	}
	return u
}

func (s set) without(t set) set {
	if len(t) == 0 {
		return s
	}
	u := make(set, len(s))
	copy(u, s)
	for i := range min(len(s), len(t)) {
		u[i] &^= t[i]
	}
	return u
}

func (s set) equal(t set) bool {
	for i := range max(len(s), len(t)) {
		var a, b uint64
		if i < len(s) {
			a = s[i]
		}
		if i < len(t) {
			b = t[i]
		}
		if a != b {
			return false
		}
	}
	return true
}
