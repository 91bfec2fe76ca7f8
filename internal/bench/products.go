package bench

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nereid-lang/nereid"
)

// tile is a config of a kernel that multiplies matrices; attention has no k.
type tile struct{ m, n, k, stages, warps int }

func (t tile) options() nereid.Options { return nereid.Options{NumStages: t.stages, NumWarps: t.warps} }

func (t tile) String() string {
	size := fmt.Sprintf("%dx%d", t.m, t.n)
	if t.k > 0 {
		size += fmt.Sprintf("x%d", t.k)
	}
	return fmt.Sprintf("%s, %d stages, %d warps", size, t.stages, t.warps)
}

// matmulTiles are the configs of kernels/matmul.py, attentionTiles those that peer/triton_peer.py tries.
var (
	matmulTiles = []tile{{128, 256, 64, 3, 8}, {128, 256, 64, 4, 8}, {256, 128, 64, 3, 8},
		{128, 128, 64, 4, 4}, {128, 128, 32, 4, 4}, {128, 64, 32, 4, 4}, {64, 128, 32, 4, 4},
		{64, 64, 64, 4, 4}, {64, 32, 32, 5, 2}}
	// fp8Tiles are as many bytes deep as those of fp16.
	fp8Tiles = []tile{{128, 256, 128, 3, 8}, {128, 256, 128, 4, 8}, {256, 128, 128, 3, 8},
		{128, 128, 128, 4, 4}, {128, 128, 128, 3, 8}, {128, 256, 64, 4, 8}}
	// smallFP8Tiles are for products of few tiles.
	smallFP8Tiles  = []tile{{64, 64, 128, 4, 4}, {64, 128, 128, 4, 4}, {128, 64, 128, 4, 4}}
	attentionTiles = []tile{{128, 64, 0, 3, 4}, {128, 64, 0, 3, 8}, {128, 128, 0, 3, 8}, {64, 64, 0, 3, 4},
		{128, 128, 0, 2, 8}, {128, 64, 0, 4, 8}, {256, 64, 0, 3, 16}}
)

// products is a figure for which the fastest of several tiles counts.
type products struct {
	*room
	row    Row
	tiles  []tile
	work   float64 // TFLOP
	expect expect
	file   string
	kernel string
	launch func(tile) (nereid.Grid, []any)
}

// time returns the time of a tile.
func (p *products) time(c tile) (time.Duration, error) {
	grid, args := p.launch(c)
	return p.s.time(&p.expect, p.file, p.kernel, grid, append(args, c.options())...)
}

// fastest times every tile and puts the best one's rate into the row. One that does not fit the device says
// nothing about the others.
func (p *products) fastest() (best tile, err error) {
	if p.err != nil {
		return best, p.err
	}
	p.row.Unit, p.row.Configs = "TFLOP/s", map[string]float64{}
	for _, c := range p.tiles {
		t, err := p.time(c)
		if err != nil {
			p.s.emit(Row{Kernel: p.row.Kernel, Shape: p.row.Shape, What: c.String(), Failed: err.Error()})
			continue
		}
		p.row.Configs[c.String()] = t.Seconds() * 1000
		if rate := p.work / t.Seconds(); rate > p.row.Nereid {
			p.row.Nereid, p.row.Best, best = rate, c.String(), c
		}
	}
	if p.row.Best == "" {
		return best, fmt.Errorf("none of %d tiles runs", len(p.tiles))
	}
	return best, nil
}

// emitFastest emits the rate of the fastest tile.
func (s *Suite) emitFastest(p *products) error {
	defer p.free()
	_, err := p.fastest()
	if err == nil {
		s.emit(p.row)
	}
	return err
}

