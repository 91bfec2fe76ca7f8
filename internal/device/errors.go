package device

import (
	"errors"

	"github.com/nereid-lang/nereid/internal/device/inflight"
)

// ErrClosed is wrapped by errors of using something after its Close.
var ErrClosed = inflight.ErrClosed

// ErrCapturing is wrapped by errors of work that cannot be captured on a stream that is being captured.
var ErrCapturing = inflight.ErrCapturing

// ErrAhead is wrapped by the error of making further code for a kernel, better code for some launches, when
// the kernel was compiled ahead of time or the configuration is strict: its launches compile nothing.
var ErrAhead = errors.New("what is compiled ahead of time serves all launches that it can")
