package conform

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// groupedProduct is a product whose programs go over its tiles in groups, as Triton's tutorial has it. Its
// tiles are stored in parts while the next one is multiplied.
const groupedProduct = `
@triton.jit
def k(x, out, y, m, n, depth, sx, sy, so):
    pid = tl.program_id(0)
    high, wide = tl.cdiv(m, 128), tl.cdiv(n, 256)
    first = pid // (2 * wide) * 2
    size = min(high - first, 2)
    p, h = first + pid % (2 * wide) % size, pid % (2 * wide) // size
    rows, cols = (p * 128 + tl.arange(0, 128)) % m, (h * 256 + tl.arange(0, 256)) % n
` + productLoop + `    rows, cols = p * 128 + tl.arange(0, 128), h * 256 + tl.arange(0, 256)
`

// productLoop multiplies a tile of rows with one of columns.
const productLoop = `    deep = tl.arange(0, 32)
    a, b = x + rows[:, None] * sx + deep[None, :], y + deep[:, None] * sy + cols[None, :]
    acc = tl.zeros((128, 256), tl.float32)
    for i in range(0, depth, 32):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 32
        b += 32 * sy
`

const groupedStore = `
at = out + rows[:, None] * so + cols[None, :]
tl.store(at, acc.to(tl.float16), mask=(rows[:, None] < m) & (cols[None, :] < n))
`

// spreadLaunch is a launch of a groupedProduct: tiles down and across, the depth, num_stages.
type spreadLaunch struct{ high, wide, depth, stages int }

func (l spreadLaunch) run(t *testing.T, k *nereid.Kernel, dev *nereid.Device) ([]byte, error) {
	t.Helper()
	small := func(n int) array { // sums are exact in fp16
		data := newArray(f16, n)
		for i := range data.len() {
			data.setFloat(i, float64(i*i/7%5-2))
		}
		return data
	}
	m, n := l.high*128, l.wide*256
	out := lend(t, dev, newArray(f16, m*n))
	s := txtest.Open(t, dev.NewStream, t.Context())
	x, y := lend(t, dev, small(m*256)), lend(t, dev, small(256*n))
	err := k.Launch(s, nereid.Grid{l.high * l.wide}, x, out, y, m, n, l.depth, 256, n, n,
		nereid.Options{NumWarps: 8, NumStages: l.stages})
	if err == nil {
		err = s.Sync()
	}
	return bytesOf(t, out), err
}

// isSpread reports whether dumped code stores tiles in parts: the first tile is preceded by a number of
// iterations that no loop has.
func isSpread(text string) bool { return strings.Contains(text, "1073741824") }

// TestSpreadStores runs products whose programs stay and store tiles in parts: with as many iterations of the
// next tile as there are parts, with fewer, and with none.
func TestSpreadStores(t *testing.T) {
	t.Parallel()
	dev, judge, dump := hopper(t), interpreter(t), t.TempDir()
	k := kernelOf(t, groupedProduct, groupedStore, nereid.With(nereid.Config{Dump: dump}))
	for _, l := range []spreadLaunch{{3, 2, 192, 3}, {3, 1, 96, 3}, {2, 2, 32, 3}, {5, 1, 64, 4},
		{3, 2, 0, 3}, {1, 1, 64, 3}} {
		want, _ := l.run(t, k, judge)
		if got, err := l.run(t, k, dev); err != nil || !bytes.Equal(want, got) {
			t.Errorf("%+v: results differ, %v", l, err)
		}
	}
	if strings.HasPrefix(dev.String(), "sim") && !slices.ContainsFunc(dumpedTTGIR(t, dump), isSpread) {
		t.Error("no tile is stored in parts")
	}
}

// storeOrder finds instructions that order a tile's writes to shared memory with the copy engine's reads.
var storeOrder = regexp.MustCompile(`^\s*(fence\.proxy\.async|cp\.async\.bulk\.(wait_group\.read|commit))`)

