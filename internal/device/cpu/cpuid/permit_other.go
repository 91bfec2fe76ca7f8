//go:build !(linux && amd64)

package cpuid

import "errors"

// RequestAMX returns an error: this system has no tiles.
func RequestAMX() error { return errors.New("AMX is not granted: only Linux on x86-64 has it") }
