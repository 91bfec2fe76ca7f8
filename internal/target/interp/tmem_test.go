package interp

import (
	"context"
	"testing"
)

// tensorMemory is a product that is added to tensor memory if %add holds, and made at all if %do does.
const tensorMemory = `
#kmajor = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#smem = #ttg.shared_memory
#regs = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1],
  warpsPerCTA = [4, 1], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%out: !tt.ptr<f32>, %add: i1, %do: i1) {
    %two = arith.constant dense<2.0> : tensor<128x64xf16, #regs>
    %three = arith.constant dense<3.0> : tensor<64x64xf16, #regs>
    %one = arith.constant dense<1.0> : tensor<128x64xf32, #regs>
    %a = ttg.local_alloc %two : (tensor<128x64xf16, #regs>) -> !ttg.memdesc<128x64xf16, #kmajor, #smem>
    %b = ttg.local_alloc %three : (tensor<64x64xf16, #regs>) -> !ttg.memdesc<64x64xf16, #kmajor, #smem>
    %d = ttng.tmem_alloc %one : (tensor<128x64xf32, #regs>) ->
      !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    ttng.tc_gen5_mma %a, %b, %d, %add, %do : !ttg.memdesc<128x64xf16, #kmajor, #smem>,
      !ttg.memdesc<64x64xf16, #kmajor, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %v = ttng.tmem_load %d : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> ->
      tensor<128x64xf32, #regs>
    %flat = tt.reshape %v : tensor<128x64xf32, #regs> -> tensor<8192xf32>
    %i = tt.make_range {end = 8192 : i32, start = 0 : i32} : tensor<8192xi32>
    %p = tt.splat %out : !tt.ptr<f32> -> tensor<8192x!tt.ptr<f32>>
    %q = tt.addptr %p, %i : tensor<8192x!tt.ptr<f32>>, tensor<8192xi32>
    tt.store %q, %flat : tensor<8192x!tt.ptr<f32>>
    tt.return
  }
}`

// TestTensorMemory: a product of 2 and 3 over 64 terms is added to ones, replaces them, or is not made.
func TestTensorMemory(t *testing.T) {
	p := compileText(t, tensorMemory, "k")
	for _, c := range []struct {
		add, do uint64
		want    float32
	}{{1, 1, 385}, {0, 1, 384}, {1, 0, 1}, {0, 0, 1}} {
		out := make([]float32, 128*64)
		mem := NewMemory()
		args := []uint64{mem.Alloc(bytesOf(out), "out").Addr(), c.add, c.do}
		if err := p.Run(context.Background(), mem, [3]int{1, 1, 1}, args, Options{}); err != nil {
			t.Fatal(err)
		}
		for i, v := range out {
			if v != c.want {
				t.Fatalf("add %d, do %d: element %d is %v, want %v", c.add, c.do, i, v, c.want)
			}
		}
	}
}
