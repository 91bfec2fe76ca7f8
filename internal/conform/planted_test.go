package conform

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/target/nvidia/sim"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// plant is a kind of fault of order: lines of PTX that match are changed, one at a time. An empty line is
// dropped; one that stays as it is has no such fault.
type plant struct {
	name   string
	match  *regexp.Regexp
	change func(line string) string
	over   *regexp.Regexp // if not nil, the line moves up, over the nearest line that matches
}

func drop(string) string { return "" }

// added returns a change that adds n to the last number of a line.
func added(n int) func(string) string {
	return func(line string) string {
		at := lastNumber.FindStringIndex(line)
		if at == nil {
			return line
		}
		v := 0
		fmt.Sscan(line[at[0]:at[1]], &v)
		return line[:at[0]] + fmt.Sprint(v+n) + line[at[1]:]
	}
}

var guard = regexp.MustCompile(`^\s*(@\S+ )?`)

var lastNumber = regexp.MustCompile(`\d+\s*;`)

func plants() []plant {
	re := regexp.MustCompile
	return []plant{
		{"barrier dropped", re(`^\s*(@\S+ )?bar\.sync`), drop, nil},
		{"barrier of a warp dropped", re(`bar\.warp\.sync`), drop, nil},
		{"cluster's barrier dropped", re(`barrier\.cluster\.(arrive|wait)`), drop, nil},
		{"proxy fence dropped", re(`fence\.proxy\.async`), drop, nil},
		{"fence of mbarriers dropped", re(`fence\.mbarrier_init`), drop, nil},
		{"fence of a tensor map dropped", re(`fence\.proxy\.tensormap`), drop, nil},
		{"too many bytes expected", re(`mbarrier\.arrive\.expect_tx`), added(16), nil},
		{"arrival dropped", re(`mbarrier\.arrive`), drop, nil},
		{"one arrival more asked for", re(`mbarrier\.init`), added(1), nil},
		{"one arrival less asked for", re(`mbarrier\.init.*, ([2-9]|\d\d+);`), added(-1), nil},
		{"wait for an mbarrier not repeated", re(`@!complete bra`), drop, nil},
		{"wait for the other phase", re(`mbarrier\.try_wait\.parity`), func(line string) string {
			return "xor.b32 PARITY, PARITY, 1;\n" + line + "\nxor.b32 PARITY, PARITY, 1;"
		}, nil},
		{"wait for copies dropped", re(`cp\.async\.wait_group`), drop, nil},
		{"wait for one group less", re(`cp\.async\.wait_group`), added(1), nil},
		{"commit of copies dropped", re(`cp\.async\.commit_group`), drop, nil},
		{"wait for bulk stores dropped", re(`cp\.async\.bulk\.wait_group`), drop, nil},
		{"commit of bulk stores dropped", re(`cp\.async\.bulk\.commit_group`), drop, nil},
		{"wait for products dropped", re(`wgmma\.wait_group`), drop, nil},
		{"wait for one product less", re(`wgmma\.wait_group`), added(1), nil},
		{"commit of products dropped", re(`wgmma\.commit_group`), drop, nil},
		{"fence of products dropped", re(`wgmma\.fence`), drop, nil},
		{"barrier moved over a read", re(`^\s*bar\.sync`), drop, re(`ldmatrix|ld\.shared`)},
		{"barrier moved over a wait", re(`^\s*bar\.sync`), drop, re(`cp\.async\.(bulk\.)?wait_group`)},
		{"proxy fence moved over a store", re(`fence\.proxy\.async`), drop, re(`stmatrix|st\.shared`)},
	}
}

// planted is a program in which a fault was planted.
type planted struct {
	plant string
	line  int
	text  string // the line as it was
	ptx   string
	trap  string // the program with a trap in place of the line
}

// plantAll returns the program with each fault of some kinds in turn.
func plantAll(ptx string, kinds []plant) (out []planted) {
	lines := strings.Split(ptx, "\n")
	for _, p := range kinds {
		for i, l := range lines {
			if strings.HasPrefix(strings.TrimSpace(l), "//") || !p.match.MatchString(l) {
				continue
			}
			to, up := strings.ReplaceAll(p.change(l), "PARITY", parityOf(l)), p.above(lines, i)
			if to == l || p.over != nil && up < 0 {
				continue
			}
			with := func(line string) string {
				changed := slices.Clone(lines)
				if changed[i] = line; up >= 0 && line == "" {
					changed[up] = l + "\n" + changed[up]
				}
				return strings.Join(changed, "\n")
			}
			out = append(out, planted{p.name, i + 1, strings.TrimSpace(l), with(to),
				with(guard.FindString(l) + "trap;")})
		}
	}
	return out
}

// above returns the line over which line i moves, or -1. Lines do not move over labels and branches.
func (p *plant) above(lines []string, i int) int {
	for i--; p.over != nil && i > 0; i-- {
		switch l := lines[i]; {
		case p.over.MatchString(l):
			return i
		case strings.HasSuffix(strings.TrimSpace(l), ":") || strings.Contains(l, "bra"):
			return -1
		}
	}
	return -1
}

