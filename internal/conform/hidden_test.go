package conform

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/certify"
	idtype "github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// Faults that a tolerance hides: long sums lose a term, or numbers that are nearly alike take each other's
// place. Each is planted in a line of compiled code. Where all results stay within hiddenBelow of the right
// ones, so that a usual test passes, code in the ring must differ from its source.

// hiddenBelow is the relative tolerance.
const hiddenBelow = 1e-2

// fault is a kind of fault: lines of a stage that match are changed, one at a time.
type fault struct {
	name   string
	match  *regexp.Regexp
	change string // what the match becomes; LAST is the last index of the launch
}

// ptxFaults are planted in PTX, llvmFaults in the LLVM IR of AMD's code.
var (
	ptxFaults = kinds(
		"term twice", `(add(?:\.rn)?\.f32\s+%\w+, )(%\w+), %\w+;`, "$1$2, $2;",
		"last term lost", `setp\.lt\.s32(\s+%p\w+, %r\w+), %r\w+;`, "setp.lt.s32$1, LAST;",
		"mask off by one", `setp\.(lt|gt)\.s32`, "setp.${1}FLIP.s32",
		"wrong factor", `(fma\.rn\.f32\s+%\w+, )(%\w+), %\w+, (%\w+);`, "$1$2, $2, $3;",
		"wrong addend", `(fma\.rn\.f32\s+%\w+, )(%\w+), (%\w+), (%\w+);`, "$1$2, $3, $3;",
		"neighbour loaded", `(ld\.global\.b(?:32|16)\s+\S+ \[[^\]+]*\+) ?0 ?\]`, "${1}4]",
		"element of another lane", `(shfl\.sync\.bfly\.b32.*, )1(, 31, -1;)`, "${1}2$2",
		"pair swapped at the store", `(st\.global\.v[24]\.b32 \[[^\]]*\], \{ ?)(%\w+), (%\w+)`, "$1$3, $2",
		"fragments swapped", `(mma\.sync.*\{.*\}, \{.*\}, \{ ?)(%\w+), (%\w+)( ?\}, \{)`, "$1$3, $2$4",
		"accumulators swapped", `(mma\.sync.*\{ ?)(%\w+), (%\w+)([^{}]*\};)`, "$1$3, $2$4",
		"accumulator not reset", `(mov\.b32\s+%r\w+, )(0f00000000|0);`, "${1}0f3F800000;")
	llvmFaults = kinds(
		"term twice", `= fadd float (%\w+), %\w+`, "= fadd float $1, $1",
		"last term lost", `icmp slt i32 (%\w+), %arg3`, "icmp slt i32 $1, LAST",
		"mask off by one", `icmp slt`, "icmp sle",
		"wrong factor", `= fmul float (%\w+), %\w+`, "= fmul float $1, $1",
		"neighbour loaded", `(buffer\.load\.\w+\(ptr addrspace\(8\) %\w+, i32 %\w+, i32 )0`, "${1}4",
		"lanes in pairs", `= and i32 (%\w+), (63|31)\b`, "= and i32 $1, 62",
		"element of another lane", `(update\.dpp\.i32\(.*, i32 )177(, i32 15)`, "${1}78$2",
		"element of another half", `= xor i32 (%\w+), 32`, "= xor i32 $1, 16",
		"operands swapped", `(mfma\.f32\.\w+\()(<\d x \w+> %\w+), (<\d x \w+> %\w+),`, "$1$3, $2,",
		"accumulator not reset", `(phi float \[ )(?:0\.0+(?:e\+?\d+)?|0x0+)`, "${1}1.0")
)

// kinds returns faults from their names, matches and changes.
func kinds(texts ...string) (out []fault) {
	for i := 0; i < len(texts); i += 3 {
		out = append(out, fault{texts[i], regexp.MustCompile(texts[i+1]), texts[i+2]})
	}
	return out
}

