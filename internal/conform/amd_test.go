package conform

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// absentOnHIP has the functions of NVIDIA's device library that Triton's library for HIP has not.
const absentOnHIP = `
add_rd add_rn add_ru add_rz brev byte_perm cbrt clz cospi div_rd div_rn div_ru div_rz
double2float_rd double2float_rn double2float_ru double2float_rz double2hiint double2int_rd
double2int_rn double2int_ru double2int_rz double2ll_rd double2ll_rn double2ll_ru double2ll_rz
double2loint double2uint_rd double2uint_rn double2uint_ru double2uint_rz double2ull_rd double2ull_rn
double2ull_ru double2ull_rz double_as_longlong erfcinv exp10 fast_cosf fast_exp10f fast_log10f
fast_log2f fast_logf fast_powf fast_sinf fast_tanf fdim ffs finitef float2int_rd float2int_rn
float2int_ru float2int_rz float2ll_rd float2ll_rn float2ll_ru float2ll_rz float2uint_rd
float2uint_rn float2uint_ru float2uint_rz float2ull_rd float2ull_rn float2ull_ru float2ull_rz
float_as_int float_as_uint fma_rd fma_rn fma_ru fma_rz hadd hiloint2double int2double_rn
int2float_rd int2float_rn int2float_ru int2float_rz int_as_float isfinited jn ll2double_rd
ll2double_rn ll2double_ru ll2double_rz ll2float_rd ll2float_rn ll2float_ru ll2float_rz llround logb
longlong_as_double mul24 mul_rd mul_rn mul_ru mul_rz mulhi norm3d norm4d normcdf normcdfinv popc
rcbrt rcp64h rcp_rd rcp_rn rcp_ru rcp_rz remainder rhadd rhypot rint rnorm3d rnorm4d rsqrt_rn sad
saturatef scalbn sinpi sqrt_rd sqrt_rn sqrt_ru sqrt_rz sub_rd sub_rn sub_ru sub_rz tgamma
uint2double_rn uint2float_rd uint2float_rn uint2float_ru uint2float_rz uint_as_float ull2double_rd
ull2double_rn ull2double_ru ull2double_rz ull2float_rd ull2float_rn ull2float_ru ull2float_rz yn
`

// hipRefuses returns why kernels of a case do not compile for a chip of AMD's, neither here nor with Triton,
// or "".
func hipRefuses(c *testCase, chip string) string {
	name := strings.Split(c.name, "/")
	switch {
	case name[0] == "libdevice" && slices.Contains(strings.Fields(absentOnHIP), name[1]):
		return "Triton's library for HIP has no " + name[1]
	case name[0] == "cast" && name[1] == "e4b15":
		return "AMD's GPUs have no fp8e4b15"
	case c.name == "dot/precision/tf32x3" || c.name == "dot/precision/tf32" && chip != "gfx942":
		return "HIP's precisions of products are ieee, bf16x3 and bf16x6, and tf32 on gfx942"
	case name[0] == "descriptor" && (name[1] == "atomic_min" || name[1] == "atomic_max") &&
		(name[2] == "fp16" || name[2] == "bf16"):
		return "atomic_min and atomic_max of 16-bit floats are instructions of NVIDIA's GPUs alone"
	}
	return ""
}

// hipTakes has the cases that do not compile for NVIDIA's GPUs but do for AMD's, here and with Triton.
var hipTakes = []string{
	"cast/refused/float8e4b8", "cast/refused/float8e5b16", // AMD's own formats
	"dot/refused/small", // no side of a product is too short
}

// entireAMD reports whether the tests of AMD's GPUs run in full: NEREID_TEST_AMD=all. Half an hour of them is
// no part of NEREID_TEST_PART=all.
func entireAMD() bool { return os.Getenv("NEREID_TEST_AMD") == "all" }

// TestConformAMD runs cases on the emulators of AMD's GPUs: others at each commit, or all in full. Those that
// hipRefuses lists must be refused.
func TestConformAMD(t *testing.T) {
	for _, chip := range []struct {
		name string
		part int
	}{{"gfx942", 128}, {"gfx90a", 320}, {"gfx1100", 320}} {
		t.Run(chip.name, func(t *testing.T) {
			dev := txtest.Device(t, "sim:"+chip.name, nereid.OpenDevice)
			some := someCases(t, chip.part, chosenFor("hip:"+chip.name))
			parallel(t, some, func(t *testing.T, c *testCase) {
				if why := hipRefuses(c, chip.name); why != "" {
					refusedBy(t, c, dev, why)
				} else if slices.Contains(hipTakes, c.name) {
					compileOnly(t, c, targetOf(dev))
				} else {
					c.test(t, dev)
				}
			})
		})
	}
}

// someCases returns one of part cases and those that always run, or all in full.
func someCases(t *testing.T, part int, always map[string]bool) []*testCase {
	if entireAMD() {
		return all()
	}
	chosen := txtest.Sample(t, part)
	var some []*testCase
	for i, c := range all() {
		if chosen(i) || always[c.name] {
			some = append(some, c)
		}
	}
	return some
}