// parityOf returns the last operand of an instruction.
func parityOf(line string) string {
	return strings.Trim(line[strings.LastIndex(line, ",")+1:], " ;\t")
}

const plantedKernels = `
import triton
import triton.language as tl

@triton.jit
def desc_mm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    nn = tl.cdiv(N, BN)
    om, on = (pid // nn) * BM, (pid % nn) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([om, k]), b.load([on, k]).T, acc)
    c.store([om, on], acc)

@triton.jit
def mm(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, x = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        p = tl.load(a + m[:, None] * K + k + x[None, :])
        q = tl.load(b + n[None, :] * K + k + x[:, None])
        acc = tl.dot(p, q, acc)
    tl.store(c + m[:, None] * BN + n[None, :], acc)

@triton.jit
def softmax(a, b, N: tl.constexpr):
    r, c = tl.arange(0, 4), tl.arange(0, N)
    x = tl.load(a + r[:, None] * N + c[None, :]).to(tl.float32)
    y = tl.sum(x, 1)
    z = tl.cumsum(x, 1) + y[:, None]
    tl.store(b + r[None, :] * N + c[:, None], z.T)
`

// plantedLaunches are launches whose programs together have every kind of synchronization.
func plantedLaunches() []described {
	f16, f32 := nereid.Float16, nereid.Float32
	two := func(a, b int64) []int64 { return []int64{a, b} }
	opts := func(warps, stages int) nereid.Options {
		return nereid.Options{NumWarps: warps, NumStages: stages}
	}
	descMM := func(m, n, k, size int64, o nereid.Options) described {
		return described{"desc_mm", nereid.Grid{1}, o, 0, []any{tile{f16, two(m, size), two(m, k)},
			tile{f16, two(n, size), two(n, k)}, tile{f32, two(m, n), two(m, n)}, m, n, size, m, n, k}}
	}
	pointers := func(m, n, k, size int64, o nereid.Options) described {
		return described{"mm", nereid.Grid{1}, o, 0, []any{tile{f16, two(m, size), nil},
			tile{f16, two(n, size), nil}, tile{f32, two(m, n), nil}, size, m, n, k}}
	}
	cluster := opts(4, 3)
	cluster.NumCTAs = 2
	return []described{
		descMM(32, 16, 64, 320, opts(8, 3)),
		descMM(32, 32, 32, 160, opts(4, 2)),
		descMM(16, 32, 32, 160, opts(1, 2)),
		descMM(64, 64, 64, 768, opts(4, 3)),
		pointers(32, 32, 32, 160, opts(4, 3)),
		pointers(64, 64, 64, 768, opts(4, 4)),
		pointers(128, 64, 32, 160, cluster),
		{"softmax", nereid.Grid{1}, opts(4, 3), 0, []any{tile{f32, two(4, 256), nil},
			tile{f32, two(4, 256), nil}, 256}},
		{"made_here", nereid.Grid{1, 1}, opts(4, 3), 0, []any{tile{f16, two(64, 768), nil},
			tile{f16, two(768, 64), nil}, tile{f16, two(64, 64), nil}, 64, 64, 768, 64, 64, 64}},
		{"persistent", nereid.Grid{1}, opts(4, 3), 0, []any{tile{f16, two(128, 640), two(64, 64)},
			tile{f16, two(64, 640), two(64, 64)}, tile{f16, two(128, 64), two(64, 32)}, 128, 64, 640, 64, 64,
			64, 1}},
		{"specialized", nereid.Grid{1}, opts(8, 2), 0, []any{tile{f16, two(256, 256), two(128, 64)},
			tile{f16, two(128, 256), two(128, 64)}, tile{f16, two(256, 128), two(128, 128)}, 256, 128, 256,
			128, 128, 64, 1}},
	}
}

// unreported says how many faults of a kind the simulator does not report, and why they do no harm.
type unreported struct {
	n   int
	why string
}

// harmless holds the faults that are not reported, by launch and kind.
var harmless = map[string]unreported{
	"mm-4: commit of copies dropped": {1, sameStage}, "mm-5: commit of copies dropped": {1, sameStage},
	"mm-6: commit of copies dropped":               {1, sameStage},
	"mm-5: barrier dropped":                        {1, nothingLeft},
	"mm-5: wait for copies dropped":                {1, nothingLeft},
	"mm-6: wait for copies dropped":                {1, nothingLeft},
	"mm-5: barrier moved over a wait":              {1, nothingLeft},
	"mm-6: barrier moved over a wait":              {1, nothingLeft},
	"persistent-9: barrier dropped":                {1, "another barrier follows before anybody writes"},
	"persistent-9: wait for bulk stores dropped":   {1, onlyEdges},
	"persistent-9: barrier moved over a wait":      {1, onlyEdges},
	"made_here-8: barrier dropped":                 {1, behindMaps},
	"made_here-8: barrier moved over a wait":       {1, behindMaps},
	"made_here-8: fence of mbarriers dropped":      {1, "a fence.proxy.async follows"},
	"made_here-8: wait for bulk stores dropped":    {3, noStores},
	"made_here-8: commit of bulk stores dropped":   {3, noStores},
	"specialized-10: barrier dropped":              {1, nothingLeft},
	"specialized-10: wait for products dropped":    {1, nothingLeft},
	"specialized-10: wait for bulk stores dropped": {1, onlyEdges},
	"specialized-10: barrier moved over a wait":    {2, onlyEdges},
}

