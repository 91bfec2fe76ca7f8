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
// # Launching
//
// [Load], [LoadFS] and [Parse] read a file; [Module.Kernel] finds a kernel in it. [Kernel.Launch] takes arguments as Triton does, by position or by
// name ([Arg]), and compiles once for each specialisation. Tensors lie in Go's memory ([FromSlice]) or on a device ([Open], [New]); launches go to
// a [Stream], whose context ends what they wait for. [Kernel.Bind] freezes a specialisation, and `nereid gen` writes a typed Go function for
// each kernel. Kernels under @triton.autotune and @triton.heuristics are tuned by their first launch ([TuneOptions]).
//
// # What is kept
//
// Compiled kernels and timings are kept in the user's cache folder, for later and for other processes. A program chooses otherwise with [With] and
// a [Config] when it loads a file; the environment does for programs that choose nothing ([EnvConfig]). So that no live request waits for a
// compiler, a [Recorder] notes what is launched, [Module.Warmup] compiles it ahead of time, and Config.Strict refuses everything else.
//
// # Errors
//
// Errors are told apart by errors.As and errors.Is: [CompileError] has the file, line and column of what is wrong in a kernel, [Fault] those
// of what stopped one, [ArgumentError] the parameter; [ErrNoDevice], [ErrNoLLVM], [ErrClosed], [ErrNotCompiled] and [ErrCapturing] are sentinels.
// Faults of a kernel at run time, an access out of bounds in the interpreter say, name its line, too.
//
// Everything is safe for use by several goroutines unless it says otherwise. docs/RUNTIME.md tells more.
package nereid
