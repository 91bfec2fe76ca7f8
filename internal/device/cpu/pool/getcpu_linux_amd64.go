package pool

const getcpu = 309 // number of the system call, which package syscall does not have here