// Why a fault does no harm.
const (
	sameStage   = "the copies join the next group of their stage, which the same wait covers"
	nothingLeft = "behind the loop, where nothing is under way and the memory is not used again"
	onlyEdges   = "orders stores of threads at negative coordinates, which this launch does not have"
	behindMaps  = "the barrier behind the mbarriers is behind the maps, too"
	noStores    = "behind a tensor map that was made, where no store is under way; Triton has them there, too"
)

// TestPlanted plants faults of order in programs, one at a time: the simulator reports each, unless the list
// says why it does no harm, or the line never runs. A third of the programs have their turn at each commit.
func TestPlanted(t *testing.T) {
	chosen := txtest.Sample(t, 3)
	dev := opened(t, "sim:90")[0]
	own, err := nereid.Parse("planted.py", []byte(plantedKernels))
	if err != nil {
		t.Fatal(err)
	}
	given := describedKernels(t)
	for i, d := range plantedLaunches() {
		if !chosen(i) {
			continue
		}
		mod := given
		if _, err := own.Kernel(d.kernel); err == nil {
			mod = own
		}
		name := fmt.Sprintf("%s-%d", d.kernel, i)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := func(plant string) unreported { return harmless[name+": "+plant] }
			d.reports(t, mod, dev, plants(), of)
		})
	}
}

// reports fails unless the simulator reports each planted fault of some kinds but those that do no harm.
func (d described) reports(t *testing.T, mod *nereid.Module, dev *nereid.Device, kinds []plant,
	harmless func(plant string) unreported) {
	t.Helper()
	missed := map[string]int{}
	for _, p := range d.missed(t, mod, dev, kinds) {
		if missed[p.plant]++; missed[p.plant] > harmless(p.plant).n {
			t.Errorf("%s, line %d %q: not reported", p.plant, p.line, p.text)
		}
	}
	for _, p := range kinds {
		if n := harmless(p.name).n; missed[p.name] < n {
			t.Errorf("%s: %d are not reported, %d are listed", p.name, missed[p.name], n)
		}
	}
}

// missed returns the faults that the simulator does not report, in lines that run.
func (d described) missed(t *testing.T, mod *nereid.Module, dev *nereid.Device,
	kinds []plant) (out []planted) {
	t.Helper()
	ptx := ""
	if err := d.launch(t, mod, dev, func(p string) string { ptx = p; return p }); err != nil {
		t.Fatalf("without a fault: %v", err)
	}
	all := map[string]int{}
	for _, p := range plantAll(ptx, kinds) {
		all[p.plant]++
		runs := func(ptx string) error { return d.launch(t, mod, dev, func(string) string { return ptx }) }
		if runs(p.ptx) == nil && runs(p.trap) != nil {
			out = append(out, p)
		}
	}
	t.Logf("planted: %v", all)
	return out
}

// TestOvertaken takes the fences of reads out of products whose operands the copy engine brings: the
// simulator reports the read and the copy that overtakes it, with their places in the kernel.
func TestOvertaken(t *testing.T) {
	dev := opened(t, "sim:90")[0]
	mod, err := nereid.Parse("planted.py", []byte(plantedKernels))
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`planted.py:12:\d+: error: shared byte \w+ was read by thread \d+ ` +
		`\(line \d+, planted.py:12:\d+\), and a bulk copy overwrites it`)
	fence := regexp.MustCompile(`(?m)^\s*fence\.proxy\.async[^;]*;`)
	for _, d := range plantedLaunches()[:3] {
		err := d.launch(t, mod, dev, func(ptx string) string { return fence.ReplaceAllString(ptx, "") })
		if err == nil || !want.MatchString(err.Error()) {
			t.Errorf("%+v: %v", d.opts, err)
		}
	}
}

// launch launches the kernel with changed code.
func (d described) launch(t *testing.T, mod *nereid.Module, dev *nereid.Device,
	change func(string) string) error {
	t.Helper()
	return d.watched(t, mod, dev, sim.Watch{Change: change})
}

// watched launches the kernel while the simulator watches it.
func (d described) watched(t *testing.T, mod *nereid.Module, dev *nereid.Device, w sim.Watch) error {
	t.Helper()
	return d.launchIn(sim.WithWatch(t.Context(), w), t, mod, dev, nil)
}
