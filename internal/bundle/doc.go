// Package bundle reads and writes bundles: files of kernels compiled ahead of time, each a variant of a
// kernel for one target.
//
// What goes in is a list of entries with their parts (machine code, PTX, a description for launches). What
// comes out is a file whose index is read without touching the parts. A part is read, checked and unpacked
// when somebody asks for it.
//
//	magic     "nereid bundle 1\n"
//	8 bytes   length of the index, little endian
//	32 bytes  SHA-256 of the index
//	index     texts, blobs (sizes, checksums), entries (references to texts and blobs)
//	blobs     one after the other, in the order of the index, nothing behind them
//
// Always true: the same entries give the same bytes, in whatever order they were added. Entries with equal
// parts share a blob. Bad input is an error, never a panic, and every size is held against the bytes that are
// there before memory is taken for it. Checksums find damage, not forgery: a bundle is native code, and
// whoever writes it is trusted.
//
//	entry.go   entries, and their rules
//	write.go   Writer
//	file.go    File: opening, reading parts
//	index.go   the index ↔ bytes
//	saved.go   compiled kernels ↔ entries
//	certificate.go  how an entry's code was compared with its source
package bundle
