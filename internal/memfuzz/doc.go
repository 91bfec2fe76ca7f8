// Package memfuzz compares what devices do with memory. It makes random kernels, runs each on the
// interpreter, which is the judge and takes the IR before any pass, and on other devices, and compares all
// memory bit by bit. A kernel that differs is made smaller for as long as it differs.
//
//	NEREID_MEMFUZZ=50000 go test ./internal/memfuzz -run TestMemory -timeout 0
//
// Within a program memory is sequential: each operation reads for all its lanes, then writes for all of them.
// The generator keeps to kernels for which that gives one result:
//
//   - the live lanes of a store go to distinct elements, or all store one value;
//   - no program touches an element that another one writes;
//   - atomics commute, or their lanes go to distinct elements;
//   - floats hold small integers and are added, compared and moved, and multiplied only as small matrices:
//     every result is exact or rounded once;
//   - kernels with arguments that overlap each other are marked, and not run on GPUs, which do not order
//     them.
//
// Kernel i of a seed is the same on every machine. The files:
//
//   - kernel.go: the tree of a kernel; text.go: its Python; bounds.go: which elements it may touch
//   - gen.go, gen_stmt.go, gen_expr.go: random kernels; gen_values.go: those that compute more than they move
//   - case.go: a kernel's text and arguments, and the file that holds both
//   - run.go: launches and comparison; shrink.go: smaller kernels; fuzz.go: many kernels on all cores
package memfuzz
