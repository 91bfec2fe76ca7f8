package nccl

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dl"
)

// Result is ncclResult_t.
type Result int32

// Results that callers tell apart.
const (
	success    Result = 0
	inProgress Result = 7
)

// Error is a call that failed.
type Error struct {
	Call   string
	Result Result
	text   string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Call, e.text) }

// check returns the error of a call on a communicator, which may be 0. A call that is not done yet is none.
func (l *Library) check(call string, c commRef, r Result) error {
	if r == success || r == inProgress {
		return nil
	}
	text := dl.GoString(l.raw.getErrorString(r))
	if text == "" {
		text = fmt.Sprintf("ncclResult_t %d", r)
	}
	if more := dl.GoString(l.raw.getLastError(c)); more != "" && more != text {
		text += " (" + more + ")"
	}
	return &Error{Call: call, Result: r, text: text}
}
