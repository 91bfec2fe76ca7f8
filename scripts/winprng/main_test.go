package main

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"testing"
)

// TestLibrary reads the file as Windows does: from the table of exports to the name and to what it leads to.
func TestLibrary(t *testing.T) {
	f, err := pe.NewFile(bytes.NewReader(library()))
	if err != nil {
		t.Fatal(err)
	}
	h := f.OptionalHeader.(*pe.OptionalHeader64)
	dir := h.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_EXPORT]
	s := f.Sections[0]
	data, err := s.Data()
	if err != nil || f.Machine != pe.IMAGE_FILE_MACHINE_AMD64 || dir.VirtualAddress != s.VirtualAddress {
		t.Fatal(err, f.Machine, dir, s.VirtualAddress)
	}
	at := func(off uint32) uint32 { return binary.LittleEndian.Uint32(data[off:]) }
	text := func(rva uint32) string {
		b, _, _ := bytes.Cut(data[rva-s.VirtualAddress:], []byte{0})
		return string(b)
	}
	name, function := text(at(at(32)-s.VirtualAddress)), at(at(28)-s.VirtualAddress)
	if name != "ProcessPrng" || text(function) != "advapi32.SystemFunction036" {
		t.Errorf("%s leads to %s", name, text(function))
	}
	if end := dir.VirtualAddress + dir.Size; function < dir.VirtualAddress || function >= end {
		t.Errorf("%#x lies outside of the table, and is code to Windows", function)
	}
}
