package pool

import "syscall"

// InLargePages asks for large pages under memory that begins at such a page. Memory works without them too.
func InLargePages(mem []byte) { _ = syscall.Madvise(mem, syscall.MADV_HUGEPAGE) }
