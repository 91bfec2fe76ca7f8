package python

// Codes of the errors this package reports.
const (
	// codeSyntax is a token where the grammar has no place for it.
	//
	//	x = = 1
	codeSyntax = "syntax"
	// codeIndent is a block that is missing, or a line that begins in the wrong column.
	//
	//	if x:
	//	pass
	codeIndent = "indentation"
	// codeLiteral is a number or a string that is not well formed.
	//
	//	x = 0777
	codeLiteral = "literal"
	// codeTarget is an assignment to what cannot be assigned to.
	//
	//	f() = 1
	codeTarget = "target"
	// codeEncoding is text that cannot be decoded.
	//
	//	# coding: no-such
	codeEncoding = "encoding"
	// codeNesting is a program nested too deeply to be read.
	codeNesting = "nesting"
)
