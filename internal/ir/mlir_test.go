package ir_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestMLIRPrintsTheSame reads what mlir-opt prints of each file and expects to print the same bytes, in each form.
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
		{"generic locs", []string{"--mlir-print-op-generic", "--mlir-print-debuginfo"}, ir.PrintOptions{Generic: true, Locs: true}},
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

func text(m *ir.Module, opts ir.PrintOptions) string {
	var b bytes.Buffer
	ir.Print(&b, m.Op, opts)
	return b.String()
}
