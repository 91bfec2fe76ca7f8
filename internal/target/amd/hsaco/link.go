// Package hsaco links an object file of LLVM's AMDGPU target to a shared object that AMD's runtime loads: one
// object, few kinds of relocations, no libraries.
package hsaco

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
)

// Relocations of the AMDGPU ABI.
const (
	relAbs32Lo = 1
	relAbs32Hi = 2
	relAbs64   = 3
	relRel32   = 4
	relRel64   = 5
	relAbs32   = 6
	relRel32Lo = 10
	relRel32Hi = 11
)

// maxSection bounds the sections of an object: code of gigabytes does not run.
const maxSection = 1 << 30

const (
	page     = 0x1000
	fileHead = 64 // bytes of an ELF header
	progHead = 56 // bytes of a program header
	secHead  = 64 // bytes of a section header
	symSize  = 24 // bytes of a symbol
)

// section is a section of the result.
type section struct {
	name  string
	typ   elf.SectionType
	flags elf.SectionFlag
	data  []byte
	addr  uint64 // in memory, and for what is loaded also in the file
	off   uint64
	align uint64
	link  int // indices of other sections of the result
	info  uint32
	entry uint64
}

// linker is the state of a link.
type linker struct {
	in    *elf.File
	syms  []elf.Symbol
	out   []*section
	of    map[int]*section // by the object's section index
	extra map[string]*section
}

// Link returns the shared object of an object file.
func Link(object []byte) ([]byte, error) {
	in, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return nil, fmt.Errorf("hsaco: %w", err)
	}
	if in.Class != elf.ELFCLASS64 || in.Type != elf.ET_REL || in.Machine != elf.EM_AMDGPU {
		return nil, fmt.Errorf("hsaco: expected an object file for AMDGPU, found %v %v for %v", in.Class,
			in.Type, in.Machine)
	}
	l := &linker{in: in, of: map[int]*section{}, extra: map[string]*section{}}
	if l.syms, err = in.Symbols(); err != nil {
		return nil, fmt.Errorf("hsaco: %w", err)
	}
	if err := l.take(); err != nil {
		return nil, err
	}
	l.addDynamic()
	l.place()
	if err := l.relocate(); err != nil {
		return nil, err
	}
	l.fillDynamic()
	return l.write(object), nil
}

// take copies the object's sections: what is loaded, and what debuggers read.
func (l *linker) take() error {
	for i, s := range l.in.Sections {
		keep := s.Type == elf.SHT_PROGBITS || s.Type == elf.SHT_NOTE || s.Type == elf.SHT_NOBITS
		if !keep || s.Size == 0 || s.Name == ".note.GNU-stack" || s.Name == ".llvm_addrsig" {
			continue
		}
		if a := s.Addralign; a > page || a&(a-1) != 0 || s.Size > maxSection {
			return fmt.Errorf("hsaco: section %s has %d bytes, aligned to %d", s.Name, s.Size, a)
		}
		data := make([]byte, s.Size)
		if s.Type != elf.SHT_NOBITS {
			var err error
			if data, err = s.Data(); err != nil {
				return fmt.Errorf("hsaco: section %s: %w", s.Name, err)
			}
		}
		o := &section{name: s.Name, typ: s.Type, flags: s.Flags, data: data, align: max(1, s.Addralign)}
		if s.Type == elf.SHT_NOBITS {
			o.typ = elf.SHT_PROGBITS
		}
		l.of[i] = o
		l.out = append(l.out, o)
	}
	return nil
}

// exported returns the symbols that the runtime looks up: kernels and their descriptors.
func (l *linker) exported() (out []elf.Symbol) {
	for _, s := range l.syms {
		global := elf.ST_BIND(s.Info) != elf.STB_LOCAL
		visible := elf.ST_VISIBILITY(s.Other) != elf.STV_HIDDEN &&
			elf.ST_VISIBILITY(s.Other) != elf.STV_INTERNAL
		if global && visible && l.of[int(s.Section)] != nil {
			out = append(out, s)
		}
	}
	return out
}

