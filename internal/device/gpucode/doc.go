// Package gpucode has what the GPU compiler tells launches of its code, beside the code: how the host makes
// tensor maps, what checked code must be told, for how many programs on an SM code is made.
package gpucode
