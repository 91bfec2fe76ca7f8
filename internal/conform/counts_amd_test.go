package conform

import (
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/target/amd/sim"
	"github.com/nereid-lang/nereid/internal/target/simcount"
)

// TestCountsAMD compares what the emulator of AMD's GPUs counts for each line with counts made by hand.
func TestCountsAMD(t *testing.T) {
	mod, err := nereid.Parse("counts.py", []byte(countedKernels))
	if err != nil {
		t.Fatal(err)
	}
	f16, f32 := nereid.Float16, nereid.Float32
	in := func(t nereid.DType, shape ...int64) tile { return tile{dtype: t, shape: shape} }
	var list []simcount.Count
	w := sim.Watch{Counts: func(a []simcount.Count) { list = append(list, a...) }}
	compareCounts(t, sim.WithWatch(t.Context(), w), mod, opened(t, "sim:gfx942")[0], &list, []countedCase{
		// 1,000 elements of 4 bytes in four programs of 256, four waves of 64 lanes each, one element to a
		// lane: 16 accesses of 256 bytes, which are four requests of 64. The last has 40 elements, 160 bytes
		// and three requests. The sum is taken under the mask of the store.
		{"add", nereid.Grid{4}, []any{in(f32, 1000), in(f32, 1000), in(f32, 1000), 1000, 256},
			map[string]perLine{
				"x = tl.load(x_ptr + i, mask=i < n)": {memory: 16, loaded: 4000, sectors: 63, least: 63},
				"y = tl.load(y_ptr + i, mask=i < n)": {memory: 16, loaded: 4000, sectors: 63, least: 63},
				"tl.store(z_ptr + i, x + y, mask=i < n)": {memory: 16, stored: 4000, sectors: 63, least: 63,
					flops: 1000},
			}},
		// 256 elements, 64 bytes apart: one to a lane, so that each of four waves makes one access, and each
		// element costs a request. What is stored lies close together: 1,024 bytes are 16 requests.
		{"column", nereid.Grid{1}, []any{in(f32, 4096), in(f32, 256), 16, 256},
			map[string]perLine{
				"x = tl.load(x_ptr + i * STRIDE)": {memory: 4, loaded: 1024, sectors: 256, least: 16},
				"tl.store(y_ptr + i, x * x + 1.0)": {memory: 4, stored: 1024, sectors: 16, least: 16,
					flops: 512},
			}},
		// Two matrices of 64x64 elements of 2 bytes, 8,192 bytes each, in two steps of 32: a lane takes 16
		// bytes, four waves all 4,096 of a step by one access each, in pieces of rows with 64 bytes or 128.
		//
		// LDS moves 128 bytes in a wavefront. Both lines that begin there have two steps and two more, of
		// zeros, behind the end: a is written with 8 bytes a lane, by 8 instructions of four waves with four
		// wavefronts each, 128, and read so, 128 more, all at the line of b. Of b, 4 x 4,096 bytes are
		// written, 128 wavefronts. Each wave reads the half with its 32 columns, one element a lane,
		// 64 x 32 / 64 = 32 times; lanes 0 to 31 are one wavefront and the others another: 4 x 32 x 2 = 256.
		//
		// A wave stores its 32x32 elements of 4 bytes by four accesses, each of 32 bytes of every row: 16
		// accesses with 32 requests, which are half used.
		{"product", nereid.Grid{1}, []any{in(f16, 64, 64), in(f16, 64, 64), in(f32, 64, 64), 64, 32},
			map[string]perLine{
				"a = tl.load(a_ptr + i[:, None] * K + (at + k)[None, :])": {memory: 8, loaded: 8192,
					sectors: 128, least: 128},
				"b = tl.load(b_ptr + (at + k)[:, None] * 64 + i[None, :])": {memory: 8, loaded: 8192,
					sectors: 128, least: 128, waves: 128 + 128},
				"acc = tl.dot(a, b, acc)": {products: 64 * 64 * 64, waves: 128 + 256},
				"tl.store(c_ptr + i[:, None] * 64 + i[None, :], acc)": {memory: 16, stored: 16384,
					sectors: 512, least: 256},
			}},
	})
}
