package device

import (
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/device/inflight"
)

// ErrClosed is wrapped by errors of using something after its Close.
var ErrClosed = inflight.ErrClosed

// ErrCapturing is wrapped by errors of work that cannot be captured on a stream that is being captured.
var ErrCapturing = inflight.ErrCapturing

// ErrAhead is wrapped by the error of making further code for a kernel, better code for some launches, when
// the kernel was compiled ahead of time or the configuration is strict: its launches compile nothing.
var ErrAhead = errors.New("what is compiled ahead of time serves all launches that it can")

// Crash is the error of a launch whose process died.
type Crash struct {
	Kernel string
	Signal string // "SIGSEGV", or "" if there was none
	Detail string // last output of the process, or how it ended
}

func (c *Crash) Error() string {
	if c.Signal == "" {
		return fmt.Sprintf("the process that ran %s ended: %s", c.Kernel, c.Detail)
	}
	return fmt.Sprintf("%s was ended by %s in its own process: an access out of bounds, most likely; "+
		"Options.Check says where", c.Kernel, c.Signal)
}
