package cpu

const memfdCreate = 319 // the number of the system call
