package hsaco

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

var le = binary.LittleEndian

// index returns the number of a section in the result; section 0 is empty.
func (l *linker) index(s *section) int {
	for i, o := range l.out {
		if o == s {
			return i + 1
		}
	}
	return 0
}

// fillDynamic writes the tables by which a loader finds symbols.
func (l *linker) fillDynamic() {
	syms, names := l.exported(), []byte{0}
	table := make([]byte, symSize)
	for _, s := range syms {
		home := l.of[int(s.Section)]
		table = appendSymbol(table, elf.Sym64{
			Name: uint32(len(names)), Info: s.Info, Other: s.Other, Shndx: uint16(l.index(home)),
			Value: home.addr + s.Value, Size: s.Size,
		})
		names = append(append(names, s.Name...), 0)
	}
	dynsym, dynstr, hash := l.extra[".dynsym"], l.extra[".dynstr"], l.extra[".hash"]
	copy(dynsym.data, table)
	copy(dynstr.data, names)
	dynsym.link, dynsym.info = l.index(dynstr), 1 // the first symbol that is not local
	hash.link = l.index(dynsym)
	// one bucket: the symbols form a chain
	n := uint32(len(syms) + 1)
	words := []uint32{1, n, n - 1}
	for i := range n {
		words = append(words, max(i, 1)-1)
	}
	for i, w := range words {
		le.PutUint32(hash.data[4*i:], w)
	}
	dynamic := l.extra[".dynamic"]
	dynamic.link = l.index(dynstr)
	for i, e := range []struct {
		tag   elf.DynTag
		value uint64
	}{
		{elf.DT_HASH, hash.addr}, {elf.DT_SYMTAB, dynsym.addr}, {elf.DT_SYMENT, symSize},
		{elf.DT_STRTAB, dynstr.addr}, {elf.DT_STRSZ, uint64(len(dynstr.data))}, {elf.DT_NULL, 0},
	} {
		le.PutUint64(dynamic.data[16*i:], uint64(e.tag))
		le.PutUint64(dynamic.data[16*i+8:], e.value)
	}
}

func appendSymbol(b []byte, s elf.Sym64) []byte {
	b = le.AppendUint32(b, s.Name)
	b = append(b, s.Info, s.Other)
	b = le.AppendUint16(b, s.Shndx)
	b = le.AppendUint64(b, s.Value)
	return le.AppendUint64(b, s.Size)
}

// programHeaders returns the segments.
func (l *linker) programHeaders() (out []elf.Prog64) {
	add := func(typ elf.ProgType, flags elf.ProgFlag, align uint64, has func(*section) bool) {
		p := elf.Prog64{Type: uint32(typ), Flags: uint32(flags), Align: align}
		for _, s := range l.out {
			if !has(s) {
				continue
			}
			if p.Filesz == 0 {
				p.Off, p.Vaddr, p.Paddr = s.off, s.addr, s.addr
			}
			p.Filesz = s.off + uint64(len(s.data)) - p.Off
		}
		p.Memsz = p.Filesz
		if p.Filesz > 0 {
			out = append(out, p)
		}
	}
	ofClass := func(c int) func(*section) bool { return func(s *section) bool { return s.class() == c } }
	add(elf.PT_LOAD, elf.PF_R, page, ofClass(readOnly))
	add(elf.PT_LOAD, elf.PF_R|elf.PF_X, page, ofClass(executable))
	add(elf.PT_LOAD, elf.PF_R|elf.PF_W, page, ofClass(writable))
	add(elf.PT_DYNAMIC, elf.PF_R|elf.PF_W, 8, func(s *section) bool { return s == l.extra[".dynamic"] })
	add(elf.PT_NOTE, elf.PF_R, 4, func(s *section) bool { return s.typ == elf.SHT_NOTE })
	if len(out) > 0 && out[0].Flags == uint32(elf.PF_R) { // the first segment has the headers, too
		out[0].Filesz, out[0].Memsz = out[0].Filesz+out[0].Off, out[0].Memsz+out[0].Off
		out[0].Off, out[0].Vaddr, out[0].Paddr = 0, 0, 0
	}
	return append(out, elf.Prog64{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(elf.PF_R | elf.PF_W)})
}

// write returns the file. It has the flags and the ABI version of the object.
func (l *linker) write(object []byte) []byte {
	names := []byte{0}
	starts := make([]uint32, len(l.out)+1)
	for i, s := range append(l.out, &section{name: ".shstrtab"}) {
		starts[i] = uint32(len(names))
		names = append(append(names, s.name...), 0)
	}
	end := uint64(fileHead)
	for _, s := range l.out {
		end = max(end, s.off+uint64(len(s.data)))
	}
	strs := &section{name: ".shstrtab", typ: elf.SHT_STRTAB, data: names, off: end, align: 1}
	table := (end + uint64(len(names)) + 7) / 8 * 8
	file := make([]byte, table)
	for _, s := range append(l.out[:len(l.out):len(l.out)], strs) {
		copy(file[s.off:], s.data)
	}
	progs := l.programHeaders()
	var heads bytes.Buffer
	head := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_AMDGPU), Version: uint32(elf.EV_CURRENT),
		Phoff: fileHead, Shoff: table, Flags: le.Uint32(object[48:]), Ehsize: fileHead, Phentsize: progHead,
		Phnum: uint16(len(progs)), Shentsize: secHead, Shnum: uint16(len(l.out) + 2),
		Shstrndx: uint16(len(l.out) + 1),
	}
	copy(head.Ident[:], object[:16])
	binary.Write(&heads, le, head)
	binary.Write(&heads, le, progs)
	copy(file, heads.Bytes())

	var secs bytes.Buffer
	binary.Write(&secs, le, elf.Section64{})
	for i, s := range append(l.out[:len(l.out):len(l.out)], strs) {
		binary.Write(&secs, le, elf.Section64{
			Name: starts[i], Type: uint32(s.typ), Flags: uint64(s.flags), Addr: s.addr, Off: s.off,
			Size: uint64(len(s.data)), Link: uint32(s.link), Info: s.info, Addralign: s.align,
			Entsize: s.entry,
		})
	}
	return append(file, secs.Bytes()...)
}
