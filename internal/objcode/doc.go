// Package objcode links object files into memory without LLVM, so that a program runs compiled kernels where
// no compiler is installed.
//
// In: an ELF object file for this machine's processor, as LLVM writes one for a kernel: code, constants,
// relocations between them, perhaps calls of the C library. Out: the address of a function. Files that need
// more (variables, thread-local storage, relocations that this package does not know) are ErrUnsupported, and
// LLVM's linker may be asked instead.
//
// An object file is native code and is trusted as such. A damaged file is an error, never a panic: every
// offset is held against the sizes that are there.
//
//	objcode.go   Link, Code
//	object.go    the file: sections, symbols, relocations; where sections go
//	reloc.go     the relocations of each processor
package objcode
