// Package cform writes bundles as C: a header and a source file that gcc and clang build, with all variants
// and the choice among them, and an object file for each piece of code for CPUs; or a shared library made of
// these.
//
// In: a bundle (internal/bundle). Out: NAME.h, NAME.c, NAME-N.o, or libNAME.so and NAME.h. Code for GPUs lies
// in the source file; the CUDA driver, or AMD's runtime, is opened when a GPU is first asked for, so that the
// same program runs where there is none and nothing of CUDA or HIP is needed to build it. docs/LAUNCHERS.md
// and docs/AOT.md show how the files are used.
//
//	cform.go       the form: variants and their code
//	tables.go      data of the source file
//	group.go       groups: rules, and the choice among variants
//	onnx.go        operators of ONNX Runtime; describe.go their description for programs that rewrite models
//	functions.go   functions with typed arguments; header and source put together
//	forms.go       code for some launches each, and what the choice among it needs
//	maps.go        descriptors that code takes as tensor maps
//	library.go     shared libraries, by a C compiler
//	lld.go         the same by LLVM and lld; ir.go tables and functions as LLVM IR
//	rename.go      object files with symbols of their own
//
// The parts of the source that are the same for all bundles, in the order in which they stand there;
// runtime_*.ll.gz has them as LLVM IR:
//
//	source.h.txt   the header
//	source.c.txt   types of the tables
//	runtime.c.txt  errors
//	forms.c.txt    what a launch computes for forms of code: guards, tiles, numbers
//	cuda.c.txt     launches on NVIDIA's GPUs
//	hip.c.txt      launches on AMD's GPUs; what both kinds share
//	host.c.txt     launches on CPUs: what the processor has, the pool of threads
//	api.c.txt      functions that every form has
//	verify.c.txt   results of variants compared, and the outcome of measuring on disk
//	group.c.txt    groups: rules evaluated, variants chosen and measured
//	onnx.c.txt     operators of ONNX Runtime; onnx_types.c.txt, behind source.c.txt, its interface and tables
package cform
