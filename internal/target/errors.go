package target

import "errors"

// ErrClosed is wrapped by errors of using something after its Close.
var ErrClosed = errors.New("closed already")

// ErrCapturing is wrapped by errors of work that cannot be captured on a stream that is being captured.
var ErrCapturing = errors.New("the stream is being captured")