// storedProduct is a product whose tiles are stored in parts.
type storedProduct struct {
	text     string
	high     int // tiles
	depths   []int
	inParts  func(ptx string) bool
	barriers int // at least so many are needed for the store
	commits  int // so many close groups of copies that the next one would close
}

// launch runs the product at all of its depths.
func (p storedProduct) launch(t *testing.T, dev *nereid.Device, config nereid.Config) error {
	t.Helper()
	k := kernelOf(t, p.text, groupedStore, nereid.With(config))
	for _, depth := range p.depths {
		if _, err := (spreadLaunch{p.high, 1, depth, 3}).run(t, k, dev); err != nil {
			return err
		}
	}
	return nil
}

// plainProduct is a product whose programs go over its tiles row by row. A single tile is stored in parts
// while the rest of it is written to shared memory.
const plainProduct = `
@triton.jit
def k(x, out, y, m, n, depth, sx, sy, so):
    pid = tl.program_id(0)
    wide = tl.cdiv(n, 256)
    rows, cols = pid // wide * 128 + tl.arange(0, 128), pid % wide * 256 + tl.arange(0, 256)
` + productLoop

// TestStoreFaults leaves out, one at a time, the instructions that order writes of a tile to shared memory
// with the copy engine's reads of it. The simulator must find each of these mistakes, and that of most
// barriers: some are there for other reasons. At each commit it is one of two programs.
func TestStoreFaults(t *testing.T) {
	t.Parallel()
	chosen := txtest.Sample(t, 2)
	for i, p := range []storedProduct{
		{groupedProduct, 3, []int{192, 96, 0}, isSpread, 6, 0},
		{plainProduct, 1, []int{96}, func(ptx string) bool {
			return strings.Count(ptx, "bulk.tensor.2d.global.shared") == 4
		}, 5, 3},
	} {
		if chosen(i) {
			t.Run([]string{"in the next tile", "at the end"}[i], func(t *testing.T) { p.testFaults(t) })
		}
	}
}

func (p storedProduct) testFaults(t *testing.T) {
	dev, dump := opened(t, "sim:90")[0], t.TempDir()
	if err := p.launch(t, dev, nereid.Config{Dump: dump}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dump, "*", "k.ptx"))
	if err != nil || len(files) != 1 {
		t.Fatalf("PTX is in %q, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if !p.inParts(string(text)) {
		t.Fatal("the tile is not stored in parts")
	}
	lines, barriers, commits := strings.Split(string(text), "\n"), 0, 0
	if p.failsChanged(t, dev, files[0], lines) {
		t.Fatal("the code as it is fails")
	}
	for i, line := range lines {
		barrier := strings.HasPrefix(line, "\tbar.sync")
		if !barrier && !storeOrder.MatchString(line) {
			continue
		}
		changed := slices.Clone(lines)
		changed[i] = ""
		found := p.failsChanged(t, dev, files[0], changed)
		switch {
		case barrier && found:
			barriers++
		case !found && strings.Contains(line, "commit"):
			commits++
		case !found && !barrier:
			t.Errorf("line %d, %s, is left out, and nothing is reported", i+1, strings.TrimSpace(line))
		}
	}
	if barriers < p.barriers || commits != p.commits {
		t.Errorf("%d missing barriers are reported, %d missing commits are not", barriers, commits)
	}
}

// failsChanged reports whether a launch with the changed lines of a dumped file fails.
func (p storedProduct) failsChanged(t *testing.T, dev *nereid.Device, file string, lines []string) bool {
	t.Helper()
	return p.launch(t, dev, nereid.Config{Override: overriding(t, file, lines)}) != nil
}

// overriding returns a folder for Config.Override in which a dumped file has other lines.
func overriding(t *testing.T, file string, lines []string) string {
	t.Helper()
	dir := t.TempDir()
	to := filepath.Join(dir, filepath.Base(filepath.Dir(file)), filepath.Base(file))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}
