package ptxsim

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Count says what one instruction did in a launch.
type Count struct {
	PTXLine int
	PTX     string // the instruction

	// The place in the kernel's file; File is "" and Line 0 if the code says no lines.
	File         string
	Line, Column int // from 1

	Issued int64 // by warps; lanes of a warp that have parted issue it each for themselves
	Lanes  int64 // lanes whose predicate held, over all issues

	Loaded  int64 // bytes of global memory that lanes read
	Stored  int64 // and wrote
	Sectors int64 // pieces of 32 bytes of global memory that these accesses touched, each warp's by itself
	Least   int64 // sectors that as many bytes fill

	Wavefronts int64 // of shared memory, as SharedAccess has them
	Ideal      int64
}

// sectorBytes is what global memory moves at once.
const sectorBytes = 32

// shapeOf matches the shape of a product of tensor cores.
var shapeOf = regexp.MustCompile(`\.m(\d+)n(\d+)k(\d+)`)

// Products returns the multiplications, each with a sum, that tensor cores did by the instruction.
func (c *Count) Products() int64 {
	if !strings.Contains(c.PTX, "mma") {
		return 0
	}
	m := shapeOf.FindStringSubmatch(c.PTX)
	if m == nil {
		return 0
	}
	n := c.Issued
	for _, text := range m[1:] {
		size, _ := strconv.ParseInt(text, 10, 64)
		n *= size
	}
	if strings.Contains(c.PTX, "wgmma") {
		n /= 4 // four warps issue one product together
	}
	return n
}

// perLane are the floating-point operations of a lane by the first word of an instruction.
var perLane = map[string]int64{"add": 1, "sub": 1, "mul": 1, "fma": 2, "mad": 2}

// FLOPs returns the floating-point operations that lanes did by the instruction outside of tensor cores:
// sums, differences and products, of which fma is two.
func (c *Count) FLOPs() int64 {
	text := c.PTX
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
	counts []Count
	seen   []uint64 // sectors of one access
	chart  *chart   // nil if the launch draws none
}

func newTally(m *Module, l *Launch) *tally {
	if l.Counts == nil && l.Chart == nil {
		return nil
	}
	t := &tally{counts: make([]Count, len(m.code))}
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
func (y *tally) report(m *Module, b *bankCounter) (list []Count) {
	for i, n := range y.counts {
		if n.Issued == 0 {
			continue
		}
		in := &m.code[i]
		n.PTXLine, n.PTX = in.line, in.text
		n.File, n.Line, n.Column = m.place(in.loc)
		if b != nil {
			n.Wavefronts, n.Ideal = b.counts[i].Wavefronts, b.counts[i].Ideal
		}
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
	var rows []globalRow
	for _, t := range act {
		if a := addr(c, t); sp == global || a&windowMask == 0 {
			rows = append(rows, globalRow{a, n})
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
	var rows []globalRow
	for _, t := range act {
		if n := valid(c, t); n > 0 {
			rows = append(rows, globalRow{from(c, t), n})
		}
	}
	c.tally.access(c.at, rows, false)
}

// globalRow is bytes of global memory that follow each other.
type globalRow struct {
	addr uint64
	n    int
}

// access counts one access of a warp, or of a bulk copy, to global memory.
func (y *tally) access(at int, rows []globalRow, write bool) {
	if y == nil || len(rows) == 0 {
		return
	}
	y.seen = y.seen[:0]
	bytes := int64(0)
	for _, r := range rows {
		bytes += int64(r.n)
		for s := r.addr / sectorBytes; r.n > 0 && s <= (r.addr+uint64(r.n)-1)/sectorBytes; s++ {
			y.seen = append(y.seen, s)
		}
	}
	slices.Sort(y.seen)
	n := &y.counts[at]
	n.Sectors += int64(len(slices.Compact(y.seen)))
	n.Least += (bytes + sectorBytes - 1) / sectorBytes
	if write {
		n.Stored += bytes
	} else {
		n.Loaded += bytes
	}
}

// parts counts the rows of a bulk copy.
func (y *tally) parts(at int, parts []globalPart, write bool) {
	if y == nil {
		return
	}
	rows := make([]globalRow, len(parts))
	for i, p := range parts {
		rows[i] = globalRow{p.addr, len(p.data)}
	}
	y.access(at, rows, write)
}
