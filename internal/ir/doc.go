// Package ir is the compiler's intermediate representation: operations with operands, results, attributes, regions and
// locations, as in MLIR, and MLIR's text in both directions.
//
// What comes in is text (Parse) or calls of a Builder; what goes out is text (Print) or whatever a pass makes of it.
// What always holds:
//
//   - Types, attributes and locations are immutable and interned for the whole process: equality is identity (==).
//   - Every operation has an OpDef. An operation of a dialect nobody declared gets one with Unregistered set and is kept in its
//     generic form.
//   - Use lists are exact: v.Uses() yields each operand slot that holds v, and nothing else.
//   - An operation is in at most one block, a block in at most one region, a region in at most one operation.
//
// Dialects are packages of tables (internal/dialect/...): declaring an OpDef is also registering it.
package ir
