// Package cform writes bundles as C: a header and a source file that any C compiler builds, with all variants
// and the choice among them, and an object file for each piece of code for CPUs.
//
// In: a bundle (internal/bundle). Out: NAME.h, NAME.c, NAME-N.o. Code for GPUs lies in the source file; the
// CUDA driver is opened when a GPU is first asked for, so that the same program runs where there is none and
// nothing of CUDA is needed to build it. docs/LAUNCHERS.md shows how the files are used.
//
//	cform.go       the files
//	rename.go      object files with symbols of their own
//	runtime.c.txt  the part of the source that is the same for all bundles
package cform
