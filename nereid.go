// Package nereid compiles and runs Triton kernels from Go.
//
// A kernel stays what its author wrote, a Python function under @triton.jit. Nereid reads it without Python, takes it through
// Triton's own stages, and launches it on a device: an NVIDIA GPU, the CPU, or an interpreter that checks every access.
//
//	m, err := nereid.Load("kernels/vector_add.py")
//	add, err := m.Kernel("add_kernel")
//	x := nereid.FromSlice(data, len(data))
//	...
//	err = add.Launch(nil, nereid.Grid{(n + 1023) / 1024}, x, y, out, n, 1024)
//
// Everything is safe for use by several goroutines unless it says otherwise.
package nereid
