// Package onnx reads and writes models in ONNX's format.
//
// In: the bytes of a model. Out: its graph, whose nodes can be replaced or removed, and its bytes again.
// Messages are kept as records of the wire format, in the order of the file, and the parts of a model that
// nobody changes are written as they were read: fields that this package does not know, the order of fields,
// weights, references to files with external data.
//
//	wire.go      messages as records, by google.golang.org/protobuf's protowire
//	model.go     models, graphs and nodes
//	tensor.go    tensors: constants, external data
//	external.go  files of external data beside a model that is written
//
// ort runs models in ONNX Runtime, rewrite puts operators of a library in the place of nodes.
package onnx
