// Package programs changes what a program is: merged programs do the work of several, persistent ones stay on
// their SMs, and those with long loops start first.
//
//	join_loops.go       nereid-gpu-join-loops: two loops that differ in masks become one
//	longest_first.go    nereid-gpu-longest-first: programs with long loops start first
//	merge_programs.go   nereid-gpu-merge-programs: one program does the work of several
//	persist.go          nereid-gpu-persist-programs: which programs are persistent
//	persist_loop.go     the loop over programs, and the copies for the next one
//	program_loop.go     nereid-gpu-loop-over-programs: persistent programs of plain products
//	store_by_warps.go   nereid-gpu-store-by-warps
//	unit_strides.go     which arguments are strides, and merged programs for strides of 1
package programs
