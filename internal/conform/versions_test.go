package conform

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// versionKernel is a kernel of testdata/versions.py: it takes two pointers.
type versionKernel struct {
	name         string
	in, out      *dtype
	since, until triton.Version
	never        bool // no release compiles it
}

// taken reports whether a release compiles the kernel.
func (k versionKernel) taken(v triton.Version) bool {
	return !k.never && triton.Span{Since: k.since, Last: k.until}.Contains(v)
}

var versionHead = regexp.MustCompile(
	`# sig: \*(\w+), \*(\w+)\n((?: *# (?:since|until): .*\n)*) *@triton.jit\n *def (\w+)`)

// changedResults has the kernels whose results are not those of 3.6 from a release on, for the inputs of
// versionInput.
var changedResults = map[string]triton.Version{
	"negation": triton.V38, "bf16_maximum": triton.V39, "bf16_scan": triton.V39,
	"scalar_compare": triton.V39, "scalar_fma": triton.V39, "signed_zero": triton.V39,
	"store_bool": triton.V39, "fp8_quotient": triton.V39, "softmax_rows": triton.V39,
	"kept_items": triton.V39,
}

// TestVersions runs a kernel for each kind of change between releases of Triton, under the rules of every
// release that takes it, in the interpreter, and, for one in four kernels at each commit, on the CPU and on
// simulated GPUs. The expected results are those
// of the IR that the release's own wheel has made of the kernel (peer/versions.py), run in the interpreter.
// They change where they are known to, and nowhere else.
func TestVersions(t *testing.T) {
	text := txtest.Read(t, "testdata/versions.py")
	judge := interpreter(t)
	devices := append([]*nereid.Device{judge}, opened(t, "cpu", "sim:90", "sim:gfx942")...)
	theirs := txtest.JSON[releaseAnswers](t, txtest.Path(t, "internal", "lang", "testdata",
		"versions.json.gz"))
	chosen := txtest.Sample(t, 4)
	for i, k := range versionKernels(t, text) {
		t.Run(k.name, func(t *testing.T) {
			var first []byte
			for _, v := range triton.Releases {
				if !k.taken(v) {
					continue
				}
				ir := triton.Older([]byte(theirs[v.String()][k.name]))
				start := jit.StartAt("source", ir, nil)
				want := k.run(t, text, v, judge, start)
				if first == nil {
					first = want
				}
				since, changes := changedResults[k.name]
				differs := changes && triton.Span{Since: since}.Contains(v)
				if equal := bytes.Equal(first, want); equal == differs {
					t.Errorf("%s: results are those of the first release: %v\n%x\n%x", v, equal, first[:64],
						want[:64])
				}
				for _, dev := range devices {
					if dev != judge && !chosen(i) {
						continue
					}
					if got := k.run(t, text, v, dev); !k.same(want, got) {
						t.Errorf("%s on %s:\n%x, want\n%x", v, dev, got[:64], want[:64])
					}
				}
			}
		})
	}
}

func versionKernels(t *testing.T, text string) (out []versionKernel) {
	t.Helper()
	types := map[string]*dtype{"fp32": f32, "fp16": f16, "bf16": bf16, "i32": i32, "i1": i1}
	for _, m := range versionHead.FindAllStringSubmatch(text, -1) {
		k := versionKernel{name: m[4], in: types[m[1]], out: types[m[2]]}
		for line := range strings.Lines(m[3]) {
			limit, release, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "# "), ": ")
			if release == "never" {
				k.never = true
				continue
			}
			v, err := triton.Parse(release)
			if err != nil {
				t.Fatal(err)
			}
			if limit == "since" {
				k.since = v
			} else {
				k.until = v
			}
		}
		out = append(out, k)
	}
	if len(out) < 26 {
		t.Fatalf("only %d kernels", len(out))
	}
	return out
}

// run launches the kernel under the rules of a release and returns what it has stored.
func (k versionKernel) run(t *testing.T, text string, v triton.Version, dev *nereid.Device,
	opts ...nereid.LoadOption) []byte {
	t.Helper()
	m, err := nereid.Parse("versions.py", []byte(text), append(opts, nereid.Triton(v.String()))...)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := m.Kernel(k.name)
	if err != nil {
		t.Fatal(err)
	}
	return leaves(t, kernel, dev, nereid.Grid{1, 1, 1}, k.input(), newArray(k.out, 256))
}

// input returns values around those at which the releases part: zeros of both signs, fractions that the
// formats round, small integers.
func (k versionKernel) input() array {
	x := newArray(k.in, 256)
	for i := range x.len() {
		v := []float64{0, 0.1, -0.1, 0.3, 1, -2, 0.7, 3, 0.05, -0.3, 5, 0.2, -7, 1.1, 0.9, -0.7}[i%16]
		if k.in == i32 {
			x.bits[i] = uint64(uint32(int32(i%16 - 8)))
			continue
		}
		x.setFloat(i, v)
	}
	return x
}

