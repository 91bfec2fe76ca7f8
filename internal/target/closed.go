package target

import "errors"

// ErrClosed is wrapped by errors of using something after its Close.
var ErrClosed = errors.New("closed already")
