package cform

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// rename returns an object file in which the function from is called to. Objects of several variants can then
// be linked into one program or library. The new name is put behind the file's end, in a copy of the table of
// strings.
func rename(obj []byte, from, to string) ([]byte, error) {
	f, err := elf.NewFile(bytes.NewReader(obj))
	if err != nil {
		return nil, err
	}
	if f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || f.Type != elf.ET_REL {
		return nil, fmt.Errorf("expected an ELF object file of 64 bits, little endian")
	}
	var symtab *elf.Section
	for _, s := range f.Sections {
		if s.Type == elf.SHT_SYMTAB {
			symtab = s
		}
	}
	if symtab == nil || int(symtab.Link) >= len(f.Sections) {
		return nil, fmt.Errorf("the object file has no table of symbols")
	}
	names := f.Sections[symtab.Link]
	table, err := names.Data()
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(obj)
	at := symbolAt(out, symtab, table, from)
	if at < 0 {
		return nil, fmt.Errorf("the object file has no symbol %s", from)
	}
	le := binary.LittleEndian
	le.PutUint32(out[at:], uint32(len(table)))      // st_name
	out[at+5] = out[at+5]&^3 | byte(elf.STV_HIDDEN) // st_other: a shared library does not export it
	header := int(le.Uint64(out[0x28:])) + int(symtab.Link)*int(le.Uint16(out[0x3a:]))
	le.PutUint64(out[header+0x18:], uint64(len(out)))             // sh_offset
	le.PutUint64(out[header+0x20:], uint64(len(table)+len(to)+1)) // sh_size
	out = append(out, table...)
	return append(append(out, to...), 0), nil
}

// symbolAt returns the place of a symbol in the file, or -1.
func symbolAt(obj []byte, symtab *elf.Section, names []byte, name string) int {
	const entry = 24
	for at := symtab.Offset; at+entry <= symtab.Offset+symtab.Size &&
		at+entry <= uint64(len(obj)); at += entry {
		n := binary.LittleEndian.Uint32(obj[at:])
		if n >= uint32(len(names)) {
			continue
		}
		text, _, _ := bytes.Cut(names[n:], []byte{0})
		if string(text) == name {
			return int(at)
		}
	}
	return -1
}
