package pass_test

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// largest is the golden source with the most text.
func largest(t testing.TB) golden {
	var max golden
	size := int64(0)
	for _, g := range goldens(t) {
		if info, err := os.Stat(g.source); err == nil && info.Size() > size {
			max, size = g, info.Size()
		}
	}
	return max
}

// BenchmarkTTIR is the TTIR pipeline on the largest golden source.
func BenchmarkTTIR(b *testing.B) {
	g := largest(b)
	m := passtest.Parse(b, g.source, txtest.Read(b, g.source))
	for b.Loop() {
		b.StopTimer()
		c := m.Clone()
		b.StartTimer()
		if err := pass.Run(&pass.Context{}, c, pass.TTIR(g.opts)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTTIRTime: the pipeline on the largest golden source takes at most 20 ms.
func TestTTIRTime(t *testing.T) {
	g := largest(t)
	m := passtest.Parse(t, g.source, txtest.Read(t, g.source))
	best := time.Duration(math.MaxInt64)
	for range 5 {
		c := m.Clone()
		start := time.Now()
		run := pass.Run(&pass.Context{}, c, pass.TTIR(g.opts))
		best = min(best, time.Since(start))
		if run != nil {
			t.Fatal(run)
		}
	}
	if best > 20*time.Millisecond {
		t.Errorf("%s: %v", g.name, best)
	}
	t.Logf("%s: %v", g.name, best)
}

// repeated is a kernel whose body is that of the dropout kernel, after inlining straight-line code, n times
// over.
func repeated(t testing.TB, n int) *ir.Module {
	file := txtest.Path(t, "testdata/golden/cuda-90/dropout_f32.source")
	m := passtest.Parse(t, file, txtest.Read(t, file))
	passtest.Run(t, m, []pass.Pass{pass.Inline})
	var kernel *ir.Op
	for _, f := range m.Symbols() {
		if f.Text("sym_visibility") == "public" {
			kernel = f
		}
	}
	block := kernel.Body(0)
	end := block.Last()
	var ops []*ir.Op
	for op := range block.Ops() {
		if op != end {
			ops = append(ops, op)
		}
	}
	b := ir.At(end)
	for i := 1; i < n; i++ {
		mapping := ir.NewMapping()
		// Each copy starts from another program id, or CSE would make them one.
		axis := b.ValA(tt.GetProgramID, ir.I32, []ir.NamedAttr{ir.A("axis", ir.I32Attr(int64(i%3)))})
		offset := b.Val(ir.LookupOp("arith.addi"), ir.I32, axis, block.Arg(2))
		if block.Arg(2).Type == ir.I32 {
			mapping.Map(block.Arg(2), offset)
		}
		for _, op := range ops {
			b.Insert(op.Clone(mapping))
		}
	}
	if err := ir.Verify(m.Op); err != nil {
		t.Fatal(err)
	}
	return m
}

// BenchmarkScaling is the TTIR pipeline on straight-line code repeated 1, 10 and 100 times. The metric
// cpu-ns/op/log is the processor time for each operation, divided by the logarithm of their number: it must
// not grow.
func BenchmarkScaling(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := repeated(b, n)
			var total time.Duration
			runs := 0
			for b.Loop() {
				b.StopTimer()
				c := m.Clone()
				runtime.GC()
				b.StartTimer()
				total += pipelineTime(b, c)
				runs++
			}
			_, ops := countOps(m)
			b.ReportMetric(float64(ops), "ops")
			b.ReportMetric(float64(total)/float64(runs)/float64(ops)/math.Log2(float64(ops)), "cpu-ns/op/log")
		})
	}
}

// pipelineTime is the processor time that the TTIR pipeline takes on m.
func pipelineTime(t testing.TB, m *ir.Module) time.Duration {
	start := cpuTime()
	if err := pass.Run(&pass.Context{}, m, pass.TTIR(pass.TTIROptions{})); err != nil {
		t.Fatal(err)
	}
	return cpuTime() - start
}

// TestScaling: ten and a hundred times the code take no longer for each operation than a multiple of the
// logarithm of their number, with room for noise. A quadratic pass would take ten times as long with each
// step.
func TestScaling(t *testing.T) {
	cost := map[int]float64{}
	for _, n := range []int{1, 10, 100} {
		m := repeated(t, n)
		_, ops := countOps(m)
		best := time.Duration(math.MaxInt64)
		for range 3 {
			reps := max(1, 20/n) // the clock of processor time is coarse
			clones := make([]*ir.Module, reps)
			for i := range clones {
				clones[i] = m.Clone()
			}
			runtime.GC()
			total := time.Duration(0)
			for _, c := range clones {
				total += pipelineTime(t, c)
			}
			best = min(best, total/time.Duration(reps))
		}
		cost[n] = float64(best) / (float64(ops) * math.Log2(float64(ops)))
		t.Logf("%3d times: %6d operations, %8v, %5.1f ns for each and each doubling", n, ops,
			best.Round(time.Microsecond), cost[n])
	}
	if cost[100] > 3*cost[10] || cost[10] > 3*cost[1] {
		t.Error("time grows faster than n log n")
	}
}
