// Package gen writes Go for the kernels of a file: one typed function each, with the kernels' source embedded.
//
// Triton's parameters have no types, Go's do. What a parameter is shows in what the kernel does with it (infer.go): it is loaded from, it
// bounds an index, it is compared with a string. Where that is not enough, the caller says it (Options.Types).
package gen
