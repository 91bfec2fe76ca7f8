package genkernels

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// functions are the generated ones, by the names of their kernels.
var functions = map[string]any{
	"add_kernel": AddKernel, "attention_kernel": AttentionKernel[float64],
	"cross_entropy_kernel": CrossEntropyKernel, "dropout_kernel": DropoutKernel[float64],
	"embedding_kernel": EmbeddingKernel, "layer_norm_kernel": LayerNormKernel[float64],
	"matmul_kernel": MatmulKernel, "rms_norm_kernel": RmsNormKernel[float64], "rope_kernel": RopeKernel,
	"row_sum_kernel": RowSumKernel, "softmax_kernel": SoftmaxKernel, "swiglu_kernel": SwigluKernel,
	"total_sum_kernel": TotalSumKernel,
}

// TestReplay: every recorded launch of a shared kernel, through its generated function.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob(txtest.Path(t, "testdata", "replay", "*.safetensors"))
	if err != nil || len(files) == 0 {
		t.Fatal("no recorded launches", err)
	}
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() }) // after the parallel subtests
	seen := map[string]bool{}
	for _, file := range files {
		c, err := replay.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		fn, ok := functions[c.Kernel]
		if !ok || strings.HasPrefix(c.File, "@/") {
			continue
		}
		seen[c.Kernel] = true
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			mem := map[string]*replay.Block{}
			for name, data := range c.Before {
				mem[name] = replay.NewBlock(data, replay.Room)
			}
			out := reflect.ValueOf(fn).Call(arguments(t, s, fn, c, mem))
			if err, _ := out[0].Interface().(error); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Compare(replay.Storages(mem)); err != nil {
				// the recording may have computed with less than its types say
				c.TF32, c.ShortSums = true, true
				if _, err := c.Compare(replay.Storages(mem)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for k := range functions {
		if !seen[k] {
			t.Errorf("no recorded launch of %s", k)
		}
	}
}

// arguments are those of a recorded launch, as the generated function takes them: the types must fit
// without a change of kind.
func arguments(t *testing.T, s *nereid.Stream, fn any, c *replay.Case,
	mem map[string]*replay.Block) []reflect.Value {
	t.Helper()
	typ := reflect.TypeOf(fn)
	in := []reflect.Value{reflect.ValueOf(s), reflect.ValueOf(nereid.Grid(c.Grid))}
	consts := reflect.New(typ.In(typ.NumIn() - 1)).Elem()
	num := func(name string) int { n, _ := c.Options[name].(int64); return int(n) }
	consts.FieldByName("Options").Set(reflect.ValueOf(nereid.Options{NumWarps: num("num_warps"),
		NumStages: num("num_stages"), NumCTAs: num("num_ctas")}))
	for _, a := range c.Args {
		v := value(t, a, mem)
		if a.Constexpr {
			set(t, a.Name, consts.FieldByName(a.Name), v)
			continue
		}
		arg := reflect.New(typ.In(len(in))).Elem()
		set(t, a.Name, arg, v)
		in = append(in, arg)
	}
	return append(in, consts)
}

func value(t *testing.T, a replay.Arg, mem map[string]*replay.Block) any {
	t.Helper()
	if a.Kind != replay.Tensor {
		return a.Value
	}
	dt, err := nereid.DTypeOf(a.Dtype)
	if err != nil {
		t.Fatal(err)
	}
	b := mem[a.Storage]
	return nereid.FromBytes(dt, b.All, len(b.All)/dt.Size()).Offset(b.At + int(a.Offset))
}

// set assigns a value; of numbers, an integer only to an integer and a float only to a float.
func set(t *testing.T, name string, to reflect.Value, v any) {
	t.Helper()
	from := reflect.ValueOf(v)
	switch {
	case v == nil:
	case from.CanInt() && to.CanInt(), from.CanFloat() && to.CanFloat():
		to.Set(from.Convert(to.Type()))
	case from.Type().AssignableTo(to.Type()):
		to.Set(from)
	default:
		t.Fatalf("%s is a %s in the recorded launch, a %s in the generated function", name,
			from.Type(), to.Type())
	}
}

// A kernel under autotune, with what its decorator chooses.
func TestTuned(t *testing.T) {
	const n = 64
	x := make([]float32, n*n)
	for i := range n {
		x[i*n+i] = 2
	}
	c := make([]float32, n*n)
	a, out := nereid.FromSlice(x), nereid.FromSlice(c)
	grid := func(m nereid.Meta) nereid.Grid {
		up := func(b int) int { return (n + b - 1) / b }
		return nereid.Grid{up(m.Int("BLOCK_M")) * up(m.Int("BLOCK_N"))}
	}
	err := MatmulKernelTuned(nil, grid, a, a, out, n, n, n, n, 1, n, 1, n, 1, MatmulKernelTunedConsts{})
	if err != nil || c[0] != 4 || c[1] != 0 || c[n*n-1] != 4 {
		t.Error(err, c[:2])
	}
}