func (s *Suite) matmul() error {
	for _, dt := range []nereid.DType{nereid.Float16, nereid.BFloat16} {
		for _, n := range pick(s.Small, []int{256}, []int{512, 1024, 2048, 4096, 8192}) {
			if err := s.emitFastest(s.matmulOf(dt, n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// matmulOf is the product of square matrices of a type.
func (s *Suite) matmulOf(dt nereid.DType, n int) *products {
	r := &room{s: s}
	a, b, out := r.random(0, dt, n, n), r.random(1, dt, n, n), r.empty(dt, n, n)
	p := s.square(r, a, b, out, [2]int{n, 1})
	p.row.Kernel, p.tiles = "matmul", pick(s.Small, []tile{{64, 64, 32, 2, 4}}, matmulTiles)
	return p
}

// square is the product of two square matrices into a third. strides are those of the second one.
func (s *Suite) square(r *room, a, b *input, out *nereid.Tensor, strides [2]int) *products {
	if r.err != nil {
		return &products{room: r}
	}
	n, dt := out.Shape[0], a.DType
	return &products{
		room: r, row: Row{DType: dt.String(), Shape: []int{n, n, n}}, file: "matmul.py",
		kernel: "matmul_kernel", work: 2 * float64(n) * float64(n) * float64(n) / 1e12,
		expect: expect{out: out, cols: n, tol: tolerances[dt], want: productOf(a, b, n, strides)},
		launch: func(c tile) (nereid.Grid, []any) {
			return nereid.Grid{ceil(n, c.m) * ceil(n, c.n)}, []any{a.Tensor, b.Tensor, out, n, n, n, n, 1,
				strides[0], strides[1], n, 1, c.m, c.n, c.k, 8, ""}
		},
	}
}

func (s *Suite) matmulFP8() error {
	for _, n := range pick(s.Small, []int{256}, []int{512, 1024, 2048, 4096, 8192}) {
		if err := s.emitFastest(s.matmulFP8Of(n)); err != nil {
			return err
		}
	}
	return nil
}

// matmulFP8Of multiplies matrices of e4m3 into one of fp16. Both lie with their depth in rows, as tensor
// cores want them.
func (s *Suite) matmulFP8Of(n int) *products {
	const dt = nereid.Float8E4NV
	r := &room{s: s}
	a, b, out := r.random(0, dt, n, n), r.random(1, dt, n, n), r.empty(nereid.Float16, n, n)
	p := s.square(r, a, b, out, [2]int{1, n})
	tiles := fp8Tiles
	if n <= 1024 {
		tiles = slices.Concat(fp8Tiles, smallFP8Tiles)
	}
	p.row.Kernel, p.tiles = "matmul_fp8", pick(s.Small, []tile{{64, 64, 64, 2, 4}}, tiles)
	return p
}

func (s *Suite) attention() error {
	for _, dt := range pick(s.Small, []nereid.DType{nereid.Float16},
		[]nereid.DType{nereid.Float16, nereid.BFloat16}) {
		for _, d := range pick(s.Small, []int{64}, []int{64, 128}) {
			for _, causal := range []bool{false, true} {
				for _, seq := range pick(s.Small, []int{128}, []int{1024, 4096, 16384}) {
					if err := s.emitFastest(s.attentionOf(dt, seq, d, causal)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// attentionOf is attention over 16,384 positions in sequences of a length, with 2,048 numbers each.
func (s *Suite) attentionOf(dt nereid.DType, seq, d int, causal bool) *products {
	batch, heads := max(1, 16384/seq), 32*64/d
	if s.Small {
		batch, heads = 1, 1
	}
	n := batch * heads
	r := &room{s: s}
	q, k, v := r.random(0, dt, n, seq, d), r.random(1, dt, n, seq, d), r.random(2, dt, n, seq, d)
	out, lse := r.empty(dt, n, seq, d), r.empty(nereid.Float32, n, seq)
	if r.err != nil {
		return &products{room: r}
	}
	work := 4 * float64(n) * float64(seq) * float64(seq) * float64(d) / 1e12
	if causal {
		work /= 2
	}
	head, scale := seq*d, 1/math.Sqrt(float64(d))
	return &products{
		room: r, row: Row{Kernel: "attention", DType: dt.String(), Shape: []int{batch, heads, seq, d},
			Causal: &causal},
		tiles: pick(s.Small, []tile{{64, 64, 0, 2, 4}}, attentionTiles), work: work, file: "attention.py",
		kernel: "attention_kernel",
		expect: expect{out: out, cols: d, tol: tolerances[dt], want: attentionOf(q, k, v, seq, d, causal)},
		launch: func(c tile) (nereid.Grid, []any) {
			return nereid.Grid{ceil(seq, c.m), n}, []any{q.Tensor, k.Tensor, v.Tensor, out, lse, scale,
				head, d, head, d, head, d, head, d, seq, d, c.m, c.n, causal}
		},
	}
}

func ceil(a, b int) int { return (a + b - 1) / b }
