package lower

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/chip"
)

// TestPlacesOfGoldens: in Triton's TTGIR for every GPU, buffers that are in use at one time lie apart.
func TestPlacesOfGoldens(t *testing.T) {
	checked := 0
	for dir, vendor := range map[string]Vendor{"cuda-80": NVIDIA(80), "cuda-90": NVIDIA(90),
		"hip-gfx942": AMD(chip.Of("hip", "gfx942"), AMDOptions{})} {
		for _, name := range goldenNames(t, dir) {
			m := parseIR(t, name+".ttgir", goldenFile(t, dir, name, "ttgir"))
			opts := testOptions(m, 90)
			opts.Vendor = vendor
			checked += judgeModule(t, m, goldenLaunches[name].kernel, opts, 0)
		}
	}
	if checked < 1000 {
		t.Errorf("the judge saw %d buffers in use", checked)
	}
}

// TestPlacesRandom: so they do in random functions, whose loops and branches hand buffers on and whose
// products are waited for later.
func TestPlacesRandom(t *testing.T) {
	checked := 0
	for seed := range uint64(400) {
		text := randomBuffers(rand.New(rand.NewPCG(seed, 21)))
		if seed%2 == 1 { // the same in words of linear layouts
			text = strings.ReplaceAll(text, nvmma(128, false, 16), coreMatrices(64, 64, false, 16))
		}
		m := parseIR(t, "random.ttgir", []byte(text))
		checked += judgeModule(t, m, "k", testOptions(m, 90), int(seed%3)*16)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if checked < 20000 {
		t.Errorf("the judge saw %d buffers in use", checked)
	}
}

// roomText writes a random function that keeps tensors in shared memory.
type roomText struct {
	strings.Builder
	*rand.Rand
	n int
	scope
}

// scope has the names that a statement can use.
type scope struct{ mems, tensors, accs []string }

const (
	roomEnc = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], " +
		"order = [1, 0]}>"
	roomOther = "#ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], " +
		"order = [0, 1]}>"
	roomMMA = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], " +
		"instrShape = [16, 64, 16]}>"
	roomTensor = "tensor<64x64xf16, " + roomEnc + ">"
	roomTurned = "tensor<64x64xf16, " + roomOther + ">"
	roomAcc    = "tensor<64x64xf32, " + roomMMA + ">"
)

var roomMem = mem("64x64", "f16", nvmma(128, false, 16), false)

func (b *roomText) line(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

func (b *roomText) name() string { b.n++; return fmt.Sprintf("%%v%d", b.n) }

func (b *roomText) mem() string { return pick(b.Rand, b.mems...) }

func randomBuffers(r *rand.Rand) string {
	b := &roomText{Rand: r}
	b.line("tt.func public @k(%%n: i32, %%c: i1) {\n%%zero = arith.constant 0 : i32")
	b.line("%%one = arith.constant 1 : i32")
	b.line("%%t = arith.constant dense<1.0> : %s", roomTensor)
	b.line("%%acc = arith.constant dense<0.0> : %s", roomAcc)
	b.tensors, b.accs = []string{"%t"}, []string{"%acc"}
	b.alloc()
	b.body(6+r.IntN(8), 2)
	b.line("tt.return\n}")
	return strings.Replace(moduleText(4, b.String()), "cuda:80", "cuda:90", 1)
}

func (b *roomText) alloc() {
	m := b.name()
	b.line("%s = ttg.local_alloc %s : (%s) -> %s", m, pick(b.Rand, b.tensors...), roomTensor, roomMem)
	b.mems = append(b.mems, m)
}

// body writes statements; what they define is in scope behind them.
func (b *roomText) body(n, depth int) {
	for range n {
		switch k := b.IntN(12); {
		case k < 3:
			b.alloc()
		case k < 5:
			t := b.name()
			b.line("%s = ttg.local_load %s : %s -> %s", t, b.mem(), roomMem, roomTensor)
			b.tensors = append(b.tensors, t)
		case k < 6: // which needs scratch memory
			u, t := b.name(), b.name()
			b.line("%s = ttg.convert_layout %s : %s -> %s", u, pick(b.Rand, b.tensors...), roomTensor,
				roomTurned)
			b.line("%s = ttg.convert_layout %s : %s -> %s", t, u, roomTurned, roomTensor)
			b.tensors = append(b.tensors, t)
		case k < 8:
			r := b.name()
			b.line("%s = ttng.warp_group_dot %s, %s, %%acc {inputPrecision = 0 : i32, isAsync = true} : "+
				"%s * %s -> %s", r, b.mem(), b.mem(), roomMem, roomMem, roomAcc)
			b.accs = append(b.accs, r)
		case k < 9:
			b.line("%s = ttng.warp_group_dot_wait %s {pendings = %d : i32} : %s", b.name(),
				pick(b.Rand, b.accs...), b.IntN(2), roomAcc)
		case depth > 0:
			b.nested(k, depth)
		}
	}
}

// nested writes a loop or a branch that hands a buffer on.
func (b *roomText) nested(k, depth int) {
	res, arg, i, next := b.name(), b.name(), b.name(), b.name()
	switch k {
	case 9:
		b.line("%s = scf.for %s = %%zero to %%n step %%one iter_args(%s = %s) -> (%s) : i32 {", res, i, arg,
			b.mem(), roomMem)
		b.line("scf.yield %s : %s\n}", b.inside(depth, arg), roomMem)
	case 10:
		c, j, in := b.name(), b.name(), b.name()
		b.line("%s:2 = scf.while (%s = %%zero, %s = %s) : (i32, %[5]s) -> (i32, %[5]s) {", res, i, arg,
			b.mem(), roomMem)
		handed := b.inside(depth-1, arg)
		b.line("%s = arith.cmpi slt, %s, %%n : i32", c, i)
		b.line("scf.condition(%s) %s, %s : i32, %s\n} do {", c, i, handed, roomMem)
		b.line("^bb0(%s: i32, %s: %s):", j, in, roomMem)
		out := b.inside(depth, in)
		b.line("%s = arith.addi %s, %%one : i32\nscf.yield %[1]s, %[3]s : i32, %s\n}", next, j, out, roomMem)
		res += "#1"
	default:
		b.line("%s = scf.if %%c -> (%s) {", res, roomMem)
		b.line("scf.yield %s : %s\n} else {", b.inside(depth, ""), roomMem)
		b.line("scf.yield %s : %s\n}", b.inside(depth, ""), roomMem)
	}
	b.mems = append(b.mems, res)
}

// inside writes the body of a region and returns a buffer that it may hand on, of the body itself or not.
func (b *roomText) inside(depth int, arg string) string {
	saved := b.scope
	if arg != "" {
		b.mems = append(b.mems[:len(b.mems):len(b.mems)], arg)
	}
	b.body(2+b.IntN(5), depth-1)
	out := b.mem()
	if b.IntN(2) == 0 {
		out = b.mems[len(b.mems)-1]
	}
	b.scope = saved
	return out
}
