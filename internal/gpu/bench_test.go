package gpu_test

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// BenchmarkPipeline takes kernels from TTIR to TTGIR.
func BenchmarkPipeline(b *testing.B) {
	for _, g := range goldens(b) {
		switch g.name {
		case "cuda-90/add_f32", "cuda-90/softmax_f32_8192", "cuda-90/layer_norm_f16", "cuda-80/matmul_f16",
			"cuda-80/attention_d128_causal":
		default:
			continue
		}
		m := passtest.Parse(b, g.ttir, txtest.Read(b, g.ttir))
		b.Run(g.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				c := m.Clone()
				b.StartTimer()
				if err := pass.Run(&pass.Context{}, c, gpu.Pipeline(g.opts)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
