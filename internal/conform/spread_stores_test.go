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
    deep = tl.arange(0, 32)
    a, b = x + rows[:, None] * sx + deep[None, :], y + deep[:, None] * sy + cols[None, :]
    acc = tl.zeros((128, 256), tl.float32)
    for i in range(0, depth, 32):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 32
        b += 32 * sy
    rows, cols = p * 128 + tl.arange(0, 128), h * 256 + tl.arange(0, 256)
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

// TestSpreadStoreFaults leaves out, one at a time, the instructions that order writes of a tile to shared
// memory with the copy engine's reads of it. The simulator must find each of these mistakes, and that of most
// barriers: some are there for other reasons.
func TestSpreadStoreFaults(t *testing.T) {
	t.Parallel()
	dev, dump := opened(t, "sim:90")[0], t.TempDir()
	k := kernelOf(t, groupedProduct, groupedStore, nereid.With(nereid.Config{Dump: dump}))
	for _, depth := range spreadDepths {
		if _, err := (spreadLaunch{3, 1, depth, 3}).run(t, k, dev); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dump, "*", "k.ptx"))
	if err != nil || len(files) != 1 {
		t.Fatalf("PTX is in %q, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if !isSpread(string(text)) {
		t.Fatal("the tile is not stored in parts")
	}
	lines, barriers := strings.Split(string(text), "\n"), 0
	if failsChanged(t, dev, files[0], lines) {
		t.Fatal("the code as it is fails")
	}
	for i, line := range lines {
		barrier := strings.HasPrefix(line, "\tbar.sync")
		if !barrier && !storeOrder.MatchString(line) {
			continue
		}
		changed := slices.Clone(lines)
		changed[i] = ""
		found := failsChanged(t, dev, files[0], changed)
		if barrier && found {
			barriers++
		} else if !barrier && !found {
			t.Errorf("line %d, %s, is left out, and nothing is reported", i+1, strings.TrimSpace(line))
		}
	}
	if barriers < 6 {
		t.Errorf("%d missing barriers are reported", barriers)
	}
}

// spreadDepths are depths of products whose tiles are stored in parts, partly so, and without a loop.
var spreadDepths = []int{192, 96, 0}

// failsChanged reports whether a launch with the changed lines of a dumped file fails.
func failsChanged(t *testing.T, dev *nereid.Device, file string, lines []string) bool {
	t.Helper()
	dir := t.TempDir()
	to := filepath.Join(dir, filepath.Base(filepath.Dir(file)), filepath.Base(file))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	k := kernelOf(t, groupedProduct, groupedStore, nereid.With(nereid.Config{Override: dir}))
	return slices.ContainsFunc(spreadDepths, func(depth int) bool {
		_, err := spreadLaunch{3, 1, depth, 3}.run(t, k, dev)
		return err != nil
	})
}
