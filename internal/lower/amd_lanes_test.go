package lower

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// TestTransposingRead computes what CDNA4's transposing reads give to each lane, by AMD's description of
// ds_read_b64_tr_b16 and ds_read_b64_tr_b8, and compares it with the operand's layout.
func TestTransposingRead(t *testing.T) {
	for _, test := range []struct{ width, k, kWidth int64 }{{16, 16, 8}, {16, 16, 4}, {8, 32, 16}} {
		mma := ttg.AMDMfma{Version: 4, WarpsPerCTA: []int64{2, 2}, InstrShape: []int64{32, 32, test.k},
			IsTransposed: true, TilesPerWarp: []int64{1, 1}, ElementBitWidth: 32}.Attr()
		dot := ttg.DotOp{OpIdx: 1, Parent: mma, KWidth: test.kWidth}.Attr()
		buf := ttg.Swizzled{Vec: 8, PerPhase: 1, MaxPhase: 8, Order: []int64{1, 0}}.Attr()
		regs, err := ttglayout.For(dot, []int64{64, 128})
		if err != nil {
			t.Fatal(err)
		}
		shared, err := ttglayout.For(buf, []int64{64, 128})
		if err != nil {
			t.Fatal(err)
		}
		cvt := regs.InvertAndCompose(shared)
		cvt = cvt.Sublayout([]string{layout.Register, layout.Lane, layout.Warp}, []string{layout.Offset})
		rows, ok := transposingRead(cvt, int(test.width))
		if !ok {
			t.Fatalf("operands of %d bits are not read by transposing reads", test.width)
		}
		compareReads(t, cvt, rows, 64/int(test.width))
	}
}

// compareReads compares, for each register, what lanes receive with what they should.
func compareReads(t *testing.T, cvt, rows layout.Layout, n int) {
	t.Helper()
	for reg := range cvt.InSize(layout.Register) {
		for lane := range 64 {
			row, column := reg%n, lane%16
			from := lane&^15 + 16/n*row + column/n // the lane that gave the row's part with the column
			got := rows.Apply(reg/n, from, 0)[0] + column%n
			if want := cvt.Apply(reg, lane, 0)[0]; got != want {
				t.Fatalf("register %d of lane %d comes from %d, not %d", reg, lane, got, want)
			}
		}
	}
}