const hiddenKernels = `
import triton
import triton.language as tl

@triton.jit
def sums(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        acc += tl.load(x + tl.program_id(0) + start + at, mask=start + at < n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(acc))

@triton.jit
def product(x, y, out, n, BLOCK: tl.constexpr):
    i, j, k = tl.arange(0, 32), tl.arange(0, 32), tl.arange(0, 16)
    acc = tl.zeros((32, 32), tl.float32)
    for start in range(0, n, 16):
        inside = start + k < n
        a = tl.load(x + i[:, None] * 320 + start + k[None, :], mask=inside[None, :], other=0.0)
        b = tl.load(y + (start + k[:, None]) * 32 + j[None, :], mask=inside[:, None], other=0.0)
        acc = tl.dot(a.to(tl.float16), b.to(tl.float16), acc)
    tl.store(out + i[:, None] * 32 + j[None, :], acc)

@triton.jit
def bias(x, y, out, n, BLOCK: tl.constexpr):
    i, j = tl.arange(0, 16), tl.arange(0, 64)
    v = tl.load(x + i[:, None] * 64 + j[None, :])
    w = tl.load(y + j, mask=j < n, other=1.0)[None, :]
    b = tl.load(y + 64 + i)[:, None]
    tl.store(out + i[:, None] * 64 + j[None, :], v * w + b)

@triton.jit
def centre(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, 512)
    v = tl.load(x + tl.program_id(0) * 512 + at)
    mean = tl.sum(v) / 512.0
    tl.store(out + tl.program_id(0) * 512 + at, v * 0.5 + mean)
`

// hiddenCase is a kernel with its launch.
type hiddenCase struct {
	kernel      string
	n, programs int
	warps       int
	out         int // elements
}

var hiddenCases = []hiddenCase{
	{"sums", 1285, 4, 1, 4}, {"product", 307, 1, 1, 1024}, {"bias", 61, 1, 1, 1024},
	{"centre", 0, 2, 2, 1024},
}

// nearlyAlike returns n floats that are nearly alike.
func nearlyAlike(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(float32(1+0.004*r.Float64())))
	}
	return out
}