// refusedBy checks that a device refuses a case with a diagnostic.
func refusedBy(t *testing.T, c *testCase, dev *nereid.Device, why string) {
	t.Helper()
	var list *diag.List
	switch err := c.run(dev); {
	case err == nil:
		t.Errorf("it runs, although %s\n%s", why, c.show())
	case !errors.As(err, &list):
		t.Errorf("it is refused, but not with a diagnostic: %v\n%s", err, c.show())
	}
}

// TestAskTritonAMD has Triton compile cases for gfx942: it refuses those of hipRefuses, and of the others
// what it refuses for NVIDIA's GPUs. Of the others one in 60 is asked about, at each commit other ones.
func TestAskTritonAMD(t *testing.T) {
	txtest.Slow(t, "takes seconds")
	var cases []*testCase
	chosen := txtest.Sample(t, 60)
	for i, c := range all() {
		listed := hipRefuses(c, "gfx942") != "" || slices.Contains(hipTakes, c.name)
		if entireAMD() || listed || chosen(i) {
			mute := *c
			mute.refused = true // no IR of ours is to be read
			cases = append(cases, &mute)
		}
	}
	said := askTriton(t, txtest.Triton(t), "hip:gfx942", cases)
	for _, c := range all() {
		a, ok := said[c.name]
		if !ok {
			continue
		}
		want := c.refused || c.beyond != "" || hipRefuses(c, "gfx942") != ""
		if slices.Contains(hipTakes, c.name) {
			want = false
		}
		if got := a.Error != ""; got != want {
			t.Errorf("%s: Triton refuses it: %v (%s), we: %v\n%s", c.name, got, a.Error, want, c.show())
		}
	}
}

// amdCases returns cases of what AMD's GPUs have alone: its formats of 8 bits, whose bits travel as bytes,
// and products with short sides.
func amdCases() []*testCase {
	s := &suite{names: map[string]bool{}}
	m := &module{name: "conform_amd"}
	for name, format := range map[string]*num.Format{
		"float8e4b8": num.F8E4M3FNUZ, "float8e5b16": num.F8E5M2FNUZ,
	} {
		bytes := count(u8, 256)
		wide := bytes.each(f32, func(b uint64) uint64 { return f32.bitsOf(format.Decode(b), nearest) })
		m.add(s, kernel{name: "from/" + name, in: []array{bytes}, want: []array{wide},
			results: []string{"x.to(tl." + name + ", bitcast=True).to(tl.float32)"}})
		m.add(s, kernel{name: "to/" + name, in: []array{wide}, want: []array{bytes},
			results: []string{"x.to(tl." + name + ").to(tl.uint8, bitcast=True)"}})
	}
	src := newSource("amd/dot")
	for _, n := range [][3]int{{16, 16, 8}, {4, 16, 16}, {16, 2, 4}, {1, 1, 16}} {
		x, y := src.uniform(f16, -1, 1, n[0], n[2]), src.uniform(f16, -1, 1, n[2], n[1])
		m.add(s, kernel{name: fmt.Sprintf("dot/%dx%dx%d", n[0], n[1], n[2]), in: []array{x, y},
			results: []string{"tl.dot(x, y)"}, want: []array{matmul(x, y, nil, f32)},
			tol: tolerance{others: 8, abs: 0x1p-18}})
	}
	x := newSource("amd/tanh").uniform(f32, -9, 9, 256)
	m.add(s, kernel{name: "fast_tanhf", in: []array{x}, results: []string{"libdevice.fast_tanhf(x)"},
		want: []array{x.each(f32, func(b uint64) uint64 {
			return f32.bitsOf(math.Tanh(f32.float(b)), nearest)
		})}, tol: tolerance{others: 8, abs: 0x1p-20}})
	return s.cases
}

// TestOnlyAMD runs what NVIDIA's GPUs do not have.
func TestOnlyAMD(t *testing.T) {
	for _, chip := range []string{"gfx942", "gfx90a", "gfx1100"} {
		t.Run(chip, func(t *testing.T) {
			dev := txtest.Device(t, "sim:"+chip, nereid.OpenDevice)
			parallel(t, amdCases(), func(t *testing.T, c *testCase) { c.test(t, dev) })
		})
	}
}

// TestAMDLists: the lists name cases that exist, as many as docs/AMD.md says.
func TestAMDLists(t *testing.T) {
	for chip, want := range map[string]int{"gfx942": 213, "gfx90a": 214, "gfx1100": 214} {
		n := 0
		for _, c := range all() {
			if hipRefuses(c, chip) != "" {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d cases are refused, docs/AMD.md says %d", chip, n, want)
		}
	}
	known := map[string]bool{}
	for _, c := range all() {
		known[c.name] = true
		if name := strings.Split(c.name, "/"); name[0] == "libdevice" {
			known[name[1]] = true
		}
	}
	for _, name := range append(strings.Fields(absentOnHIP), hipTakes...) {
		if !known[name] {
			t.Errorf("no case is of %s", name)
		}
	}
}
