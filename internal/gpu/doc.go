// Package gpu takes TTIR to TTGIR: tensors get layouts, then passes choose those layouts well.
//
// A module of TTIR comes in; a module of TTGIR for one target goes out, in Triton's dialects, such that Triton accepts it.
// ConvertTriton gives every tensor a default layout and converts wherever an op demands another; the passes after it make
// memory accesses wide (tritongpu-coalesce), move conversions away (tritongpu-remove-layout-conversions), put products on
// tensor cores (tritongpu-accelerate-matmul), overlap loads with the work of earlier iterations (tritongpu-pipeline), and so on.
// Each pass is named as Triton's is, and has a file of its own; Pipeline lists them for a target.
//
// What always holds between passes: every tensor has an encoding of the ttg dialect with as many lanes and warps as the
// module says, and every op has operands of the encodings that its verifier asks for.
package gpu
