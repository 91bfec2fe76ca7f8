// Command winprng writes bcryptprimitives.dll, from which Go's runtime on Windows takes random bytes and
// which wine before 9 does not have. The library has no code: ProcessPrng leads to SystemFunction036 of
// advapi32.
//
//	go run ./scripts/winprng DRIVE_C/windows/system32/bcryptprimitives.dll
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
)

// The library's only section, with the table of exports.
const (
	rva       = 0x1000 // in memory
	fileAlign = 0x200  // in the file, behind the headers; its size there, too
	pageAlign = 0x1000
	imageBase = 0x6bcd0000 // there are no relocations: an address that nobody else has
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "winprng: name the file to write: winprng .../system32/bcryptprimitives.dll")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], library(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "winprng:", err)
		os.Exit(1)
	}
}

// library returns the file: the headers, and the section, each padded to fileAlign.
func library() []byte {
	edata := exports()
	b := headers(len(edata))
	b = append(b, make([]byte, fileAlign-len(b))...)
	b = append(b, edata...)
	return append(b, make([]byte, 2*fileAlign-len(b))...)
}

// headers returns the headers of DOS, of PE, and of the section of size bytes.
func headers(size int) []byte {
	var b bytes.Buffer
	put := func(words ...any) {
		for _, w := range words {
			binary.Write(&b, binary.LittleEndian, w) // a bytes.Buffer takes everything
		}
	}
	b.WriteString("MZ")
	b.Write(make([]byte, 58))
	put(uint32(64)) // where the header of PE begins
	b.WriteString("PE\x00\x00")
	const amd64, library = 0x8664, 0x2022
	put(uint16(amd64), uint16(1), [3]uint32{}, uint16(112+16*8), uint16(library))

	const plus, windowsConsole = 0x20b, 3
	put(uint16(plus), uint16(0), uint32(0), uint32(fileAlign), [3]uint32{}, uint64(imageBase))
	put(uint32(pageAlign), uint32(fileAlign), [4]uint16{6}, [2]uint16{6}, uint32(0))
	put(uint32(rva+pageAlign), uint32(fileAlign), uint32(0), uint16(windowsConsole), uint16(0))
	put([4]uint64{1 << 20, 1 << 12, 1 << 20, 1 << 12}, uint32(0), uint32(16))
	put(uint32(rva), uint32(size), [30]uint32{}) // the exports come first of the 16 tables

	const initializedAndRead = 0x40000040
	put([8]byte{'.', 'e', 'd', 'a', 't', 'a'}, uint32(size), uint32(rva), uint32(fileAlign),
		uint32(fileAlign))
	put([3]uint32{}, uint32(initializedAndRead))
	return b.Bytes()
}

// exports returns the table of exports. The address of a function that lies within the table is the text
// LIBRARY.NAME of the one that it leads to.
func exports() []byte {
	const table, addresses, names, ordinals, texts = 0, 40, 44, 48, 52
	b := make([]byte, texts)
	text := func(s string) uint32 {
		at := rva + len(b)
		b = append(append(b, s...), 0)
		return uint32(at)
	}
	word := func(at int, w uint32) { binary.LittleEndian.PutUint32(b[at:], w) }
	word(table+12, text("bcryptprimitives.dll"))
	word(table+16, 1) // the first ordinal
	word(table+20, 1) // functions
	word(table+24, 1) // names
	word(table+28, rva+addresses)
	word(table+32, rva+names)
	word(table+36, rva+ordinals)
	word(addresses, text("advapi32.SystemFunction036"))
	word(names, text("ProcessPrng"))
	return b
}
