// Package code holds compiled kernels: as data that is saved and loaded, and as executables that launches
// pass to their device. It knows no IR and no compiler: programs that only run compiled code link it alone.
//
//	variant.go     Variant: the name of a specialization, for manifests, hooks and messages
//	build.go       Build: an executable with what launches must know of it; Result: that of a compilation
//	launch.go      a Build passed to its device, between hooks; hooked.go what they see of it
//	saved.go       Saved: a compiled kernel as data, with what a launch must know of it
//	forms.go       the forms of a saved kernel, among which launches choose
//	launchinfo.go  the same for launchers of others, as JSON
package code
