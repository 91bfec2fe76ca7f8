package gcnsim

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// TestWideLane: the lanes that CDNA reads 16 bytes of LDS with at once are those that AMD's documents name.
func TestWideLane(t *testing.T) {
	first := []int{0, 4, 8, 12, 32, 36, 40, 44}
	second := []int{20, 16, 28, 24, 52, 48, 60, 56}
	for i := range lanes {
		want := first[i/8] + i%4
		if i%8 >= 4 {
			want = second[i/8] + i%4
		}
		if got := wideLane(i); got != want {
			t.Errorf("%d is lane %d, want %d", i, got, want)
		}
	}
}

// TestOperations: what instructions compute, by their names.
func TestOperations(t *testing.T) {
	regs := func(n int) []gcn.Operand { return []gcn.Operand{{File: gcn.Vector, N: n}} }
	for _, c := range []struct {
		name            string
		n               int
		flops, products int64
	}{
		{"v_add_f32", 1, 1, 0}, {"v_subrev_f16", 1, 1, 0}, {"v_mul_f64", 2, 1, 0}, {"v_fma_f32", 1, 2, 0},
		{"v_fmac_f32", 1, 2, 0}, {"v_mad_f32", 1, 2, 0}, {"v_pk_fma_f32", 2, 4, 0}, {"v_pk_mul_f16", 1, 2, 0},
		{"v_add_u32", 1, 0, 0}, {"v_max_f32", 1, 0, 0}, {"v_mul_lo_u32", 1, 0, 0}, {"v_mov_b32", 1, 0, 0},
		{"v_mfma_f32_32x32x8_f16", 16, 0, 32 * 32 * 8}, {"v_mfma_f32_16x16x16_f16", 4, 0, 16 * 16 * 16},
		{"v_mfma_f32_4x4x4_16b_f16", 4, 0, 16 * 4 * 4 * 4},
		{"v_mfma_f32_32x32x4_2b_f16", 32, 0, 2 * 32 * 32 * 4},
		{"v_mfma_f64_16x16x4_f64", 8, 0, 16 * 16 * 4}, {"v_mfma_i32_32x32x16_i8", 16, 0, 32 * 32 * 16},
		{"v_wmma_f32_16x16x16_f16", 8, 0, 16 * 16 * 16}, {"v_wmma_f16_16x16x16_f16", 8, 0, 16 * 16 * 16},
	} {
		in := &gcn.Inst{Op: &gcn.Op{Name: c.name, Base: c.name}, Args: regs(c.n)}
		if f, p := flopsOf(in), productsOf(in); f != c.flops || p != c.products {
			t.Errorf("%s: %d operations and %d products, want %d and %d", c.name, f, p, c.flops, c.products)
		}
	}
	both := &gcn.Inst{Op: &gcn.Op{Base: "v_dual"}}
	for _, name := range []string{"v_fmac_f32", "v_mul_f32"} {
		both.Dual = append(both.Dual, &gcn.Inst{Op: &gcn.Op{Base: name}, Args: regs(1)})
	}
	if got := flopsOf(both); got != 3 {
		t.Errorf("a sum of products and a product at once are %d operations, want 3", got)
	}
}