// versionTolerance has the kernels whose results in fp32 depend on the device: on its exponentials and
// quotients, or on the order in which it adds bf16.
var versionTolerance = map[string]float64{"softmax_shape": 1e-5, "softmax_rows": 1e-5,
	"approx_fdiv": 1e-6, "fp8_division": 1e-6, "bf16_scan": 0.03}

// same reports whether a device's results are those of the interpreter.
func (k versionKernel) same(want, got []byte) bool {
	within := versionTolerance[k.name]
	if within == 0 {
		return bytes.Equal(want, got)
	}
	for i := 0; i < len(want); i += 4 {
		a := math.Float32frombits(binary.LittleEndian.Uint32(want[i:]))
		b := math.Float32frombits(binary.LittleEndian.Uint32(got[i:]))
		if diff := math.Abs(float64(a) - float64(b)); !(diff <= within*max(1, math.Abs(float64(a)))) {
			return false
		}
	}
	return true
}

// ownInterpreter has the kernels to which the interpreters of some releases give other results than the IR
// that the same releases compile, with the reason.
var ownInterpreter = map[string]struct {
	triton.Span
	why string
}{
	"bf16_maximum":    {why: "bf16 is cut off instead of rounded; in 3.9 sums of bf16 are sums of their bits"},
	"bf16_clamp":      {why: "bf16 is cut off instead of rounded; in 3.9 bf16 is compared by its bits"},
	"halves":          {why: "bf16 is cut off instead of rounded"},
	"bf16_scan":       {Span: triton.Span{Since: triton.V39}, why: "sums of bf16 are sums of their bits"},
	"bf16_max":        {Span: triton.Span{Since: triton.V39}, why: "bf16 is compared by its bits"},
	"fp8_division":    {why: "halves between two numbers of fp8 are rounded up, not to even"},
	"fp8_constant":    {why: "the constant's integral part is taken for its bits"},
	"fp8_quotient":    {Span: triton.Span{Last: triton.V38}, why: "bits of fp8 are divided as integers"},
	"kept_items":      {Span: triton.Span{Last: triton.V38}, why: "conditions of comprehensions hold"},
	"nonlocal_factor": {why: "the global is found instead of the nonlocal of the same name"},
}

// TestVersionsInterpreted: the interpreters of Triton's own releases (peer/version_results.py) have the
// results of ours, by the rules of each.
func TestVersionsInterpreted(t *testing.T) {
	text := txtest.Read(t, "testdata/versions.py")
	judge := interpreter(t)
	theirs := txtest.JSON[releaseAnswers](t, "testdata/version_results.json.gz")
	for _, k := range versionKernels(t, text) {
		t.Run(k.name, func(t *testing.T) {
			for _, v := range triton.Releases {
				answer, ok := theirs[v.String()][k.name]
				if !ok {
					t.Fatalf("Triton %s was not asked: run peer/version_results.py", v)
				}
				if !k.taken(v) || strings.HasPrefix(answer, "error: ") {
					continue
				}
				want, err := hex.DecodeString(answer)
				if err != nil {
					t.Fatal(err)
				}
				got := k.run(t, text, v, judge)[:len(want)]
				own, differs := ownInterpreter[k.name]
				differs = differs && own.Contains(v)
				if equal := k.same(want, got); equal == differs {
					t.Errorf("%s: equal: %v\n%x, Triton's interpreter\n%x", v, equal, got[:64], want[:64])
				}
			}
		})
	}
}

// releaseAnswers is what Triton answered: by release and kernel.
type releaseAnswers map[string]map[string]string

var documentedKind = regexp.MustCompile("(?m)^\\| .* \\| ((?:`\\w+`(?:, )?)+) \\| [^|]* \\|$")

// TestVersionKinds: the table of docs/VERSIONS.md has each of the 26 kinds of change with kernels of
// testdata/versions.py, and no kernel is left out of the section.
func TestVersionKinds(t *testing.T) {
	_, rest, _ := strings.Cut(txtest.Read(t, txtest.Path(t, "docs", "VERSIONS.md")), "## Kinds of change\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	kinds := documentedKind.FindAllStringSubmatch(section, -1)
	if len(kinds) != 26 {
		t.Errorf("%d kinds, want 26", len(kinds))
	}
	have := map[string]bool{}
	for _, k := range versionKernels(t, txtest.Read(t, "testdata/versions.py")) {
		have[k.name] = true
		if !strings.Contains(section, "`"+k.name+"`") {
			t.Errorf("the section lacks %s", k.name)
		}
	}
	for _, m := range kinds {
		for name := range strings.SplitSeq(m[1], ", ") {
			if name = strings.Trim(name, "`"); !have[name] {
				t.Errorf("there is no kernel %s", name)
			}
		}
	}
}
