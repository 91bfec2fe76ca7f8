// Package world has what a file with kernels can see. A Source is the file; a World is what one compilation
// of it evaluates: host Python with the modules of Triton and torch in it, where functions under
// @triton.jit are JITFunctions and their decorators are kept for launches. Nothing here makes IR.
//
//	source.go            Source: loading a file; Target
//	find.go              finding a kernel by its name, also inside functions and classes
//	world.go             World: the modules that one compilation can see
//	library.go           the standard library of a release of the language
//	triton.go            module triton; runtime.go triton.runtime, machine.go triton.backends, torch.go torch
//	gluon.go             Gluon: refused, or the part of it that is compiled as an experiment
//	resolve.go           names that stand for modules of Triton, whatever conditions are around their imports
//	jit.go               functions under @triton.jit and the decorators around them
//	tuning.go            autotune and heuristics
//	host.go              calls of plain functions of the file; hash.go what its text is
//	descriptor.go        tensor descriptors among the arguments that functions of the file see
//	class.go             aggregates: classes whose instances hold device values
//	constexpr.go         tl.constexpr and the classes of the language
//	forms.go             functions of kernels that are no operations: package codegen carries them out
//	pointers.go          which parameters a kernel uses as pointers
//	around.go            the call of the language around a place
//	values.go            texts and comparisons of values known at compile time
package world
