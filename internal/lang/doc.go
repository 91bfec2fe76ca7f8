// Package lang turns kernels into Triton IR: a file with @triton.jit functions comes in as syntax, and for one kernel and one
// signature a module of tt operations goes out, as Triton's own front end would make it before any pass.
//
// Host code is left to package host (module constants, decorator arguments, functions called at compile time) and the
// meaning of operations to package sem. What remains here is the walk over a kernel's body: names and scopes, control flow, calls,
// and which values are known at compile time.
//
// A name in a kernel holds a host.Value. A device value is a *sem.Tensor, a *sem.Descriptor, an *Object, or a *host.Tuple that may hold
// such; every other value is known at compile time, and needs no wrapper as Triton's constexpr.
package lang
