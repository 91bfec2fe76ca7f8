// Package ir is the compiler's intermediate representation: operations with operands, results, attributes,
// regions and locations, as in MLIR, and MLIR's text in both directions.
//
// What comes in is text (Parse) or calls of a Builder; what goes out is text (Print) or whatever a pass makes
// of it. What always holds:
//
//   - Types, attributes and locations are immutable and interned for the whole process: equality is
//     identity (==).
//   - Every operation has an OpDef. An operation of a dialect nobody declared gets one with Unregistered
//     set and is kept in its generic form.
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
//	once.go                      walks over operands that visit each value once
//	refuse.go                    the refusal of an operation, with its place
//
// Text:
//
//	text.go                      Parse, Print and their options
//	lexer.go, parser.go          tokens; Parser
//	parse_op.go                  reading operations
//	parse_region.go              reading regions, blocks and modules
//	parse_scope.go               names of values and their scopes
//	parse_type.go                reading types
//	parse_attr.go                reading attributes
//	parse_dense.go               reading dense attributes
//	parse_affine.go              reading affine maps
//	parse_loc.go                 reading locations
//	parse_alias.go               aliases, which may be used before their definition
//	printer.go                   Printer
//	print_op.go                  writing operations
//	print_names.go               names of values
//	generic_form.go              what only the generic form shows of an operation
//	print_type.go                writing types
//	print_attr.go                writing attributes
//	print_float.go               writing floats with MLIR's digits
//	print_alias.go               the types, attributes and locations that get an alias
//	format.go                    an OpDef's Format, compiled to a tree
//	format_parse.go              reading by a Format; format_types.go the types that the text leaves out
//	format_print.go              writing by a Format
package ir
