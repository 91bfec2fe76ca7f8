// Package lang turns kernels into Triton IR: a file with @triton.jit functions comes in as text, and for one
// kernel and one signature a module of tt operations goes out, as Triton's own front end would make it before
// any pass.
//
// The package is the door of four rooms, each standing on those before it:
//
//	sem                  the operations of the language: typing, promotion, the table of tl. functions
//	world                what a file can see: its source, modules (triton, torch), jit functions, decorators
//	codegen              kernel bodies and signatures → TTIR
//	stdlib               the functions of the language that are written in it, as *.py
//
// Here:
//
//	lang.go              Source: loads a file, compiles a kernel; names of world and codegen for others
//	codes.go             the codes of messages
package lang
