package gemm

import (
	"fmt"
	"sync"
	"syscall"
)

// RequestAMX asks the kernel for the right to use the tiles of AMX, once for the process. Nil is yes.
var RequestAMX = sync.OnceValue(func() error {
	const requestPermission, tileData = 0x1023, 18 // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
	if _, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0); errno != 0 {
		return fmt.Errorf("AMX is not granted: %w", errno)
	}
	return nil
})