// addDynamic adds the sections by which a loader finds symbols, as large as they will be.
func (l *linker) addDynamic() {
	n := len(l.exported()) + 1
	names := 1
	for _, s := range l.exported() {
		names += len(s.Name) + 1
	}
	add := func(name string, typ elf.SectionType, flags elf.SectionFlag, size int, entry uint64) {
		s := &section{name: name, typ: typ, flags: flags | elf.SHF_ALLOC, data: make([]byte, size), align: 8,
			entry: entry}
		l.extra[name] = s
		l.out = append(l.out, s)
	}
	add(".dynsym", elf.SHT_DYNSYM, 0, n*symSize, symSize)
	add(".hash", elf.SHT_HASH, 0, 4*(2+1+n), 4)
	add(".dynstr", elf.SHT_STRTAB, 0, names, 0)
	add(".dynamic", elf.SHT_DYNAMIC, elf.SHF_WRITE, 16*6, 16)
}

// class sorts sections into segments: read, execute, write, and what is not loaded.
func (s *section) class() int {
	switch {
	case s.flags&elf.SHF_ALLOC == 0:
		return notLoaded
	case s.flags&elf.SHF_EXECINSTR != 0:
		return executable
	case s.flags&elf.SHF_WRITE != 0:
		return writable
	}
	return readOnly
}

const (
	readOnly = iota
	executable
	writable
	notLoaded
)

// place gives sections their places in memory and in the file, which agree but for whole pages between
// segments.
func (l *linker) place() {
	slices.SortStableFunc(l.out, func(a, b *section) int { return a.class() - b.class() })
	off := uint64(fileHead + 8*progHead)
	addr, last := off, readOnly
	for _, s := range l.out {
		if c := s.class(); c != last {
			last = c
			if c != notLoaded {
				addr = (addr+page-1)/page*page + off%page // a page has one protection
			}
		}
		pad := (s.align - off%s.align) % s.align
		off, addr = off+pad, addr+pad
		s.off = off
		if s.class() != notLoaded {
			s.addr = addr
		}
		off, addr = off+uint64(len(s.data)), addr+uint64(len(s.data))
	}
}

// relocate writes addresses into the sections' data.
func (l *linker) relocate() error {
	for _, r := range l.in.Sections {
		to := l.of[int(r.Info)]
		if r.Type != elf.SHT_RELA || to == nil {
			continue
		}
		data, err := r.Data()
		if err != nil {
			return fmt.Errorf("hsaco: %s: %w", r.Name, err)
		}
		for ; len(data) >= 24; data = data[24:] {
			rel := elf.Rela64{
				Off: binary.LittleEndian.Uint64(data), Info: binary.LittleEndian.Uint64(data[8:]),
				Addend: int64(binary.LittleEndian.Uint64(data[16:])),
			}
			if err := l.apply(to, rel); err != nil {
				return fmt.Errorf("hsaco: %s: %w", r.Name, err)
			}
		}
	}
	return nil
}

func (l *linker) apply(s *section, r elf.Rela64) error {
	target := uint64(r.Addend)
	if n := r.Info >> 32; n > 0 {
		if n > uint64(len(l.syms)) {
			return fmt.Errorf("there is no symbol %d", n)
		}
		sym := l.syms[n-1]
		home := l.of[int(sym.Section)]
		if home == nil {
			return fmt.Errorf("%s is not defined: link its library as LLVM bitcode (extern_libs)", sym.Name)
		}
		target += home.addr + sym.Value
	}
	place := s.addr + r.Off
	width, value := 4, uint64(0)
	switch kind := r.Info & 0xffffffff; kind {
	case relAbs32, relAbs32Lo:
		value = target
	case relAbs32Hi:
		value = target >> 32
	case relAbs64:
		width, value = 8, target
	case relRel32, relRel32Lo:
		value = target - place
	case relRel32Hi:
		value = (target - place) >> 32
	case relRel64:
		width, value = 8, target-place
	default:
		return fmt.Errorf("relocation %d at %#x is not supported", kind, r.Off)
	}
	if r.Off+uint64(width) > uint64(len(s.data)) {
		return fmt.Errorf("a relocation at %#x lies outside of %s", r.Off, s.name)
	}
	if width == 8 {
		binary.LittleEndian.PutUint64(s.data[r.Off:], value)
	} else {
		binary.LittleEndian.PutUint32(s.data[r.Off:], uint32(value))
	}
	return nil
}
