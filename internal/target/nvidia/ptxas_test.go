package nvidia

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// needPtxas returns the path of the assembler, which Triton's package brings.
func needPtxas(t testing.TB) string {
	t.Helper()
	tool, err := devnvidia.FindPtxas()
	txtest.Need(t, "triton", err)
	return tool
}

// TestCubin takes the sample kernels all the way: ptxas accepts what we make of each.
func TestCubin(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	needPtxas(t)
	for _, path := range txtest.Glob(t, "testdata/golden/cuda-80/*.ttir") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".ttir"), func(t *testing.T) {
			assembleSample(t, Compiler{Capability: 80}, path, 1)
		})
	}
	for _, name := range []string{"add_f16_ragged", "softmax_f16_2048", "layer_norm_f16", "matmul_bf16_relu",
		"attention_d64", "total_sum_f32"} {
		path := txtest.Glob(t, "testdata/golden/cuda-90/"+name+".ttir")[0]
		t.Run("clusters/"+name, func(t *testing.T) { assembleSample(t, Compiler{Capability: 90}, path, 2) })
	}
}

// assembleSample makes a cubin of a sample kernel whose programs have so many blocks.
func assembleSample(t *testing.T, c Compiler, path string, ctas int) {
	t.Helper()
	var meta struct {
		Name     string
		NumWarps int `json:"num_warps"`
	}
	if err := json.Unmarshal([]byte(txtest.Read(t, strings.TrimSuffix(path, "ttir")+"json")),
		&meta); err != nil {
		t.Fatal(err)
	}
	m, err := ir.Parse(diag.NewFileSet(), path, []byte(txtest.Read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	in := &target.Input{
		Module: m, Kernel: meta.Name, Options: target.Options{NumWarps: meta.NumWarps, NumCTAs: ctas,
			NumStages: 3}, Until: "cubin",
	}
	if _, err := c.ttgir(in, nil); err != nil {
		t.Fatal(err)
	}
	code, err := c.FromTTGIR(context.Background(), in, 0)
	if err != nil {
		t.Fatal(err)
	}
	cubin, err := devnvidia.Assemble(context.Background(), c.Arch(), code.PTX)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(cubin), "\x7fELF") {
		t.Errorf("the cubin begins with %q", cubin[:min(4, len(cubin))])
	}
}

// An error of ptxas names the line of the PTX and no temporary folder.
func TestAssembleError(t *testing.T) {
	needPtxas(t)
	_, err := devnvidia.Assemble(context.Background(), "sm_80",
		[]byte(".version 8.0\n.target sm_80\n.address_size 64\nnonsense\n"))
	if err == nil || !strings.Contains(err.Error(), "kernel.ptx, line 4") {
		t.Errorf("error %v", err)
	}
}

// TestAssembleStopped: when a compilation's time is up, the error says so, and not that ptxas was killed.
func TestAssembleStopped(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "ptxas")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\nexec sleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NEREID_PTXAS", tool)
	late := errors.New("the time is up")
	ctx, stop := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, late)
	defer stop()
	if _, err := devnvidia.Assemble(ctx, "sm_90a", nil); !errors.Is(err, late) {
		t.Errorf("got %v", err)
	}
}

// A product of two loaded tiles by multiply-adds fits into registers: the operands of a thread, 1,280 words
// here, are not all alive at once.
func TestMultiplyAddsSpillNothing(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	needPtxas(t)
	const tile = "tensor<64x64xf32>"
	text := strings.ReplaceAll(`
tt.func public @product(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                        %b: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                        %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %zero = arith.constant dense<0.0> : TILE
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %start = arith.muli %row, %width : tensor<64x1xi32>
  %rows = tt.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %rows, %columns : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %bp = tt.addptr %bs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %cp = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
  %y = tt.load %bp : tensor<64x64x!tt.ptr<f32>>
  %z = tt.dot %x, %y, %zero, inputPrecision = ieee : TILE * TILE -> TILE
  tt.store %cp, %z : tensor<64x64x!tt.ptr<f32>>
  tt.return
}`, "TILE", tile)
	m, err := ir.Parse(diag.NewFileSet(), "product.ttir", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c := Compiler{Capability: 90}
	options := target.Options{NumWarps: 2, NumCTAs: 1, NumStages: 2}
	in := &target.Input{Module: m, Kernel: "product", Options: options}
	if _, err := c.ttgir(in, nil); err != nil {
		t.Fatal(err)
	}
	code, err := c.FromTTGIR(context.Background(), in, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, facts, err := c.gpu().Best(context.Background(), code)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(code.PTX), "fma.rn.f32"); n != 64*64*64/64 || facts.Spills != 0 {
		t.Errorf("%d multiply-adds, %d bytes on the stack", n, facts.Spills)
	}
}
