//go:build !amd64 && !(linux && arm64)

package cpuid

// features returns nothing: nobody has asked this processor.
func features() map[string]bool { return nil }
