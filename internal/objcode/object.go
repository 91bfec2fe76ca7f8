package objcode

import (
	"bytes"
	"debug/elf"
	"fmt"
	"strings"
)

// object is an object file, and where its sections go.
type object struct {
	arch     *arch
	sections []*section // by their index in the file; nil for sections that are not loaded
	symbols  []elf.Symbol
	relocs   []reloc

	slots map[uint32]uint64 // offset of the slot of a symbol that has one
	size  int               // bytes of memory that everything takes
	align uint64            // alignment that the memory needs
}

// section is a section that is loaded.
type section struct {
	data []byte
	at   uint64 // offset in memory
}

// reloc is a place in a section that depends on the address of a symbol.
type reloc struct {
	in     *section
	offset uint64
	kind   uint32
	symbol uint32
	addend int64
}

// slotSize is the size of a slot: a jump to an address that may be far away, and the address, which code that
// wants the address alone reads.
const slotSize = 16

// addressInSlot is the offset of the address in a slot.
const addressInSlot = 8

const maxSize = 256 << 20 // bytes of an object file's sections

// parse reads an object file and decides where its sections go.
func parse(obj []byte) (*object, error) {
	f, err := elf.NewFile(bytes.NewReader(obj))
	if err != nil {
		return nil, fmt.Errorf("this is no ELF object file: %w", err)
	}
	o := &object{arch: archs[f.Machine], slots: map[uint32]uint64{}, align: slotSize}
	switch {
	case f.Type != elf.ET_REL || f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB:
		return nil, fmt.Errorf("this is no ELF object file of 64 bits, but %v %v %v", f.Type, f.Class, f.Data)
	case o.arch == nil:
		return nil, fmt.Errorf("%w: code for %v", ErrUnsupported, f.Machine)
	}
	if o.symbols, err = f.Symbols(); err != nil {
		return nil, fmt.Errorf("the symbols of the object file: %w", err)
	}
	if err := o.place(f.Sections); err != nil {
		return nil, err
	}
	for _, s := range f.Sections {
		if err := o.relocations(s); err != nil {
			return nil, err
		}
	}
	return o, o.addSlots()
}

// place gives sections that are needed at run time their places.
func (o *object) place(list []*elf.Section) error {
	o.sections = make([]*section, len(list))
	for i, s := range list {
		if s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		written := s.Flags&elf.SHF_WRITE != 0 && !strings.HasPrefix(s.Name, ".data.rel.ro")
		if written && s.Size > 0 || s.Flags&elf.SHF_TLS != 0 || s.Flags&elf.SHF_COMPRESSED != 0 {
			return fmt.Errorf("%w: it has the section %s", ErrUnsupported, s.Name)
		}
		if s.Type == elf.SHT_NOBITS || s.Size > maxSize || s.Addralign > uint64(maxSize) {
			if s.Size == 0 {
				continue
			}
			return fmt.Errorf("%w: the section %s has %d bytes", ErrUnsupported, s.Name, s.Size)
		}
		data, err := s.Data()
		if err != nil {
			return fmt.Errorf("the section %s: %w", s.Name, err)
		}
		at := o.reserve(len(data), max(1, s.Addralign))
		o.sections[i] = &section{data, at}
	}
	if o.size > maxSize {
		return fmt.Errorf("%w: it has %d bytes", ErrUnsupported, o.size)
	}
	return nil
}

// reserve takes memory and returns its offset.
func (o *object) reserve(size int, align uint64) uint64 {
	at := (uint64(o.size) + align - 1) / align * align
	o.size = int(at) + size
	o.align = max(o.align, align)
	return at
}

// relocations reads the relocations of a section that is loaded.
func (o *object) relocations(s *elf.Section) error {
	const entry = 24 // bytes of elf.Rela64
	if s.Type != elf.SHT_RELA && s.Type != elf.SHT_REL || int(s.Info) >= len(o.sections) {
		return nil
	}
	in := o.sections[s.Info]
	if in == nil {
		return nil
	}
	if s.Type == elf.SHT_REL {
		return fmt.Errorf("%w: relocations without addends in %s", ErrUnsupported, s.Name)
	}
	data, err := s.Data()
	if err != nil {
		return fmt.Errorf("the section %s: %w", s.Name, err)
	}
	for ; len(data) >= entry; data = data[entry:] {
		info := little.Uint64(data[8:])
		o.relocs = append(o.relocs, reloc{in: in, offset: little.Uint64(data), kind: uint32(info),
			symbol: uint32(info >> 32), addend: int64(little.Uint64(data[16:]))})
	}
	return nil
}

