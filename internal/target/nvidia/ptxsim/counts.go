package ptxsim

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/ptx"
	"github.com/nereid-lang/nereid/internal/target/simcount"
)

// statementOf returns an instruction that was counted as a statement of PTX.
func statementOf(c *simcount.Count) ptx.Stmt {
	if list := ptx.Fragment(c.Text + ";"); len(list) > 0 {
		return list[0]
	}
	return ptx.Stmt{}
}

// shapeOf returns the shape of a product of tensor cores, zeros for another instruction.
func shapeOf(s *ptx.Stmt) (m, n, k int64) {
	if !strings.Contains(s.Opcode, "mma") {
		return 0, 0, 0
	}
	for _, part := range s.Parts() {
		if found, _ := fmt.Sscanf(part, "m%dn%dk%d", &m, &n, &k); found == 3 {
			return m, n, k
		}
	}
	return 0, 0, 0
}

// productsOf returns the multiplications, each with a sum, that tensor cores did by an instruction.
func productsOf(c *simcount.Count) int64 {
	s := statementOf(c)
	m, n, k := shapeOf(&s)
	if s.Is("wgmma") {
		return c.Issued * m * n * k / 4 // four warps issue one product together
	}
	return c.Issued * m * n * k
}

// operandWaves returns the wavefronts of shared memory by which a product of a warp group reads its operands.
// Rows have 32 bytes for each product, whatever their elements are: a wavefront has four of them. The
// swizzles that the hardware knows have no bank conflicts.
func operandWaves(c *simcount.Count) int64 {
	s := statementOf(c)
	if !s.Is("wgmma.mma_async") {
		return 0
	}
	left, rows, _ := shapeOf(&s)
	if list := s.Operands(); len(list) < 2 || !strings.HasPrefix(list[1], "{") { // not from registers
		rows += left
	}
	return c.Issued / 4 * rows / 4
}

// perLane are the floating-point operations of a lane by the name of an instruction.
var perLane = map[string]int64{"add": 1, "sub": 1, "mul": 1, "fma": 2, "mad": 2}

// flopsOf returns the floating-point operations that lanes did by an instruction outside of tensor cores:
// sums, differences and products, of which fma is two.
func flopsOf(c *simcount.Count) int64 {
	s := statementOf(c)
	n := perLane[s.Name()] * c.Lanes
	parts := strings.Split(s.Opcode, ".")
	switch parts[len(parts)-1] {
	case "f16", "bf16", "f32", "f64":
		return n
	case "f16x2", "bf16x2", "f32x2":
		return 2 * n
	}
	return 0
}

// tally counts what the instructions of a launch do.
type tally struct {
	counts []simcount.Count
	global simcount.Global
	chart  *chart // nil if the launch draws none
}

func newTally(m *Module, l *Launch) *tally {
	if l.Counts == nil && l.Chart == nil {
		return nil
	}
	t := &tally{counts: make([]simcount.Count, len(m.code)),
		global: simcount.Global{Piece: simcount.SectorBytes}}
	if l.Chart != nil {
		t.chart = &chart{}
	}
	return t
}

// issued counts an instruction that a warp comes to, act being the lanes whose predicate holds.
func (y *tally) issued(c *block, in *instr, grp, act []int32) {
	n := &y.counts[c.at]
	n.Issued++
	n.Lanes += int64(len(act))
	if y.chart != nil && len(act) > 0 {
		y.chart.issued(c, in, grp[0]/32)
	}
}

// report returns the instructions that were issued, in the order of the code.
func (y *tally) report(m *Module, b *bankCounter) (list []simcount.Count) {
	for i, n := range y.counts {
		if n.Issued == 0 {
			continue
		}
		in := &m.code[i]
		n.Inst, n.Text = in.line, in.text
		n.File, n.Line, n.Column = m.place(in.loc)
		if b != nil {
			n.Wavefronts, n.Ideal = b.counts[i].Wavefronts, b.counts[i].Ideal
		}
		n.FLOPs, n.Products = flopsOf(&n), productsOf(&n)
		waves := operandWaves(&n)
		n.Wavefronts, n.Ideal = n.Wavefronts+waves, n.Ideal+waves
		list = append(list, n)
	}
	return list
}

// countAccess counts an access of n bytes for each thread of act by the instruction that runs, if the launch
// counts. addr returns a thread's address in a space.
func (c *block) countAccess(sp space, act []int32, n int, write bool, addr func(c *block, t int32) uint64) {
	c.countShared(sp, act, n, addr)
	if c.tally == nil || sp != global && sp != generic {
		return
	}
	var rows []simcount.Row
	for _, t := range act {
		if a := addr(c, t); sp == global || a&windowMask == 0 {
			rows = append(rows, simcount.Row{Addr: a, N: n})
		}
	}
	c.tally.access(c.at, rows, write)
}

// countCopy counts the reads of cp.async, of which valid says how many bytes a thread's has.
func (c *block) countCopy(act []int32, valid func(c *block, t int32) int,
	from func(c *block, t int32) uint64) {
	if c.tally == nil {
		return
	}
	var rows []simcount.Row
	for _, t := range act {
		if n := valid(c, t); n > 0 {
			rows = append(rows, simcount.Row{Addr: from(c, t), N: n})
		}
	}
	c.tally.access(c.at, rows, false)
}

// access counts one access of a warp, or of a bulk copy, to global memory.
func (y *tally) access(at int, rows []simcount.Row, write bool) {
	if y != nil {
		y.global.Access(&y.counts[at].Work, rows, write)
	}
}

// parts counts the rows of a bulk copy.
func (y *tally) parts(at int, parts []globalPart, write bool) {
	if y == nil {
		return
	}
	rows := make([]simcount.Row, len(parts))
	for i, p := range parts {
		rows[i] = simcount.Row{Addr: p.addr, N: len(p.data)}
	}
	y.access(at, rows, write)
}
