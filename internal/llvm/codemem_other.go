//go:build !linux || !amd64

package llvm

import "errors"

const (
	sharesCode = false
	pageSize   = 4096
)

func mapCode(int) ([]byte, error) { return nil, errors.ErrUnsupported }
func unmapCode([]byte)            {}
func protect([]byte, bool) error  { return errors.ErrUnsupported }
func forget([]byte)               {}
