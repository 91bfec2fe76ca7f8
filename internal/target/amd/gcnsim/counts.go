package gcnsim

import (
	"math/bits"
	"regexp"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/target/simcount"
)

// tally counts what the instructions of a launch do.
type tally struct {
	counts []simcount.Count // by step
	global simcount.Global
	banks  simcount.Banks
	rows   []simcount.Row  // of the access that is being counted
	chart  *simcount.Chart // nil if the launch draws none
}

func newTally(p *program, l *Launch) *tally {
	if l.Counts == nil && l.Chart == nil {
		return nil
	}
	y := &tally{counts: make([]simcount.Count, len(p.steps)),
		global: simcount.Global{Piece: simcount.RequestBytes}}
	if l.Chart != nil {
		y.chart = &simcount.Chart{}
	}
	return y
}

// issued counts an instruction that a wave comes to.
func (y *tally) issued(w *wave, s *step) {
	n := &y.counts[w.at]
	n.Issued++
	if s.vector {
		n.Lanes += int64(bits.OnesCount64(w.exec()))
	} else {
		n.Lanes++
	}
	if y.chart != nil && w.g.id == [3]int{} {
		y.mark(w, s.in)
	}
}

// report returns the instructions that were issued, in the order of the code.
func (y *tally) report(r *run) (list []simcount.Count) {
	for i, n := range y.counts {
		if n.Issued == 0 {
			continue
		}
		in := r.p.steps[i].in
		place := r.m.Object.Place(in.Addr)
		n.Inst, n.Text = i, in.String()
		n.File, n.Line, n.Column = place.File, place.Line, place.Column
		n.FLOPs, n.Products = n.Lanes*flopsOf(in), n.Issued*productsOf(in)
		list = append(list, n)
	}
	return list
}

// access counts an access to global memory or LDS that has begun. Lanes that a buffer's bounds left out
// access nothing, and a kernel's arguments are not its data.
func (y *tally) access(w *wave, t *transfer) {
	if t.scalar && t.exec != 0 && w.g.run.isArgument(t.addr[0][0]) {
		return
	}
	for part := range t.parts {
		for e := t.exec; e != 0; e &= e - 1 {
			lane := bits.TrailingZeros64(e)
			if t.mem[part][lane] != nil && t.space[lane] == inGlobal {
				y.rows = append(y.rows, simcount.Row{Addr: t.addr[part][lane], N: t.bytes})
			}
		}
		y.shared(w, t, part)
	}
	y.moved(w, t.how != reads)
}

// moved counts the rows of global memory that an access of a wave has.
func (y *tally) moved(w *wave, write bool) {
	y.global.Access(&y.counts[w.at].Work, y.rows, write)
	y.rows = y.rows[:0]
}

// isArgument reports whether an address is among the arguments of the kernel.
func (r *run) isArgument(addr uint64) bool {
	return addr >= r.kernarg && addr < r.kernarg+uint64(len(r.packed))
}

// shared counts the wavefronts of one part of an access to LDS. As many lanes access it at once as fill the
// banks: 32 with 4 bytes each, 16 with 8, 8 with 16.
func (y *tally) shared(w *wave, t *transfer, part int) {
	n := &y.counts[w.at]
	at := 1 // lanes at once
	for 2*at*max(t.bytes, simcount.WordBytes) <= simcount.NumBanks*simcount.WordBytes {
		at *= 2
	}
	for first := 0; first < w.p.lanes; first += at {
		for i := first; i < first+at; i++ {
			lane := i
			if t.bytes == 16 && t.how == reads && w.p.lanes == lanes {
				lane = wideLane(i)
			}
			if t.exec>>lane&1 != 0 && t.mem[part][lane] != nil && t.space[lane] == inLDS {
				y.banks.Add(t.addr[part][lane], t.bytes)
			}
		}
		most, ideal := y.banks.Wave()
		n.Wavefronts += most
		n.Ideal += ideal
	}
}

// wideLane returns the i-th lane in the order in which CDNA reads 16 bytes of LDS: lanes 0 to 3 together with
// 20 to 23, 4 to 7 with 16 to 19, 8 to 11 with 28 to 31, 12 to 15 with 24 to 27, and so the upper half.
func wideLane(i int) int {
	group := i / 8 % 4
	if i%8 < 4 {
		return i/32*32 + 4*group + i%4
	}
	return i/32*32 + 16 + 4*(group^1) + i%4
}

// operation matches a sum, difference or product of floats.
var operation = regexp.MustCompile(`^v_(pk_)?(add|sub|subrev|mul|fma|fmac|mac|mad|fmaak|fmamk|madak|madmk)_` +
	`(?:legacy_|dx9_zero_)?(f16|bf16|f32|f64)`)

// flopsOf returns the floating-point operations of a lane.
func flopsOf(in *gcn.Inst) (n int64) {
	for _, half := range in.Dual {
		n += flopsOf(half)
	}
	g := operation.FindStringSubmatch(in.Base)
	if g == nil {
		return n
	}
	n = 1
	if strings.HasPrefix(g[2], "f") || strings.HasPrefix(g[2], "ma") {
		n = 2
	}
	if g[1] != "" {
		n *= 2
	}
	return n
}

// productShape matches the shape of a matrix product.
var productShape = regexp.MustCompile(`^v_s?w?mf?ma[a-z]*_.*?_(\d+)x(\d+)x(\d+)`)

// productsOf returns the multiplications, each with a sum, of a matrix product of a wave.
func productsOf(in *gcn.Inst) int64 {
	g := productShape.FindStringSubmatch(in.Base)
	if g == nil {
		return 0
	}
	n, area := int64(1), int64(1)
	for i, text := range g[1:] {
		size, _ := strconv.ParseInt(text, 10, 64)
		n *= size
		if i < 2 {
			area *= size
		}
	}
	if strings.HasPrefix(in.Base, "v_mfma") { // of several blocks if the result has more elements than one
		elements := int64(in.Args[0].N) * lanes
		if strings.HasPrefix(in.Base, "v_mfma_f64") {
			elements /= 2
		}
		n *= max(1, elements/area)
	}
	return n
}
