//go:build linux && !amd64

package pool

import "syscall"

const getcpu = syscall.SYS_GETCPU
