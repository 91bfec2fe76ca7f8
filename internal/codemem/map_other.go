//go:build !linux || !(amd64 || arm64)

package codemem

import "errors"

// Supported reports whether this package has memory for code here.
const Supported = false

// PageSize is the size of a page of memory.
const PageSize = 4096

func mapCode(int) ([]byte, error) { return nil, errors.ErrUnsupported }
func unmapCode([]byte)            {}
func protect([]byte, bool) error  { return errors.ErrUnsupported }
func forget([]byte)               {}
