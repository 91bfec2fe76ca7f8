// Package rule compiles what a table says about launches: conditions, grids, shapes of operators. A rule is
// an expression over numbers, which becomes steps of a small stack machine, so that a program in C evaluates
// it without a parser.
//
// In: text in Python's syntax, "cdiv(n, BLOCK) if n > 0 else 1". Out: steps. Numbers are float64 throughout:
// sizes and strides are exact below 2**53. A division by zero gives 0. The package imports the Python parser
// alone.
//
//	rule.go      Compile, Rule, Eval
//	ops.go       the steps, one row each
//	launch.go    Launch: when a variant may run, and its grid
//	operator.go  Operator: tensors, attributes and arguments of an operator
//	serve.go     Pattern: nodes of ONNX that an operator can take the place of; the description of a library
//	text.go      rules as text, in descriptions
package rule
