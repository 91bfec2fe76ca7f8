package cpu

const memfdCreate = 279 // the number of the system call
