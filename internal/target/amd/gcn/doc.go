// Package gcn reads code objects for AMD's GPUs and decodes their instructions.
//
// What comes in is a hsaco, an ELF file; what goes out is an Object: its kernels with their descriptors,
// arguments and lines, and instructions whose operands are named by the fields of their encodings. Nothing is
// executed here. A damaged file is an error, never a panic.
//
// Instructions are rows of ops.txt, a table with a column for each processor, which TestTable makes from
// LLVM's disassembler: name, encoding, opcode, operands with their sizes. Decoder and text read the rows; the
// fields of an encoding are listed in encoding.go. The text of an instruction is LLVM's.
//
// The files:
//
//	hsaco.go       code objects, kernels, lines; descriptor.go kernel descriptors, metadata.go the note
//	encoding.go    the encodings and their fields; encoding11.go those of RDNA 3
//	gcn.go         the table; rename.go the names of RDNA 3 in those of CDNA
//	decode.go      instructions and operands; dual.go two instructions in one
//	text.go        their text; modifiers.go what follows the operands, immediate.go numbers of 16 bits
package gcn
