// Package warm repeats launches: what an earlier launch found out about its arguments serves all that look alike. It decides
// nothing; package args does, and a launch that nothing here fits goes the long way.
//
// In come arguments and a stream, out comes a call of the driver, with no allocation and no lock.
//
//	plan.go     Plan: a compiled specialization with what its arguments look like
//	table.go    Table: the plans of a kernel, found by what arguments look like
//	cut.go      Cut: the short cut of generated functions to the plan of the launch before
//	argcut.go   ArgCut: the same for Kernel.Launch, whose arguments are of any type
//	scalar.go   what a short cut demands of a number
//
// A launch begins with little of ours in the processor's caches, since the driver's own work has pushed it out. What counts is
// how many cache lines it reads and how much code it runs through; hence the flat structs, the packed codes, and loops that
// compare everything before they branch once.
package warm
