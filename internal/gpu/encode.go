package gpu

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// machine holds the sizes that layouts are made for.
type machine struct {
	numWarps, threadsPerWarp, numCTAs int64
}

// machineOf returns the machine that op's module was converted for.
func machineOf(op *ir.Op) machine {
	return machine{int64(ttg.NumWarps(op)), int64(ttg.ThreadsPerWarp(op)), int64(ttg.NumCTAs(op))}
}

// blocked returns the blocked layout in which each thread holds perThread elements and threads lie side by
// side along the dimensions in order, as far as the tensor reaches. Threads that are left over go to the last
// dimension. cga says how a cluster shares the tensor.
func (m machine) blocked(shape, perThread, order []int64, cga [][]int64) ttg.Blocked {
	rank := len(shape)
	b := ttg.Blocked{SizePerThread: perThread, ThreadsPerWarp: make([]int64, rank),
		WarpsPerCTA: make([]int64, rank), Order: order, CGALayout: cga}
	part := shape
	if len(cga) > 0 {
		any := ttg.Blocked{SizePerThread: perThread, ThreadsPerWarp: perThread, WarpsPerCTA: perThread,
			Order: order, CGALayout: cga}
		if per, err := ttglayout.ShapePerCTA(any.Attr(), shape); err == nil {
			part = per
		}
	}
	lanes, threads, warps := m.threadsPerWarp, m.numWarps*m.threadsPerWarp, m.numWarps
	for _, d := range order[:rank-1] {
		here := clamp(threads, 1, max(1, part[d]/perThread[d]))
		b.ThreadsPerWarp[d] = clamp(here, 1, lanes)
		b.WarpsPerCTA[d] = clamp(here/b.ThreadsPerWarp[d], 1, warps)
		warps /= b.WarpsPerCTA[d]
		lanes /= b.ThreadsPerWarp[d]
		threads /= here
	}
	b.ThreadsPerWarp[order[rank-1]] = lanes
	b.WarpsPerCTA[order[rank-1]] = warps
	return b
}

func clamp(v, lo, hi int64) int64 { return max(lo, min(v, hi)) }

// spread returns an encoding like blocked, for a cluster that shares the tensor along its slowest dimensions
// first.
func (m machine) spread(shape, perThread, order []int64) ttg.Blocked {
	return m.blocked(shape, perThread, order, m.cluster(shape, perThread, order))
}

// cluster returns how the CTAs of a cluster share a tensor: one basis vector for each bit of a CTA's number.
func (m machine) cluster(shape, perThread, order []int64) [][]int64 {
	if m.numCTAs <= 1 {
		return nil
	}
	rank := len(shape)
	split, left := make([]int64, rank), m.numCTAs
	for i := rank - 1; i >= 0; i-- {
		d := order[i]
		split[d] = clamp(left, 1, max(1, shape[d]/perThread[d]))
		left /= split[d]
	}
	var bases [][]int64
	for _, d := range order {
		for n := int64(1); n < split[d]; n *= 2 {
			v := make([]int64, rank)
			v[d] = n
			bases = append(bases, v)
		}
		if d == int64(rank-1) {
			for range log2(left) {
				bases = append(bases, make([]int64, rank)) // CTAs beyond the tensor hold copies
			}
		}
	}
	return bases
}

func log2(n int64) int {
	k := 0
	for ; n > 1; n /= 2 {
		k++
	}
	return k
}

// defaultEncoding returns the layout that every tensor starts with: one element for each thread, in row-major
// order.
func (m machine) defaultEncoding(shape []int64) ir.Attr {
	rank := len(shape)
	return m.spread(shape, slices.Repeat([]int64{1}, rank), rowMajor(rank)).Attr()
}

func rowMajor(rank int) []int64 {
	order := make([]int64, rank)
	for i := range order {
		order[i] = int64(rank - 1 - i)
	}
	return order
}

// cgaOf returns an encoding's share of a cluster as a list of bases, nil for one CTA.
func cgaOf(enc ir.Attr) [][]int64 {
	cga, err := ttglayout.CGA(enc)
	if err != nil || cga.InBits(layout.Block) == 0 {
		return nil
	}
	var out [][]int64
	for _, v := range cga.Bases(layout.Block) {
		w := make([]int64, len(v))
		for i, x := range v {
			w[i] = int64(x)
		}
		out = append(out, w)
	}
	return out
}

// encodingOf returns a tensor's encoding, nil if v is no tensor.
func encodingOf(v *ir.Value) ir.Attr {
	if t, ok := v.Type.(*ir.TensorType); ok {
		return t.Encoding
	}
	return nil
}

func tensorOf(v *ir.Value) *ir.TensorType { t, _ := v.Type.(*ir.TensorType); return t }

// setEncoding gives a tensor another encoding, and a constant's attribute with it.
func setEncoding(v *ir.Value, enc ir.Attr) {
	t := tensorOf(v)
	if t == nil || t.Encoding == enc {
		return
	}
	setType(v, t.WithEncoding(enc))
}

func setType(v *ir.Value, t ir.Type) {
	v.Type = t
	if op := v.DefBy(arith.Constant); op != nil {
		if d, ok := op.Attr("value").(*ir.DenseAttr); ok {
			op.SetAttr("value", ir.Dense(t, d.Splat, d.Data))
		}
	}
}

// convert returns v in encoding enc: v itself if it has it, else a conversion inserted at b.
func convert(b *ir.Builder, v *ir.Value, enc ir.Attr) *ir.Value {
	t := tensorOf(v)
	if t == nil || t.Encoding == enc {
		return v
	}
	return b.Val(ttg.ConvertLayout, t.WithEncoding(enc), v)
}

// setResults gives op's results layout enc. Their users get them converted back.
func setResults(op *ir.Op, enc ir.Attr) {
	b := ir.At(op)
	b.After(op)
	for _, r := range op.Results() {
		t := tensorOf(r)
		if t == nil || t.Encoding == enc {
			continue
		}
		back := b.Op(ttg.ConvertLayout, []*ir.Value{r}, []ir.Type{t})
		setEncoding(r, enc)
		r.ReplaceUsesIf(back.Result(0), func(u *ir.Use) bool { return u.Owner() != back })
	}
}

// afterValue returns a builder right behind the definition of v.
func afterValue(v *ir.Value) *ir.Builder {
	if op := v.Def(); op != nil {
		b := ir.At(op)
		b.After(op)
		return b
	}
	b := ir.NewBuilder(v.Block())
	b.ToStart(v.Block())
	if parent := v.Block().Parent(); parent != nil {
		b.Loc = parent.Loc
	}
	return b
}
