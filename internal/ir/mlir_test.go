package ir_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestMLIRPrintsTheSame reads what mlir-opt prints of each file and expects to print the same bytes, in
// each form.
func TestMLIRPrintsTheSame(t *testing.T) {
	tool := txtest.MLIROpt(t)
	modes := []struct {
		name  string
		flags []string
		opts  ir.PrintOptions
	}{
		{"custom", nil, ir.PrintOptions{}},
		{"generic", []string{"--mlir-print-op-generic"}, ir.PrintOptions{Generic: true}},
		{"locs", []string{"--mlir-print-debuginfo"}, ir.PrintOptions{Locs: true}},
		{"generic locs", []string{"--mlir-print-op-generic", "--mlir-print-debuginfo"},
			ir.PrintOptions{Generic: true, Locs: true}},
	}
	files, _ := filepath.Glob("testdata/mlir/*.mlir")
	if len(files) == 0 {
		t.Fatal("no files")
	}
	for _, file := range files {
		for _, mode := range modes {
			t.Run(filepath.Base(file)+"/"+mode.name, func(t *testing.T) {
				cmd := exec.Command(tool, append(mode.flags, "--allow-unregistered-dialect", file)...)
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				want, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v\n%s", err, stderr.String())
				}
				m, err := ir.Parse(diag.NewFileSet(), file, want)
				if err != nil {
					t.Fatal(err)
				}
				// mlir-opt ends with a line of its own.
				txtest.Equal(t, file, string(bytes.TrimRight(want, "\n"))+"\n", text(m, mode.opts))
			})
		}
	}
}

// TestFloatsLikeMLIR has mlir-opt print random floats of every format, read from their bits, and expects to
// print the same.
func TestFloatsLikeMLIR(t *testing.T) {
	tool := txtest.MLIROpt(t)
	r := rand.New(rand.NewPCG(1, 2))
	var in strings.Builder
	for _, f := range []*ir.FloatType{ir.F64, ir.F32, ir.TF32, ir.F16, ir.BF16, ir.F8E5M2, ir.F8E4M3FN,
		ir.F8E4M3FNUZ, ir.F8E5M2FNUZ, ir.F8E4M3B11, ir.Float(num.F8E4M3), ir.Float(num.F8E3M4)} {
		for i := range uint64(256) {
			bits := i
			if f.Format.Bits > 8 {
				bits = r.Uint64() >> (64 - f.Format.Bits)
			}
			fmt.Fprintf(&in, "\"mine.op\"() {a = 0x%X : %s} : () -> ()\n", bits, f)
			if v := f.Format.Decode(bits); f.Format.Bits > 8 && i%2 == 0 && v == v {
				fmt.Fprintf(&in, "\"mine.op\"() {a = %.4f : %s} : () -> ()\n", r.NormFloat64(), f)
			}
		}
	}
	cmd := exec.Command(tool, "--allow-unregistered-dialect")
	cmd.Stdin = strings.NewReader(in.String())
	want, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	fromHex := parse(t, "hex", in.String())
	txtest.Equal(t, "floats", strings.TrimRight(string(want), "\n")+"\n", text(fromHex, ir.PrintOptions{}))
}

func text(m *ir.Module, opts ir.PrintOptions) string {
	var b bytes.Buffer
	ir.Print(&b, m.Op, opts)
	return b.String()
}
