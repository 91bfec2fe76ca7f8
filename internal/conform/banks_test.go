package conform

import (
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/target/nvidia/ptxsim"
	"github.com/nereid-lang/nereid/internal/target/nvidia/sim"
)

// bankKernels change layouts through shared memory, or multiply what lies there.
const bankKernels = header + `
@triton.jit
def transpose(x, y, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(y + j[:, None] * M + i[None, :], v.T)

@triton.jit
def product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, S: tl.constexpr, T: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, S)
    acc = tl.zeros((M, N), tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32)
    for at in range(0, K, S):
        x = tl.load(a + i[:, None] * K + (at + k)[None, :])
        if T:
            z = tl.load(b + j[None, :] * K + (at + k)[:, None])
        else:
            z = tl.load(b + (at + k)[:, None] * N + j[None, :])
        acc = tl.dot(x, z, acc, out_dtype=acc.dtype)
    tl.store(c + i[:, None] * N + j[None, :], acc.to(c.dtype.element_ty))

@triton.jit
def without_tensor_cores(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, S: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, S)
    acc = tl.zeros((M, N), tl.float32)
    for at in range(0, K, S):
        x = tl.load(a + i[:, None] * K + (at + k)[None, :])
        y = tl.load(b + j[None, :] * K + (at + k)[:, None])
        acc = tl.dot(x, y, acc, input_precision="ieee")
    tl.store(c + i[:, None] * N + j[None, :], acc)

@triton.jit
def floats(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, T: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + k[None, :]).to(tl.float32)
    if T:
        y = tl.load(b + j[None, :] * K + k[:, None]).to(tl.float32)
    else:
        y = tl.load(b + k[:, None] * N + j[None, :]).to(tl.float32)
    tl.store(c + i[:, None] * N + j[None, :], tl.dot(x, y))
`

// TestBankConflicts runs kernels that change layouts through shared memory on the simulated GPUs, and has
// them count the wavefronts that accesses take there. Layouts are chosen so that no bank is asked for two
// words at once; nothing but the count shows whether they do what they are for.
func TestBankConflicts(t *testing.T) {
	mod, err := nereid.Parse("banks.py", []byte(bankKernels))
	if err != nil {
		t.Fatal(err)
	}
	f16, f32, i8, i64 := nereid.Float16, nereid.Float32, nereid.Int8, nereid.Int64
	in := func(t nereid.DType, shape ...int64) tile { return tile{dtype: t, shape: shape} }
	for _, c := range []struct {
		kernel string
		args   []any
		// most is the number of wavefronts on sm_90 and sm_80 today. More are a loss. On sm_90, which stores
		// matrices, transpositions take the least that write every element once and read it once; bytes take
		// four times as many.
		most [2]int64
	}{
		{"transpose", []any{in(f32, 64, 64), in(f32, 64, 64), 64, 64}, [2]int64{256, 256}},
		{"transpose", []any{in(f32, 32, 128), in(f32, 128, 32), 32, 128}, [2]int64{256, 256}},
		{"transpose", []any{in(f16, 64, 64), in(f16, 64, 64), 64, 64}, [2]int64{128, 256}},
		{"transpose", []any{in(f16, 128, 32), in(f16, 32, 128), 128, 32}, [2]int64{128, 192}},
		{"transpose", []any{in(i64, 32, 64), in(i64, 64, 32), 32, 64}, [2]int64{256, 256}},
		{"transpose", []any{in(i8, 64, 128), in(i8, 128, 64), 64, 128}, [2]int64{512, 512}},
		{"product", []any{in(f16, 64, 128), in(f16, 128, 64), in(f16, 64, 64), 64, 64, 128, 64, false},
			[2]int64{1024, 896}},
		{"product", []any{in(f16, 64, 128), in(f16, 64, 128), in(f32, 64, 64), 64, 64, 128, 32, true},
			[2]int64{704, 1024}},
		{"product", []any{in(i8, 64, 128), in(i8, 64, 128), in(f32, 64, 64), 64, 64, 128, 64, true},
			[2]int64{704, 640}},
		{"product", []any{in(f32, 64, 64), in(f32, 64, 64), in(f32, 64, 64), 64, 64, 64, 32, true},
			[2]int64{1152, 1024}},
		{"without_tensor_cores", []any{in(f32, 64, 128), in(f32, 64, 128), in(f32, 64, 64), 64, 64, 128, 32},
			[2]int64{6912, 6912}},
		{"floats", []any{in(f16, 64, 64), in(f16, 64, 64), in(f32, 64, 64), 64, 64, 64, false},
			[2]int64{576, 640}},
		{"floats", []any{in(f16, 64, 64), in(f16, 64, 64), in(f32, 64, 64), 64, 64, 64, true},
			[2]int64{576, 640}},
	} {
		for i, name := range []string{"sim:90", "sim:80"} {
			d := described{kernel: c.kernel, grid: nereid.Grid{1}, args: c.args,
				opts: nereid.Options{NumWarps: 4, NumStages: 3}}
			var list []ptxsim.SharedAccess
			w := sim.Watch{Banks: func(a []ptxsim.SharedAccess) { list = append(list, a...) }}
			if err := d.watched(t, mod, opened(t, name)[0], w); err != nil {
				t.Fatalf("%s %v on %s: %v", d.kernel, d.args, name, err)
			}
			var took int64
			for _, a := range list {
				took += a.Wavefronts
				if a.Conflicts() > 0 {
					t.Errorf("%s %v on %s: line %d: %d wavefronts instead of %d: %s", d.kernel, d.args, name,
						a.Line, a.Wavefronts, a.Ideal, a.PTX)
				}
			}
			if took == 0 || took > c.most[i] {
				t.Errorf("%s %v on %s: %d wavefronts, not %d", d.kernel, d.args, name, took, c.most[i])
			}
		}
	}
}
