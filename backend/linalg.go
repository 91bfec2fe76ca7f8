package backend

import (
	"bytes"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all" // the dialects that the text may have
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
)

// ToLinalg turns Triton IR into linalg, both as MLIR text: the middle layer by itself, for compilers that
// have Triton IR from elsewhere. The name stands in messages. An error in the text has its line and column.
func ToLinalg(name string, ttir []byte) ([]byte, error) {
	m, err := ir.Parse(diag.NewFileSet(), name, ttir)
	if err != nil {
		return nil, err
	}
	if err := ir.Verify(m.Op); err != nil {
		return nil, err
	}
	ctx := &pass.Context{Options: pass.Options{Verify: true}}
	if err := pass.Run(ctx, m, []pass.Pass{middle.TritonToLinalg}); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = ir.Print(&text, m.Op, ir.PrintOptions{})
	return text.Bytes(), err
}
