package target

import "errors"

// ErrClosed is wrapped by errors of the use of something after its Close.
var ErrClosed = errors.New("closed already")
