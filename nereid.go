// Package nereid compiles and runs Triton kernels from Go.
//
// A kernel stays as its author wrote it: a Python function under @triton.jit. Nereid reads it without Python,
// takes it through Triton's own stages, and launches it on a device: an NVIDIA GPU, the CPU, or an
// interpreter that checks every access.
//
//	m, err := nereid.Load("kernels/vector_add.py")
//	add, err := m.Kernel("add_kernel")
//	x, y, out := nereid.FromSlice(a), nereid.FromSlice(b), nereid.FromSlice(c)
//	err = add.Launch(nil, nereid.Grid{nereid.Cdiv(n, 1024)}, x, y, out, n, nereid.Arg("BLOCK_SIZE", 1024))
//
// # Launching
//
// [Load], [LoadFS] and [Parse] read a file; [Module.Kernel] returns a kernel of it. [Kernel.Launch] takes
// arguments as Triton does, by position or by name ([Arg]), and compiles once for each specialization.
// Tensors are in Go's memory ([FromSlice]) or on a device ([OpenDevice], [NewTensor]); launches go to a
// [Stream], whose context ends what they wait for. [Kernel.Bind] binds a specialization, and `nereid gen`
// writes a typed Go function for each kernel. The first launch of a kernel under @triton.autotune or
// @triton.heuristics tunes it ([TuneOptions]).
//
// # What is kept
//
// Compiled kernels and timings are kept in the user's cache folder, which processes share. [With] and a
// [Config] choose otherwise when a file is loaded; the environment configures programs that choose nothing
// ([EnvConfig]). So that no request of a service waits for a compiler, a [Recorder] records the launched
// variants, [Module.Warmup] compiles them ahead of time, and Config.Strict refuses all others.
//
// # Errors
//
// errors.As and errors.Is tell errors apart: [CompileError] has the file, line and column of a fault in a
// kernel's source, [Fault] those of the operation that stopped a launch, [ArgumentError] the parameter,
// [Refusal] what the compiler or a device declines and what to do instead; [ErrNoDevice], [ErrNoLLVM],
// [ErrClosed], [ErrNotCompiled] and [ErrCapturing] are sentinels.
//
// Everything is safe for concurrent use by several goroutines unless it says otherwise. docs/RUNTIME.md has
// more; docs/SERVICE.md tells how a server uses it.
package nereid
