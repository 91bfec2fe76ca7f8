// Package ops has operators on tensors: tensors in, tensors out, on every device.
//
//	s := ops.On(stream)
//	y := ops.Softmax(s, ops.Mul(s, x, 0.125), -1)
//	if err := y.Err(); err != nil { … }
//
// A Stream is a stream of a device with an arena, in which results lie until Reset. An op that fails
// returns a tensor with an error (Tensor.Err), which names the op and the operand and which all later ops
// pass on, so that a chain of ops is checked once. Into gives an op the caller's memory for its result; a
// call like an earlier one allocates nothing then:
//
//	err := ops.Add(s.Into(out), x, y).Err()
//
// Operands are views of any strides. Shapes are broadcast as in NumPy: aligned at their last dimensions, a
// size of 1 fits any. Types follow one rule: operands meet in the type that holds both (bool < integers <
// floats; fp16 and bf16 meet in fp32), a Go number takes the type of the tensors beside it, floats of 8 and
// 16 bits are computed in fp32 and rounded once. docs/OPERATORS.md has it in full, with a table of the ops.
//
// Fuse makes one kernel of a formula:
//
//	swish := ops.Fuse(func(x, y ops.Expr) ops.Expr { return x.SiLU().Mul(y) })
//	out := swish.Call(s, gate, up)
//
// The files:
//
//	stream.go           Stream, Into
//	arena.go            memory of results and scratch
//	call.go             one call: operands, key, plan, launch
//	library.go          the kernels, under one configuration
//	errors.go           Error
//	types.go            the rule of types
//	shape.go            broadcasting; iteration spaces and their collapse
//	elementwise.go      functions of elements, on tensors: the table of them
//	exprmethods.go      the same as methods of formulas
//	functions.go        functions, and the types of a formula's values
//	expr.go             formulas
//	fuse.go             Fuse, and how a call of a formula is planned
//	generate.go         a formula's kernel as text
//	generate_reduce.go  the same for reductions
//	split.go            reductions in parts
//	tile.go             tile sizes by device
//	reduce.go           sums and other reductions
//	normalize.go        softmax, layer norm, RMS norm
//	matmul.go           products of matrices, and what follows them
//	products.go         configs of products
//	quantized.go        weights in blocks of few bits
//	quantized_product.go  products with them
//	interleave.go       the same with 16 rows side by side
//	grouped.go          weights in groups with zeros, as of AWQ and GPTQ
//	attention.go        attention, also over pages
//	attention_grad.go   gradients of attention
//	append.go           rotary embedding, cache and attention in one
//	transformer.go      rotary embedding, gated layers, cross entropy
//	rows_grad.go        gradients of cross entropy and norms
//	order.go            the largest, sorted rows, scans; sampling
//	conv.go             convolution of signals and images
//	pool.go             pooling
//	concat.go           concatenation
//	layout.go           copies, casts, padding, fills
//	index.go            elements by index
package ops
