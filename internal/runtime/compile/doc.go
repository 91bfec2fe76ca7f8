// Package compile makes executables of kernels: once for each specialization, however many goroutines ask for
// it, from the cache if it has one.
//
// Its input is a kernel of a file (Kernel), a device, and the compiler's description of each argument
// (lang.ArgSpec, from package args). Its output is a Build, which launches, or the Result of a compilation
// whose stages somebody wants to see.
//
//	kernel.go     Kernel and Settings: what all specializations of a kernel share
//	variant.go    Variant: the name of a specialization, for manifests, hooks and messages
//	builds.go     Build; one for each key, made by one goroutine while others wait
//	job.go        one compilation: front end, then the stages of the device
//	keep.go       the same through the cache: key, entry, restoring
//	elsewhere.go  why strict mode does not find what another build has kept
//	nearest.go    the specializations that are compiled, and what a new one differs in
//	dump.go       stages written to files, and files that replace stages
//	launch.go     a Build passed to its device, between hooks
//	saved.go      Saved: a compiled kernel as data, with what a launch must know of it
//	forms.go      the forms of a saved kernel, among which launches choose
//	launchinfo.go the same for launchers of others, as JSON
//	text.go       a kernel that begins with the text of a stage
//
// The package knows devices through package target alone. Errors are those of the compiler and the device;
// the root package gives them their exported types.
package compile
