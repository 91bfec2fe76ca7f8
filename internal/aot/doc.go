// Package aot compiles tables of kernels ahead of time. A table lists variants: a kernel, a signature,
// constants and options under a name, with the group of those that compute the same. What comes out is a
// bundle with each variant's code for each target.
//
//	table.go       Table, Variant; reads tables of either form
//	pytable.go     get_function_table() of a Python file, as ONNX Runtime writes them
//	manifest.go    manifests in TOML; axes.go their lists and ranges, expr.go their expressions
//	signature.go   types and constants of a row → the kernel's signature
//	launch.go      rules of launches
//	options.go     options of a row → nereid.Options
//	place.go       where in a table an error is
//	target.go      names of targets
//	build.go       Build: variants × targets → a bundle, in parallel; stats.go its times
//	entry.go       a compilation → entries of the bundle
//	certify.go     code compared with its source; certify_inputs.go the arguments for it
//	gopkg.go       a Go package around a bundle
//	file.go        files that are written whole or not at all
//
// Always true: the same table gives the same bytes. A table with a fault compiles nothing: all faults that
// reading finds are reported together, each with its place.
package aot
