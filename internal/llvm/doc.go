// Package llvm turns LLVM IR text into PTX, assembly or object code, and object code into functions that
// can be called, through libLLVM's C API. LLVM 17 to 22 is opened at run time, without cgo; a machine that
// has none gets an error that says so and how to install one.
//
// In: IR as text, a target, options. Out: bytes, or an error that shows the line of IR that LLVM did not
// like.
//
// What always holds:
//
//   - One compilation has its own LLVM context, module and target machine, on one goroutine, and frees them
//     all. Compilations run at the same time without knowing of each other.
//   - LLVM neither prints nor exits: diagnostics are collected, and a fatal error inside LLVM comes back as a
//     [FatalError].
//   - Nothing is linked, and function attributes stay as the IR has them.
//
// The layers: find.go says where libLLVM may lie, raw.go which symbols we call, the other files are the API.
package llvm
