// Package gpu takes TTIR to TTGIR: tensors get layouts, and passes improve them.
//
// Its input is a module of TTIR, its output a module of TTGIR for one target, in Triton's dialects, which
// Triton accepts. Each pass has the name of Triton's and a file of its own; Pipeline lists them for a target.
//
// Between passes the following holds: every tensor has an encoding of the ttg dialect with as many lanes and
// warps as the module says, and every op has operands with the encodings that its verifier demands.
//
// The passes are in folders, each of which imports those above it alone:
//
//	ttgir      reading and building TTGIR: what all passes share
//	layouts    a layout for every tensor, and no conversions that can be avoided
//	products   matrix products on tensor cores
//	pipeline   loops as software pipelines, warp groups that ping-pong
//	motion     code motion behind the pipelining
//	tma        the copy engine: descriptors and tiles
//	programs   merged and persistent programs
//	amd        passes for AMD's GPUs
//
// And here:
//
//	pipeline.go       Pipeline: the passes in order, and the orderings they need
//	pipeline_amd.go   AMDPipeline: the passes for AMD's GPUs
//	door.go           what targets ask for
package gpu
