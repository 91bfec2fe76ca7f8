package cpu

const memfdCreate = 279 // number of the system call
