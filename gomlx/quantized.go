package gomlx

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/nereid-lang/nereid/ops"
	"github.com/pkg/errors"
)

// formats are the blocks of GGML that ops has kernels for.
var formats = map[compute.GGMLQuantType]ops.Format{compute.GGMLQ4_0: ops.Q4_0, compute.GGMLQ8_0: ops.Q8_0,
	compute.GGMLQ4_K: ops.Q4_K, compute.GGMLQ6_K: ops.Q6_K}

// quantizedAttr are the attributes of operations on weights in blocks of GGML.
type quantizedAttr struct {
	kind       compute.GGMLQuantType
	activation compute.ActivationType
	bias       bool
}

// FusedQuantizedDense implements compute.FusedOps.
func (f *Function) FusedQuantizedDense(x, weights, bias compute.Value, q *compute.Quantization,
	act compute.ActivationType) (compute.Value, error) {
	list := []compute.Value{x, weights}
	if bias != nil {
		list = append(list, bias)
	}
	in, err := f.values("FusedQuantizedDense", list...)
	if err != nil {
		return nil, err
	}
	s, ws := in[0].shape, in[1].shape
	if s.DType != dtypes.Float32 || s.Rank() < 1 || ws.Rank() != 2 || anyDynamic(in) {
		return nil, missing("FusedQuantizedDense of %s and %s", s, ws)
	}
	if q.Scheme == compute.QuantGGML {
		return f.ggmlDense(in, q, act)
	}
	w, err := f.dequantized(in[1], q)
	if err != nil {
		return nil, err
	}
	var b compute.Value
	if bias != nil {
		b = in[2]
	}
	return f.FusedDense(in[0], w, b, compute.DenseConfig{Activation: act})
}

// dequantized returns weights [K, N] as fp32: by a table or as they are, times the scale of their block,
// plus its zero point.
func (f *Function) dequantized(w *node, q *compute.Quantization) (compute.Value, error) {
	rows, cols := w.shape.Dimensions[0], w.shape.Dimensions[1]
	if q.BlockAxis != 1 || q.BlockSize < 1 || q.Scheme == compute.QuantNF4 && q.ZeroPoint != nil {
		return nil, missing("FusedQuantizedDense with blocks of %d along axis %d", q.BlockSize, q.BlockAxis)
	}
	spread := func(v compute.Value) (compute.Value, error) {
		blocks := (cols + q.BlockSize - 1) / q.BlockSize
		wide, err := f.BroadcastInDim(v, shapes.Make(dtypes.Float32, rows, blocks, q.BlockSize), []int{0, 1})
		if err != nil {
			return nil, err
		}
		flat, err := f.Reshape(wide, rows, blocks*q.BlockSize)
		if err != nil {
			return nil, err
		}
		return f.Slice(flat, []int{0, 0}, []int{rows, cols}, nil)
	}
	var c chain
	if q.Scheme == compute.QuantNF4 {
		c = f.build().then(func(compute.Value) (compute.Value, error) { return f.lookup(w) })
	} else {
		c = f.build().then(func(compute.Value) (compute.Value, error) {
			return f.ConvertDType(w,
				dtypes.Float32)
		})
	}
	c = c.then(func(v compute.Value) (compute.Value, error) {
		s, err := spread(q.Scale)
		if err != nil {
			return nil, err
		}
		return f.Mul(v, s)
	})
	if q.ZeroPoint != nil {
		c = c.then(func(v compute.Value) (compute.Value, error) {
			z, err := spread(q.ZeroPoint)
			if err != nil {
				return nil, err
			}
			return f.Add(v, z)
		})
	}
	return c.v, c.err
}

// lookup returns the values of 4-bit indices in the table of NF4.
func (f *Function) lookup(w *node) (compute.Value, error) {
	table, err := f.Constant(compute.NF4LookupTable[:], 16)
	if err != nil {
		return nil, err
	}
	wide, err := f.ConvertDType(w, dtypes.Int32)
	if err != nil {
		return nil, err
	}
	low, err := f.BitwiseAnd(wide, f.scalar(dtypes.Int32, 15))
	if err != nil {
		return nil, err
	}
	return f.Gather(table, low, 2, nil, []int{0}, []int{0}, []int{1}, false)
}

