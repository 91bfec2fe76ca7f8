package ptxsim

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/simcount"
)

// shapeOf matches the shape of a product of tensor cores.
var shapeOf = regexp.MustCompile(`\.m(\d+)n(\d+)k(\d+)`)

// productsOf returns the multiplications, each with a sum, that tensor cores did by an instruction.
func productsOf(c *simcount.Count) int64 {
	if !strings.Contains(c.Text, "mma") {
		return 0
	}
	m := shapeOf.FindStringSubmatch(c.Text)
	if m == nil {
		return 0
	}
	n := c.Issued
	for _, text := range m[1:] {
		size, _ := strconv.ParseInt(text, 10, 64)
		n *= size
	}
	if strings.Contains(c.Text, "wgmma") {
		n /= 4 // four warps issue one product together
	}
	return n
}

// fromRegisters matches a product of a warp group whose left operand lies in registers.
var fromRegisters = regexp.MustCompile(`\}\s*,\s*\{`)

// operandWaves returns the wavefronts of shared memory by which a product of a warp group reads its operands.
// Rows have 32 bytes for each product, whatever their elements are: a wavefront has four of them. The
// swizzles that the hardware knows have no bank conflicts.
func operandWaves(c *simcount.Count) int64 {
	if !strings.Contains(c.Text, "wgmma.mma_async") {
		return 0
	}
	m := shapeOf.FindStringSubmatch(c.Text)
	if m == nil {
		return 0
	}
	rows, _ := strconv.ParseInt(m[2], 10, 64)
	if !fromRegisters.MatchString(c.Text) {
		left, _ := strconv.ParseInt(m[1], 10, 64)
		rows += left
	}
	return c.Issued / 4 * rows / 4
}

// perLane are the floating-point operations of a lane by the first word of an instruction.
var perLane = map[string]int64{"add": 1, "sub": 1, "mul": 1, "fma": 2, "mad": 2}

// flopsOf returns the floating-point operations that lanes did by an instruction outside of tensor cores:
// sums, differences and products, of which fma is two.
func flopsOf(c *simcount.Count) int64 {
	text := c.Text
	if strings.HasPrefix(text, "@") {
		_, text, _ = strings.Cut(text, " ")
	}
	opcode, _, _ := strings.Cut(text, " ")
	parts := strings.Split(opcode, ".")
	n := perLane[parts[0]] * c.Lanes
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