// run returns what a launch leaves in out.
func (c hiddenCase) run(file string, dev *nereid.Device, conf nereid.Config, ring bool) ([]byte, error) {
	conf.Print = io.Discard
	m, err := nereid.Load(file, nereid.With(conf))
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(c.kernel)
	if err != nil {
		return nil, err
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var args []any
	var out *nereid.Tensor
	for i, n := range []int{32 * 320, 32 * 320, c.out} {
		data := nearlyAlike(n, uint64(i))
		if ring {
			certify.Prepare(idtype.Float32, data)
		}
		if out, err = nereid.NewTensor(dev, nereid.Float32, n); err != nil {
			return nil, err
		}
		defer out.Close()
		if err := out.CopyBytesFrom(data); err != nil {
			return nil, err
		}
		args = append(args, out)
	}
	args = append(args, c.n, 64, nereid.Options{NumWarps: c.warps, Certify: ring})
	if err := k.Launch(s, nereid.Grid{c.programs, 1, 1}, args...); err != nil {
		return nil, err
	}
	if err := s.Sync(); err != nil {
		return nil, err
	}
	got := make([]byte, 4*c.out)
	return got, out.CopyBytesTo(got)
}

// within reports whether all floats agree but for the tolerance.
func within(want, got []byte) bool {
	for i := 0; i < len(want); i += 4 {
		w := float64(math.Float32frombits(binary.LittleEndian.Uint32(want[i:])))
		g := float64(math.Float32frombits(binary.LittleEndian.Uint32(got[i:])))
		if !(math.Abs(w-g) <= hiddenBelow*math.Abs(w)) {
			return false
		}
	}
	return true
}

// stageTexts returns the text of a stage of code for floats and of code for the ring.
func (c hiddenCase) stageTexts(t *testing.T, file string, dev *nereid.Device, stage string) [2]string {
	t.Helper()
	var texts [2]string
	for i, ring := range []bool{false, true} {
		dir := t.TempDir()
		if _, err := c.run(file, dev, nereid.Config{Dump: dir, NoLines: true}, ring); err != nil {
			t.Fatalf("%s: %v", c.kernel, err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*", c.kernel+"."+stage))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: %v, %v", c.kernel, files, err)
		}
		texts[i] = txtest.Read(t, files[0])
	}
	return texts
}

// plantAt returns a text with a fault at its i-th place, or "" if there is none.
func (c hiddenCase) plantAt(f fault, text string, i int) string {
	at := f.match.FindAllStringSubmatchIndex(text, -1)
	if i >= len(at) {
		return ""
	}
	by := string(f.match.ExpandString(nil, f.change, text, at[i]))
	by = strings.NewReplacer("ltFLIP", "le", "gtFLIP", "ge", "LAST", fmt.Sprint(c.n-1)).Replace(by)
	return text[:at[i][0]] + by + text[at[i][1]:]
}

// places returns the places at which a fault is planted: the first, the last, and one between.
func (f fault) places(text string) []int {
	n := len(f.match.FindAllStringIndex(text, -1))
	if n == 0 {
		return nil
	}
	list := []int{0, n / 2, n - 1}
	return slices.Compact(list)
}

// TestHidden plants faults in compiled code. At least ten of each vendor hide behind the tolerance, and the
// ring finds every one of these. At each commit it is one vendor's turn.
func TestHidden(t *testing.T) {
	chosen := txtest.Sample(t, 2)
	file := filepath.Join(t.TempDir(), "k.py")
	if err := os.WriteFile(file, []byte(hiddenKernels), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, d := range []struct {
		device, stage string
		faults        []fault
	}{{"sim:90", "ptx", ptxFaults}, {"sim:gfx942", "llir", llvmFaults}} {
		if !chosen(i) {
			continue
		}
		t.Run(d.device, func(t *testing.T) {
			dev := txtest.Device(t, d.device, nereid.OpenDevice)
			found := map[string]bool{} // kinds by kernel
			all := 0
			for _, c := range hiddenCases {
				h := newHidden(t, c, file, dev, d.stage)
				for _, f := range d.faults {
					for _, i := range f.places(h.texts[0]) {
						if h.plant(t, f, i) {
							found[f.name+" in "+c.kernel] = true
							all++
						}
					}
				}
			}
			t.Logf("%d faults of %d kinds hide and are found", all, len(found))
			if len(found) < 10 {
				t.Errorf("only %d kinds of hidden faults: %v", len(found), found)
			}
		})
	}
}

// hidden plants faults in the code of a kernel.
type hidden struct {
	hiddenCase
	file  string
	dev   *nereid.Device
	stage string
	texts [2]string // code for floats, code for the ring
	want  [2][]byte // of the source
	right []byte    // of the code for floats without a fault
}

func newHidden(t *testing.T, c hiddenCase, file string, dev *nereid.Device, stage string) *hidden {
	t.Helper()
	h := &hidden{hiddenCase: c, file: file, dev: dev, stage: stage, texts: c.stageTexts(t, file, dev, stage)}
	source := txtest.Device(t, "interp", nereid.OpenDevice)
	must := func(dev *nereid.Device, ring bool) []byte {
		out, err := c.run(file, dev, nereid.Config{}, ring)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	h.want = [2][]byte{must(source, false), must(source, true)}
	h.right = must(dev, false)
	if text := h.differs(must(dev, true)); text != "" || !within(h.want[0], h.right) {
		t.Fatalf("%s on %s: its code without a fault is wrong: %s", c.kernel, dev, text)
	}
	return h
}

// differs says how memory after a launch in the ring differs from that of the source; "" if it does not.
func (h *hidden) differs(got []byte) string {
	o := certify.Compare(idtype.Float32, h.want[1], h.want[1], got)
	if o.Different == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d elements", o.Different, o.Elements)
}

// plant plants a fault and reports whether the tolerance hides it. One that hides and that the ring does not
// find is an error; a fault that changes no bit of a result is none.
func (h *hidden) plant(t *testing.T, f fault, i int) bool {
	got, err := h.faulty(t, f, i, 0)
	if err != nil || !within(h.want[0], got) || string(got) == string(h.right) {
		return false
	}
	what := fmt.Sprintf("%s: %s (%d)", h.kernel, f.name, i)
	ring, err := h.faulty(t, f, i, 1)
	if err != nil {
		t.Logf("%s: found: %v", what, err)
		return true
	}
	text := h.differs(ring)
	if text == "" {
		t.Errorf("%s: the tolerance hides it, and the ring does not find it", what)
	}
	t.Logf("%s: found: %s", what, text)
	return true
}

// faulty runs code with a fault: 0 for floats, 1 in the ring.
func (h *hidden) faulty(t *testing.T, f fault, i, ring int) ([]byte, error) {
	text := h.plantAt(f, h.texts[ring], i)
	if text == "" {
		t.Fatalf("%s: %s: the code for the ring has other lines", h.kernel, f.name)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, h.kernel+"."+h.stage), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return h.run(h.file, h.dev, nereid.Config{Override: dir, NoLines: true}, ring == 1)
}
