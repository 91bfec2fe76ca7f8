package nvidia

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/txtest"
)

var goalOf = regexp.MustCompile(`\.minnctapersm (\d+)`)

// modelled is an assembler in a few lines: a kernel wants some registers, has as many as a goal leaves it, or
// as the assembler likes, and spills the rest.
type modelled struct {
	code       *Code
	wants, own int
	asked      []string
}

func (m *modelled) assemble(ptx []byte, plain bool) (*assembled, error) {
	limit, name := m.own, "own"
	if g := goalOf.FindSubmatch(ptx); g != nil {
		n, _ := strconv.Atoi(string(g[1]))
		limit, name = min(255, registersPerSM/(n*32*m.code.NumWarps)/8*8), string(g[1])
	}
	u := use{registers: min(m.wants, limit), stack: 4 * max(0, m.wants-limit)}
	if plain {
		name, u.stack = name+"-plain", u.stack/2
	}
	a := &assembled{ptx: ptx, plain: plain, use: u}
	m.asked = append(m.asked, name)
	return a, nil
}

// TestDecisions writes down what assembleBest asks of an assembler and takes, for kernels of many kinds.
// Nothing but speed depends on it, and on no machine here does speed show: a change of any decision must be
// meant.
func TestDecisions(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 4))
	one := func(list ...int) int { return list[r.IntN(len(list))] }
	bodies := []string{"", mmaPTX, oncePTX, meetPTX, loopPTX, meetPTX + loopPTX,
		strings.Replace(loopPTX, "\t@%p1", strings.Repeat("\tadd.s32 %r1, %r1, 1;\n", 3000)+"\t@%p1", 1)}
	names := []string{"straight", "products", "once", "meets", "loop", "both", "long"}
	var b strings.Builder
	for range 400 {
		body := r.IntN(len(bodies))
		code := &Code{NumWarps: one(1, 2, 4, 4, 8, 8, 16, 32),
			Shared:     one(0, 0, 0, 17<<10, 60<<10, 113<<10, 200<<10),
			GridStride: r.IntN(8) == 0, Recurrence: r.IntN(8) == 0}
		if r.IntN(4) == 0 {
			code.Depths, code.BlocksPerSM = make([]int, gpucode.Kinds), one(0, 1, 2)
			code.Depths[gpucode.KindOf(code.BlocksPerSM)] = one(0, 5)
		}
		code.PTX = kernelPTX(code.NumWarps, bodies[body])
		m := &modelled{code: code, wants: 24 + r.IntN(260)}
		m.own = min(mostRegisters(code), one(m.wants, m.wants, 32, 64, 128, 255))
		chip := one(90, 90, 80, 89)
		best, err := GPU{Capability: chip}.assembleBest(code, m.assemble)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "sm_%d %s warps=%d shared=%d stride=%t recurs=%t depths=%v wants=%d own=%d: "+
			"%s -> %d+%d\n", chip, names[body], code.NumWarps, code.Shared, code.GridStride,
			code.Recurrence, code.sharers(), m.wants, m.own, strings.Join(m.asked, " "),
			best.use.registers, best.use.stack)
	}
	txtest.Golden(t, "testdata/decisions.txt", b.String())
}

// TestLaunchDecisions writes down which code launches choose, for grids of many sizes and code of all kinds.
func TestLaunchDecisions(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 5))
	one := func(list ...int) int { return list[r.IntN(len(list))] }
	var b strings.Builder
	for range 250 {
		k := &Code{Name: "k", NumWarps: 4, Params: []int{8, 8, 4, 8}, Merge: one(0, 2, 4, 8, 16),
			Merged: one(0, 1, 2), NumCTAs: one(0, 1, 2), Persistent: r.IntN(4) == 0, Scratch: one(0, 0, 64)}
		if r.IntN(2) == 0 {
			k.Strides = [][]int{{2}, {3}, {2, 3}}[r.IntN(3)]
		}
		if r.IntN(2) == 0 {
			k.Short = gpucode.TileGuard{gpucode.GuardNumber, int64(r.IntN(2))}
		}
		if r.IntN(2) == 0 {
			k.Depths, k.BlocksPerSM = make([]int, gpucode.Kinds), one(0, 1, 2, 4)
			for i := range k.Depths {
				k.Depths[i] = one(3, 3, 4, 6)
			}
		}
		set, err := rules.Parse("")
		if err != nil {
			t.Fatal(err)
		}
		k.Obey(set)
		x, sms := one(0, 1, 2, 8, 131, 132, 133, 264, 528, 4096, 65536), one(2, 108, 132)
		grid := [3]int{x, one(1, 1, 2), one(1, 1, 3)}
		words := []uint64{64, 128, uint64(one(1, 1, 2)), []uint64{1, 1, 1 << 32, 1<<32 + 1}[r.IntN(4)]}
		n, unit := k.Merges(grid[0], words, sms)
		c := k.config(grid)
		fmt.Fprintf(&b, "merge=%d/%d strides=%v short=%v persistent=%t depths=%v/%d ctas=%d grid=%v "+
			"sms=%d %v: ", k.Merge, k.Merged, k.Strides, k.Short, k.Persistent, k.Depths, k.BlocksPerSM,
			k.NumCTAs, grid,
			sms, words[2:])
		fmt.Fprintf(&b, "merges=%d,%t from=%d depth=%d stays=%t,%v programs=%d ", n, unit,
			k.MergeFrom(max(1, n), sms), k.OtherDepth(grid, words, sms), k.Stays(grid, words, sms),
			k.Staying(grid, sms), ProgramsOnSM(grid, sms))
		fmt.Fprintf(&b, "scratch=%d deep=%t sharers=%d grid=%v %v ways=%v,%v\n", k.ScratchBytes(grid),
			k.isDeep(), k.sharers(), c.Grid, k.Choice(), k.Ways(true), k.Ways(false))
	}
	txtest.Golden(t, "testdata/launches.txt", b.String())
}
