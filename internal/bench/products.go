package bench

import (
	"fmt"
	"math"
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
	attentionTiles = []tile{{128, 64, 0, 3, 4}, {128, 64, 0, 3, 8}, {128, 128, 0, 3, 8}, {64, 64, 0, 3, 4},
		{128, 128, 0, 2, 8}, {128, 64, 0, 4, 8}, {256, 64, 0, 3, 16}}
)

// fastest times every tile and puts the best one's rate into the row; work is in TFLOP.
func (s *Suite) fastest(row Row, tiles []tile, work float64, once func(tile) (time.Duration, error)) error {
	row.Unit, row.Configs = "TFLOP/s", map[string]float64{}
	for _, c := range tiles {
		t, err := once(c)
		if err != nil { // one that does not fit the device says nothing about the others
			s.emit(Row{Kernel: row.Kernel, Shape: row.Shape, What: c.String(), Failed: err.Error()})
			continue
		}
		row.Configs[c.String()] = t.Seconds() * 1000
		if rate := work / t.Seconds(); rate > row.Nereid {
			row.Nereid, row.Best = rate, c.String()
		}
	}
	if row.Best != "" {
		s.emit(row)
	}
	return nil
}

// tensors are n of one type and shape. The function that comes with them gives them back.
func (s *Suite) tensors(n int, dt nereid.DType, shape ...int) ([]*nereid.Tensor, func(), error) {
	var list []*nereid.Tensor
	free := func() {
		for _, t := range list {
			t.Close()
		}
	}
	for range n {
		t, err := s.tensor(dt, shape...)
		if err != nil {
			free()
			return nil, nil, err
		}
		list = append(list, t)
	}
	return list, free, nil
}

func (s *Suite) matmul() error {
	for _, dt := range []nereid.DType{nereid.Float16, nereid.BFloat16} {
		for _, n := range pick(s.Small, []int{256}, []int{512, 1024, 2048, 4096, 8192}) {
			if err := s.matmulOf(dt, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Suite) matmulOf(dt nereid.DType, n int) error {
	t, free, err := s.tensors(3, dt, n, n)
	if err != nil {
		return err
	}
	defer free()
	row := Row{Kernel: "matmul", DType: dt.String(), Shape: []int{n, n, n}}
	tiles := pick(s.Small, []tile{{64, 64, 32, 2, 4}}, matmulTiles)
	return s.product(row, tiles, [3]*nereid.Tensor(t), [2]int{n, 1})
}

// product measures the product of two square matrices into a third. strides are those of the second one.
func (s *Suite) product(row Row, tiles []tile, t [3]*nereid.Tensor, strides [2]int) error {
	n := row.Shape[0]
	return s.fastest(row, tiles, 2*float64(n)*float64(n)*float64(n)/1e12,
		func(c tile) (time.Duration, error) {
			grid := nereid.Grid{ceil(n, c.m) * ceil(n, c.n)}
			return s.time("matmul.py", "matmul_kernel", grid, t[0], t[1], t[2], n, n, n, n, 1,
				strides[0], strides[1], n, 1, c.m, c.n, c.k, 8, "", c.options())
		})
}

// matmulFP8 multiplies matrices of e4m3 into one of fp16. Both lie with their depth in rows, as tensor cores
// want them.
func (s *Suite) matmulFP8() error {
	for _, n := range pick(s.Small, []int{256}, []int{2048, 4096, 8192}) {
		if err := s.matmulFP8Of(n); err != nil {
			return err
		}
	}
	return nil
}

func (s *Suite) matmulFP8Of(n int) error {
	t, free, err := s.tensors(2, nereid.Float8E4NV, n, n)
	if err != nil {
		return err
	}
	defer free()
	out, err := nereid.New(s.Device, nereid.Float16, n, n)
	if err != nil {
		return err
	}
	defer out.Close()
	row := Row{Kernel: "matmul_fp8", DType: t[0].DType.String(), Shape: []int{n, n, n}}
	tiles := pick(s.Small, []tile{{64, 64, 64, 2, 4}}, fp8Tiles)
	return s.product(row, tiles, [3]*nereid.Tensor{t[0], t[1], out}, [2]int{1, n})
}

func (s *Suite) attention() error {
	for _, d := range pick(s.Small, []int{64}, []int{64, 128}) {
		for _, causal := range []bool{false, true} {
			for _, seq := range pick(s.Small, []int{128}, []int{1024, 4096, 16384}) {
				batch, heads := max(1, 16384/seq), 32*64/d
				if s.Small {
					batch, heads = 1, 1
				}
				if err := s.attentionOf(batch, heads, seq, d, causal); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *Suite) attentionOf(batch, heads, seq, d int, causal bool) error {
	n := batch * heads
	t, free, err := s.tensors(4, nereid.Float16, n, seq, d)
	if err != nil {
		return err
	}
	defer free()
	lse, err := nereid.New(s.Device, nereid.Float32, n, seq)
	if err != nil {
		return err
	}
	defer lse.Close()
	work := 4 * float64(n) * float64(seq) * float64(seq) * float64(d) / 1e12
	if causal {
		work /= 2
	}
	head := seq * d
	scale := 1 / math.Sqrt(float64(d))
	row := Row{Kernel: "attention", DType: "fp16", Shape: []int{batch, heads, seq, d}, Causal: &causal}
	tiles := pick(s.Small, []tile{{64, 64, 0, 2, 4}}, attentionTiles)
	return s.fastest(row, tiles, work, func(c tile) (time.Duration, error) {
		return s.time("attention.py", "attention_kernel", nereid.Grid{ceil(seq, c.m), n}, t[0], t[1], t[2],
			t[3], lse, scale, head, d, head, d, head, d, head, d, seq, d, c.m, c.n, causal, c.options())
	})
}

func ceil(a, b int) int { return (a + b - 1) / b }
