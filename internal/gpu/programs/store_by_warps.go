package programs

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/tma"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// StoreByWarps lets each warp store the rows that it has from a product of warp groups, in kernels whose
// warps need not run in step. The conversion to a layout with longer pieces of rows then stays within a warp,
// without a barrier of the block. Vectors with one number per row are stored by the threads that hold them.
//
//	#mma: a warp has rows 16w to 16w + 15       #rows = #ttg.blocked<{sizePerThread = [8, 8], …}>
//	%y = ttg.convert_layout %x : #mma -> #b     %y = ttg.convert_layout %x : #mma -> #rows
//	tt.store %p, %y : #b                    =>  tt.store (convert_layout %p), %y : #rows
//
// Persistent programs (PersistPrograms, LoopOverPrograms) have no shared memory left for that: it is being
// filled for the next program. There, the four threads that hold a row exchange its elements, and each stores
// 16 bytes (rowsOfQuads).
func StoreByWarps(persist bool) pass.Pass {
	return pass.Pass{
		Name: "nereid-gpu-store-by-warps",
		Doc:  "store rows of products by the warps that computed them",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			for _, fn := range ttgir.OpsOf(m.Op, tt.Func) {
				looped := ttgir.Persistent(m) // LoopOverPrograms
				if !tma.HasApart(fn) && !looped {
					continue
				}
				layout := rowsOfWarps
				if looped || persist && findPersistent(fn) != nil {
					layout = rowsOfQuads
				}
				for _, op := range ttgir.OpsOf(fn, tt.Store) {
					if enc := layout(op); enc != nil {
						ctx.At(op)
						layouts.Relayout(op, enc)
					}
				}
			}
			return nil
		},
	}
}

// rowsOfWarps returns the layout in which each warp stores its own rows of a product, nil if there is none.
func rowsOfWarps(store *ir.Op) ir.Attr {
	cvt := store.Slot(1).DefBy(ttg.ConvertLayout)
	if cvt == nil {
		return nil
	}
	from := ttgir.EncodingOf(cvt.Operand(0))
	if s, ok := ttg.As[ttg.Slice](from); ok && s.Dim == 1 && hasRows(s.Parent) {
		return from
	}
	b, ok := ttg.As[ttg.Blocked](ttgir.EncodingOf(store.Operand(0)))
	if !ok || !hasRows(from) || len(b.Order) != 2 || b.Order[0] != 1 || b.SizePerThread[0] != 1 ||
		b.WarpsPerCTA[1] != 1 || rowsOfWarp%b.ThreadsPerWarp[0] != 0 {
		return nil
	}
	b.SizePerThread = []int64{rowsOfWarp / b.ThreadsPerWarp[0], b.SizePerThread[1]}
	return b.Attr()
}

// rowsOfQuads returns the layout in which the threads that have a row of a product store it, each a piece of
// 16 bytes, nil if there is none.
func rowsOfQuads(store *ir.Op) ir.Attr {
	enc := rowsOfWarps(store)
	b, ok := ttg.As[ttg.Blocked](enc)
	if !ok {
		return enc
	}
	t := ttgir.TensorOf(store.Slot(1))
	var l ttg.Linear
	bit := func(list *[][]int64, row, column int64) { *list = append(*list, []int64{row, column}) }
	column, piece := int64(1), 16/ttgir.ElementBytes(t.Elem)
	for ; column < piece; column *= 2 {
		bit(&l.Register, 0, column)
	}
	for range 2 {
		bit(&l.Lane, 0, column)
		column *= 2
	}
	for ; column < t.Shape[1]; column *= 2 {
		bit(&l.Register, 0, column)
	}
	for row := int64(1); row < rowsOfWarp/2; row *= 2 {
		bit(&l.Lane, row, 0)
	}
	bit(&l.Register, rowsOfWarp/2, 0)
	row := int64(rowsOfWarp)
	for ; row < rowsOfWarp*b.WarpsPerCTA[0]; row *= 2 {
		bit(&l.Warp, row, 0)
	}
	for ; row < t.Shape[0]; row *= 2 {
		bit(&l.Register, row, 0)
	}
	if column > t.Shape[1] || row != t.Shape[0] {
		return enc
	}
	return l.Attr()
}

// rowsOfWarp is the number of adjacent rows of a product of warp groups that a warp has.
const rowsOfWarp = 16

// hasRows reports whether a layout is that of a product of warp groups whose warps divide the rows alone.
func hasRows(enc ir.Attr) bool {
	mma, ok := ttg.As[ttg.NvidiaMma](enc)
	return ok && mma.VersionMajor == 3 && len(mma.WarpsPerCTA) == 2 && mma.WarpsPerCTA[1] == 1
}
