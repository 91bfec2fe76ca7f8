// Package target defines what a device must do to compile kernels for itself: from Triton IR to an
// executable. What it must do to run them is package device's.
//
// Each back end is a package below this one and knows no other. The root package ties them together.
//
//	target.go         Backend; Input of a compilation
//	alias.go          names of package device that every back end uses
//	given.go          compilations that begin with the text of a stage
//	libs.go           bitcode that is linked into kernels
package target
