package backend

import (
	"bytes"
	"slices"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all" // the dialects that the text may have
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
)

// ToLinalg turns Triton IR into linalg, both as MLIR text: the middle layer by itself, for compilers that
// have Triton IR from elsewhere. The name stands in messages. An error in the text has its line and column.
func ToLinalg(name string, ttir []byte) ([]byte, error) {
	return transform(name, ttir, []pass.Pass{middle.TritonToLinalg})
}

// Transform runs passes over IR, both as MLIR text: those that need no target, such as canonicalize and cse,
// and the single passes of the middle layer, triton-to-structured, triton-to-unstructured,
// triton-arith-to-linalg and structured-to-memref. The pipeline is their names as mlir-opt's --pass-pipeline
// takes them, with options in braces:
//
//	builtin.module(triton-to-structured,triton-to-unstructured{offset-bit-width=64},canonicalize)
func Transform(name string, text []byte, pipeline string) ([]byte, error) {
	passes, err := pass.Parse(slices.Concat(pass.All(), middle.All()), pipeline)
	if err != nil {
		return nil, err
	}
	return transform(name, text, passes)
}

func transform(name string, src []byte, passes []pass.Pass) ([]byte, error) {
	m, err := ir.Parse(diag.NewFileSet(), name, src)
	if err != nil {
		return nil, err
	}
	if err := ir.Verify(m.Op); err != nil {
		return nil, err
	}
	ctx := &pass.Context{Options: pass.Options{Verify: true}}
	if err := pass.Run(ctx, m, passes); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = ir.Print(&text, m.Op, ir.PrintOptions{})
	return text.Bytes(), err
}
