// Package rewrite puts the operators of a library (nereid aot --onnx) in the place of nodes of a model.
//
// In: a model, and libraries with descriptions of what their operators serve. Out: the model with these
// operators, every other part as it was, and the differences between the results of both in ONNX Runtime.
//
//	library.go  descriptions of libraries
//	schema.go   what ONNX says of its operators: defaults of attributes, operands that may change places
//	match.go    patterns found in a graph
//	shape.go    types and shapes against those of an operator
//	rewrite.go  which matches are taken, and the new graph
//	inputs.go   random inputs
//	check.go    runs of both models, and their comparison
package rewrite
