package ttgir

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// Threads holds the sizes that layouts are made for.
type Threads struct {
	NumWarps, ThreadsPerWarp, NumCTAs int64
}

// ThreadsOf returns the machine that op's module was converted for.
func ThreadsOf(op *ir.Op) Threads {
	return Threads{int64(ttg.NumWarps(op)), int64(ttg.ThreadsPerWarp(op)), int64(ttg.NumCTAs(op))}
}

// Blocked returns the blocked layout in which each thread holds perThread elements and threads lie side by
// side along the dimensions in order, as far as the tensor reaches. Threads that are left over go to the last
// dimension. cga says how a cluster shares the tensor.
func (m Threads) Blocked(shape, perThread, order []int64, cga [][]int64) ttg.Blocked {
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
	lanes, threads, warps := m.ThreadsPerWarp, m.NumWarps*m.ThreadsPerWarp, m.NumWarps
	for _, d := range order[:rank-1] {
		here := Clamp(threads, 1, max(1, part[d]/perThread[d]))
		b.ThreadsPerWarp[d] = Clamp(here, 1, lanes)
		b.WarpsPerCTA[d] = Clamp(here/b.ThreadsPerWarp[d], 1, warps)
		warps /= b.WarpsPerCTA[d]
		lanes /= b.ThreadsPerWarp[d]
		threads /= here
	}
	b.ThreadsPerWarp[order[rank-1]] = lanes
	b.WarpsPerCTA[order[rank-1]] = warps
	return b
}

func Clamp(v, lo, hi int64) int64 { return max(lo, min(v, hi)) }

// Spread returns an encoding like blocked, for a cluster that shares the tensor along its slowest dimensions
// first.
func (m Threads) Spread(shape, perThread, order []int64) ttg.Blocked {
	return m.Blocked(shape, perThread, order, m.cluster(shape, perThread, order))
}

// cluster returns how the CTAs of a cluster share a tensor: one basis vector for each bit of a CTA's number.
func (m Threads) cluster(shape, perThread, order []int64) [][]int64 {
	if m.NumCTAs <= 1 {
		return nil
	}
	rank := len(shape)
	split, left := make([]int64, rank), m.NumCTAs
	for i := rank - 1; i >= 0; i-- {
		d := order[i]
		split[d] = Clamp(left, 1, max(1, shape[d]/perThread[d]))
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
			for range Log2(left) {
				bases = append(bases, make([]int64, rank)) // CTAs beyond the tensor hold copies
			}
		}
	}
	return bases
}

func Log2(n int64) int {
	k := 0
	for ; n > 1; n /= 2 {
		k++
	}
	return k
}

// DefaultEncoding returns the layout that every tensor starts with: one element for each thread, in row-major
// order.
func (m Threads) DefaultEncoding(shape []int64) ir.Attr {
	rank := len(shape)
	return m.Spread(shape, slices.Repeat([]int64{1}, rank), RowMajor(rank)).Attr()
}

func RowMajor(rank int) []int64 {
	order := make([]int64, rank)
	for i := range order {
		order[i] = int64(rank - 1 - i)
	}
	return order
}

// CgaOf returns an encoding's share of a cluster as a list of bases, nil for one CTA.
func CgaOf(enc ir.Attr) [][]int64 {
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

// EncodingOf returns a tensor's encoding, nil if v is no tensor.
func EncodingOf(v *ir.Value) ir.Attr {
	if t, ok := v.Type.(*ir.TensorType); ok {
		return t.Encoding
	}
	return nil
}

func TensorOf(v *ir.Value) *ir.TensorType { t, _ := v.Type.(*ir.TensorType); return t }

// SetEncoding gives a tensor another encoding, and a constant's attribute with it.
func SetEncoding(v *ir.Value, enc ir.Attr) {
	t := TensorOf(v)
	if t == nil || t.Encoding == enc {
		return
	}
	SetType(v, t.WithEncoding(enc))
}

func SetType(v *ir.Value, t ir.Type) {
	v.Type = t
	if op := v.DefBy(arith.Constant); op != nil {
		if d, ok := op.Attr("value").(*ir.DenseAttr); ok {
			op.SetAttr("value", ir.Dense(t, d.Splat, d.Data))
		}
	}
}

// Convert returns v in encoding enc: v itself if it has it, else a conversion inserted at b.
func Convert(b *ir.Builder, v *ir.Value, enc ir.Attr) *ir.Value {
	t := TensorOf(v)
	if t == nil || t.Encoding == enc {
		return v
	}
	return b.Val(ttg.ConvertLayout, t.WithEncoding(enc), v)
}

// SetResults gives op's results layout enc. Their users get them converted back.
func SetResults(op *ir.Op, enc ir.Attr) {
	b := ir.At(op)
	b.After(op)
	for _, r := range op.Results() {
		t := TensorOf(r)
		if t == nil || t.Encoding == enc {
			continue
		}
		back := b.Op(ttg.ConvertLayout, []*ir.Value{r}, []ir.Type{t})
		SetEncoding(r, enc)
		r.ReplaceUsesIf(back.Result(0), func(u *ir.Use) bool { return u.Owner() != back })
	}
}

// AfterValue returns a builder right behind the definition of v.
func AfterValue(v *ir.Value) *ir.Builder {
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
