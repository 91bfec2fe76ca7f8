// Package lsp is the language server of `nereid lsp`: diagnostics of kernels while they are typed, hover
// with type, shape and compile-time value, definitions through imports, completion of triton.language,
// shapes in the text and changes that mend misspelt names.
//
// A document is compiled, up to Triton IR, for the signature that its text suggests (package gen), each
// kernel for itself. What the compilation saw of each expression is what hover shows.
//
// # The files
//
//	server.go    messages: what is asked, in order
//	protocol.go  the parts of the protocol that the server speaks
//	analysis.go  a document compiled: diagnostics, and what was seen
//	reuse.go     what an edit leaves of it
//	position.go  lines and columns of the protocol, in UTF-16
//	define.go    where a name is defined
//	complete.go  names that can follow
//	assist.go    shapes in the text, and changes that mend a fault
package lsp
