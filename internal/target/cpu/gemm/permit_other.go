//go:build !(linux && amd64)

package gemm

import "errors"

// RequestAMX says that there are no tiles.
func RequestAMX() error { return errors.New("AMX is not granted: only Linux on x86-64 has it") }
