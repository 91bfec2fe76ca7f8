package pool

import "syscall"

// inLargePages asks for large pages under memory that begins at such a page. Memory works without them too.
func inLargePages(mem []byte) { _ = syscall.Madvise(mem, syscall.MADV_HUGEPAGE) }
