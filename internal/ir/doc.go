// Package ir is the compiler's intermediate representation: operations with operands, results, attributes,
// regions and locations, as in MLIR, and MLIR's text in both directions.
//
// What comes in is text (Parse) or calls of a Builder; what goes out is text (Print) or whatever a pass makes
// of it. What always holds:
//
//   - Types, attributes and locations are immutable and interned for the whole process: equality is identity (==).
//   - Every operation has an OpDef. An operation of a dialect nobody declared gets one with Unregistered set and is kept in its
//     generic form.
//   - Use lists are exact: v.Uses() yields each operand slot that holds v, and nothing else.
//   - An operation is in at most one block, a block in at most one region, a region in at most one operation.
//
// Dialects are packages of tables (internal/dialect/...): declaring an OpDef is also registering it.
//
// The structure:
//
//	module.go, op.go, block.go   modules, operations, values and uses, blocks and regions
//	type.go, attr.go, loc.go     types, attributes, locations; affine.go affine maps; intern.go their tables
//	dialect.go                   dialects and OpDefs
//	builder.go                   Builder: inserting operations
//	dominance.go                 which values dominate which operations
//	verify.go                    the invariants, and each OpDef's own
//	callchain.go                 a location as the calls that led there
//
// Text:
//
//	text.go                      Parse, Print and their options
//	lexer.go, parser.go          reading; parse_*.go one kind of thing each
//	printer.go                   writing; print_*.go one kind of thing each
//	format.go                    an OpDef's Format, compiled to a tree
//	format_parse.go              reading by a Format; format_types.go the types that the text leaves out
//	format_print.go              writing by a Format
package ir
