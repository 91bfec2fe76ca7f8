// Package python reads Python 3.12 source into a syntax tree.
//
// In goes the text of a file; out comes a Module whose nodes have the names, the fields and the exact
// positions of CPython's ast module (Dump prints them in the form of ast.dump), or a list of errors, each
// with its place, and what could be read of the file in spite of them. A tree without errors holds no BadExpr
// or BadStmt, its spans nest, and its depth is bounded, so it may be walked by recursion. The grammar is that
// of the parser alone: what CPython's compiler rejects later (return outside a function, two parameters of
// one name) is accepted here.
//
// Text:
//
//	python.go         Parse
//	source.go         encodings, byte order marks
//	lexer.go          lexer: tokens, a logical line at a time; token.go: their kinds
//	indent.go         indentation
//	lex_number.go     numbers; lex_operator.go: operators; lex_string.go: strings and f-strings
//	unidata.go        names beyond ASCII, \N{...}
//	errors.go         codes of errors
//
// The grammar, a method for each production:
//
//	parser.go         parser: tokens read, errors, what goes on after them
//	stmt.go           files, blocks, simple statements
//	assign.go         assignments; target.go: what can be assigned to
//	compound.go       if, while, for, try, with; match.go: match
//	define.go         functions and classes; params.go: their parameters
//	import.go         imports
//	expr.go           expressions by precedence; operator.go: operators
//	atom.go           names, literals, brackets; call.go: arguments of calls
//	literal.go        values of numbers and strings; strings.go: f-strings
//
// The tree:
//
//	ast.go            expressions; ast_stmt.go: statements
//	alloc.go          memory of nodes
//	fields.go         fields of expressions; fields_stmt.go: of statements
//	walk.go           Walk
//	describe.go       parameters and docstrings as text
//	dump.go           Dump; dump_fstring.go: positions in f-strings as before 3.12; repr.go: values
package python