// addSlots gives a slot to each symbol that is not in this file, and to each whose address is read from one.
func (o *object) addSlots() error {
	for i := range o.relocs {
		r := &o.relocs[i]
		how, ok := o.arch.relocs[r.kind]
		if !ok {
			return fmt.Errorf("%w: it has relocations of kind %d for %s", ErrUnsupported, r.kind,
				o.arch.goarch)
		}
		if r.offset > uint64(len(r.in.data)) || uint64(how.size) > uint64(len(r.in.data))-r.offset {
			return fmt.Errorf("a relocation at %#x of a section of %d bytes", r.offset, len(r.in.data))
		}
		sym, err := o.symbol(r.symbol)
		if err != nil {
			return err
		}
		if _, has := o.slots[r.symbol]; !has && (how.slot || sym != nil && sym.Section == elf.SHN_UNDEF) {
			o.slots[r.symbol] = o.reserve(slotSize, slotSize)
		}
	}
	return nil
}

// symbol returns the symbol of a number; 0 means none.
func (o *object) symbol(n uint32) (*elf.Symbol, error) {
	switch {
	case n == 0:
		return nil, nil
	case int64(n) > int64(len(o.symbols)):
		return nil, fmt.Errorf("a relocation to the symbol %d of %d", n, len(o.symbols))
	}
	return &o.symbols[n-1], nil
}

// link writes the linked file into memory that will be at base, and returns the address of the entry. find
// returns the addresses of symbols that are not in the file.
func (o *object) link(mem []byte, base uint64, entry string, find func(string) (uint64, error)) (uint64,
	error) {
	for _, s := range o.sections {
		if s != nil {
			copy(mem[s.at:], s.data)
		}
	}
	addresses := make([]uint64, len(o.symbols)+1)
	for i := range o.symbols {
		a, err := o.address(uint32(i+1), base, find)
		if err != nil {
			return 0, err
		}
		addresses[i+1] = a
	}
	for n, at := range o.slots {
		copy(mem[at:], o.arch.jump)
		little.PutUint64(mem[at+addressInSlot:], addresses[n])
	}
	for i := range o.relocs {
		if err := o.apply(&o.relocs[i], mem, base, addresses); err != nil {
			return 0, err
		}
	}
	for i := range o.symbols {
		if s := &o.symbols[i]; s.Name == entry && elf.ST_TYPE(s.Info) == elf.STT_FUNC &&
			s.Section != elf.SHN_UNDEF {
			return addresses[i+1], nil
		}
	}
	return 0, fmt.Errorf("the object file has no function %s", entry)
}

// address returns the address of a symbol, or 0 for one that nothing loaded refers to.
func (o *object) address(n uint32, base uint64, find func(string) (uint64, error)) (uint64, error) {
	s := &o.symbols[n-1]
	switch {
	case s.Section == elf.SHN_ABS:
		return s.Value, nil
	case s.Section == elf.SHN_UNDEF:
		if _, used := o.slots[n]; !used {
			return 0, nil
		}
		a, err := find(s.Name)
		if err != nil {
			return 0, fmt.Errorf("nobody defines %s, which the code calls: %w", s.Name, err)
		}
		return a, nil
	case int(s.Section) >= len(o.sections): // common symbols and the like
		return 0, fmt.Errorf("%w: the symbol %s is %v", ErrUnsupported, s.Name, s.Section)
	}
	in := o.sections[s.Section]
	if in == nil {
		return 0, nil
	}
	if s.Value > uint64(len(in.data)) {
		return 0, fmt.Errorf("the symbol %s lies behind its section", s.Name)
	}
	return base + in.at + s.Value, nil
}

// apply writes what a relocation asks for.
func (o *object) apply(r *reloc, mem []byte, base uint64, addresses []uint64) error {
	how := o.arch.relocs[r.kind]
	place := r.in.at + r.offset
	to := addresses[r.symbol]
	slot, has := o.slots[r.symbol]
	if how.slot {
		to = base + slot + addressInSlot
	}
	p := mem[place : place+uint64(how.size)]
	err := how.write(p, to+uint64(r.addend), base+place)
	if err != nil && how.call && has { // too far away: jump from nearby
		err = how.write(p, base+slot+uint64(r.addend), base+place)
	}
	if err != nil {
		name := "a section"
		if s, _ := o.symbol(r.symbol); s != nil && s.Name != "" {
			name = s.Name
		}
		return fmt.Errorf("%w: a reference to %s: %w", ErrUnsupported, name, err)
	}
	return nil
}
