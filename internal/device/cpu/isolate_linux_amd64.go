package cpu

const memfdCreate = 319 // number of the system call
