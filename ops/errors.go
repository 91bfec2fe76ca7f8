package ops

import (
	"fmt"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// Error is the error of an op that cannot take its operands, or whose launch failed. A tensor that an op
// returns has it (Tensor.Err).
type Error struct {
	Op      string // name of the op: "MatMul"
	Operand string // name of the operand at fault: "b"; "" if none alone is
	Err     error
}

func (e *Error) Error() string {
	if e.Operand == "" {
		return "ops: " + e.Op + ": " + e.Err.Error()
	}
	return "ops: " + e.Op + ": " + e.Operand + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// wrong returns an Error; its reason is a format as fmt.Errorf has it.
func wrong(op, operand, format string, list ...any) *Error {
	return &Error{Op: op, Operand: operand, Err: fmt.Errorf(format, list...)}
}

// failed returns the tensor of an op that failed: every later use of it is the error.
func failed(err error) *nereid.Tensor { return core.Broken(err) }
