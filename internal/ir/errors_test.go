package ir_test

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestErrors compares all that is said about broken text: place, message, line, caret.
func TestErrors(t *testing.T) {
	txtest.Run(t, "testdata/errors/*.txtar", func(t *testing.T, c *txtest.Case) {
		_, err := ir.Parse(diag.NewFileSet(), "in.mlir", []byte(c.Text(t, "in.mlir")))
		if err == nil {
			t.Fatal("read without an error")
		}
		c.Want(t, "errors", err.Error())
	})
}
