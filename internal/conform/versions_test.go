package conform

import (
	"bytes"
	"encoding/binary"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// versionKernel is a kernel of testdata/versions.py: it takes two pointers.
type versionKernel struct {
	name         string
	in, out      *dtype
	since, until triton.Version
}

var versionHead = regexp.MustCompile(
	`# sig: \*(\w+), \*(\w+)\n((?:# (?:since|until): .*\n)*)@triton.jit\ndef (\w+)`)

// changedResults has the kernels whose results are not those of 3.6 from a release on, for the inputs of
// versionInput.
var changedResults = map[string]triton.Version{
	"negation": triton.V38, "bf16_maximum": triton.V39, "bf16_scan": triton.V39,
	"scalar_compare": triton.V39, "scalar_fma": triton.V39, "signed_zero": triton.V39,
	"store_bool": triton.V39,
}

// TestVersions runs a kernel for each kind of change between releases of Triton, under the rules of every
// release that takes it, on the CPU and on simulated GPUs. Its IR is that of the release (lang.TestVersions);
// the interpreter says what that means. Results change where they are known to, and nowhere else.
func TestVersions(t *testing.T) {
	text := txtest.Read(t, "testdata/versions.py")
	judge := interpreter(t)
	devices := opened(t, "cpu", "sim:90", "sim:gfx942")
	for _, k := range versionKernels(t, text) {
		t.Run(k.name, func(t *testing.T) {
			var first []byte
			for _, v := range triton.Releases {
				if !(triton.Span{Since: k.since, Last: k.until}).Contains(v) {
					continue
				}
				want := k.run(t, text, v, judge)
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
func (k versionKernel) run(t *testing.T, text string, v triton.Version, dev *nereid.Device) []byte {
	t.Helper()
	m, err := nereid.Parse("versions.py", []byte(text), nereid.Triton(v.String()))
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
var versionTolerance = map[string]float64{"softmax_shape": 1e-5, "approx_fdiv": 1e-6, "fp8_division": 1e-6,
	"bf16_scan": 0.03}

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