// ggmlCols returns how many weights a row of blocks has.
func ggmlCols(w *node, kind compute.GGMLQuantType) (int, error) {
	if _, ok := formats[kind]; !ok {
		return 0, missing("weights of GGML's %s", kind)
	}
	bytes := w.shape.Dimensions[1]
	if w.shape.DType != dtypes.Uint8 || bytes%kind.BytesPerBlock() != 0 {
		return 0, errors.Errorf("weights of GGML's %s are whole blocks of bytes, not %s", kind, w.shape)
	}
	return bytes / kind.BytesPerBlock() * kind.ValuesPerBlock(), nil
}

func (f *Function) ggmlDense(in []*node, q *compute.Quantization,
	act compute.ActivationType) (compute.Value, error) {
	cols, err := ggmlCols(in[1], q.GGMLType)
	if err != nil {
		return nil, err
	}
	s := in[0].shape
	outer, rows := s.Dimensions[:s.Rank()-1], in[1].shape.Dimensions[0]
	if s.Dimensions[s.Rank()-1] != cols {
		return nil, errors.Errorf("FusedQuantizedDense: %s by %d columns", s, cols)
	}
	list := []*node{f.reshape(in[0], shapes.Make(s.DType, product(outer), cols)), in[1]}
	if len(in) > 2 {
		list = append(list, f.reshape(in[2], shapes.Make(in[2].shape.DType, rows)))
	}
	y := f.add(&node{op: compute.OpTypeFusedQuantizedDense, shape: shapes.Make(s.DType, product(outer), rows),
		inputs: list, attr: quantizedAttr{q.GGMLType, act, len(in) > 2}})
	return f.reshape(y, shapes.Make(s.DType, append(slices.Clone(outer), rows)...)), nil
}

func lowerQuantized(l *lowering, n *node) error {
	a, in, out := n.attr.(quantizedAttr), l.slotsOf(n.inputs), l.slotOf[n]
	rows, cols := n.shape.Dimensions[1], n.inputs[0].shape.Dimensions[1]
	l.step(stepFunc(func(p *program) error {
		var options []ops.MatMulOption
		if act, ok := activations[a.activation]; ok {
			options = append(options, act)
		}
		if a.bias {
			options = append(options, ops.Bias(p.vals[in[2]]))
		}
		w := ops.Quantized{Format: formats[a.kind], Rows: rows, Cols: cols, Data: p.vals[in[1]]}
		return ops.MatMulQuantized(p.b.ops.Into(p.vals[out]), p.vals[in[0]], w, options...).Err()
	}), append(in, out)...)
	return nil
}

// QuantizedEmbeddingLookup implements compute.FusedOps: rows of bytes are gathered, and become fp32.
func (f *Function) QuantizedEmbeddingLookup(data, indices compute.Value, q *compute.Quantization) (
	compute.Value, error) {
	in, err := f.values("QuantizedEmbeddingLookup", data, indices)
	if err != nil {
		return nil, err
	}
	if q.Scheme != compute.QuantGGML || in[0].shape.Rank() != 2 || anyDynamic(in) {
		return nil, missing("QuantizedEmbeddingLookup of %s", in[0].shape)
	}
	cols, err := ggmlCols(in[0], q.GGMLType)
	if err != nil {
		return nil, err
	}
	at := in[1].shape
	if !at.DType.IsInt() || at.Rank() < 1 || at.Dimensions[at.Rank()-1] != 1 {
		return nil, errors.Errorf("QuantizedEmbeddingLookup: indices of %s", at)
	}
	count, bytes := at.Size(), in[0].shape.Dimensions[1]
	flat := f.reshape(in[1], shapes.Make(at.DType, count, 1))
	rows, err := f.Gather(in[0], flat, 1, []int{1}, []int{0}, []int{0}, []int{1, bytes}, false)
	if err != nil {
		return nil, err
	}
	y := f.add(&node{op: compute.OpTypeQuantizedEmbeddingLookup, shape: shapes.Make(dtypes.Float32, count,
		cols),
		inputs: []*node{rows.(*node)}, attr: quantizedAttr{kind: q.GGMLType}})
	return f.Reshape(y, append(slices.Clone(at.Dimensions[:at.Rank()-1]), cols)...)
}

func lowerLookup(l *lowering, n *node) error {
	in, out := l.slotOf[n.inputs[0]], l.slotOf[n]
	d := n.shape.Dimensions
	l.step(stepFunc(func(p *program) error {
		w := ops.Quantized{Format: formats[n.attr.(quantizedAttr).kind], Rows: d[0], Cols: d[1],
			Data: p.vals[in]}
		return ops.Dequantize(p.b.ops.Into(p.vals[out]), w, p.vals[out].DType).Err()
	}), in, out)
	return nil
}
