package cpuid

import (
	"fmt"
	"sync"
	"syscall"
)

// RequestAMX asks the operating system for permission to use AMX tiles, once for the process. It returns nil
// if granted.
var RequestAMX = sync.OnceValue(func() error {
	const requestPermission, tileData = 0x1023, 18 // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
	if _, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0); errno != 0 {
		return fmt.Errorf("AMX is not granted: %w", errno)
	}
	return nil
})
