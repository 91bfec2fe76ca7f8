package gcn

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Object is a code object: an ELF file for AMD's GPUs (hsaco).
type Object struct {
	Processor string // gfx942
	Kernels   []*Kernel
	Segments  []Segment
	lines     []line // sorted by address
}

// Segment is a part of the file that is loaded.
type Segment struct {
	Addr uint64
	Data []byte
	Code bool // it is executable
}

// Kernel is a kernel of a code object.
type Kernel struct {
	Name       string
	Entry      uint64 // address of its first instruction
	Code       []byte // from there to the end of its symbol
	Descriptor Descriptor
	Args       []KernelArg
	Kernarg    int // bytes of the arguments
	LDS        int // bytes, without those that a launch adds
	Scratch    int // bytes of a lane
	SGPRs      int
	VGPRs      int
	AGPRs      int
	SGPRSpills int
	VGPRSpills int
	Wave       int // lanes of a wave
	MaxThreads int
}

// KernelArg is an argument of a kernel in its segment of arguments.
type KernelArg struct {
	Name         string
	Offset, Size int
	Kind         string // by_value, global_buffer, hidden_block_count_x …
}

// Place is a place in a kernel's source.
type Place struct {
	File         string
	Line, Column int
}

type line struct {
	addr uint64
	end  bool // no line from here on
	Place
}

// machine is the number of AMD's GPUs in ELF headers.
const machine = 224

// processorFlags are the numbers of processors in ELF headers (EF_AMDGPU_MACH).
var processorFlags = map[uint32]string{0x3f: "gfx90a", 0x4c: "gfx942", 0x41: "gfx1100", 0x4e: "gfx1201",
	0x4f: "gfx950"}

var errNoCode = errors.New("not a code object for an AMD GPU")

// Read reads a code object.
func Read(data []byte) (*Object, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("code object: %w", err)
	}
	if f.Machine != machine || len(data) < 52 || f.Class != elf.ELFCLASS64 {
		return nil, errNoCode
	}
	flags := binary.LittleEndian.Uint32(data[48:]) & 0xff
	o := &Object{Processor: processorFlags[flags]}
	if o.Processor == "" {
		return nil, fmt.Errorf("code object: unknown processor %#x", flags)
	}
	if err := o.load(f); err != nil {
		return nil, fmt.Errorf("code object: %w", err)
	}
	return o, nil
}

// maxLoad bounds the bytes of a segment.
const maxLoad = 1 << 28

func (o *Object) load(f *elf.File) error {
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		if p.Memsz > maxLoad || p.Filesz > p.Memsz {
			return fmt.Errorf("a segment of %d bytes", p.Memsz)
		}
		data := make([]byte, p.Memsz)
		if _, err := p.ReadAt(data[:p.Filesz], 0); err != nil {
			return err
		}
		o.Segments = append(o.Segments, Segment{p.Vaddr, data, p.Flags&elf.PF_X != 0})
	}
	if err := o.kernels(f); err != nil {
		return err
	}
	return o.readLines(f)
}

// kernels finds the kernels that the note lists.
func (o *Object) kernels(f *elf.File) error {
	meta, err := metadata(f)
	if err != nil {
		return err
	}
	syms, err := f.Symbols()
	if err != nil {
		if syms, err = f.DynamicSymbols(); err != nil {
			return err
		}
	}
	for _, m := range meta.list("amdhsa.kernels") {
		k := kernelOf(m)
		d, ok := symbol(syms, m.text(".symbol"))
		if !ok {
			return fmt.Errorf("kernel %s has no descriptor", k.Name)
		}
		raw := o.Bytes(d.Value, descriptorSize)
		if raw == nil {
			return fmt.Errorf("the descriptor of kernel %s lies outside of the file", k.Name)
		}
		k.Descriptor = descriptorOf(raw)
		k.Entry = d.Value + uint64(k.Descriptor.Entry)
		k.Code = o.Bytes(k.Entry, 4)
		if s, ok := symbol(syms, k.Name); ok && s.Value == k.Entry {
			k.Code = o.Bytes(k.Entry, int(min(s.Size, maxLoad)))
		}
		if k.Code == nil {
			return fmt.Errorf("the code of kernel %s lies outside of the file", k.Name)
		}
		o.Kernels = append(o.Kernels, k)
	}
	return nil
}

func symbol(syms []elf.Symbol, name string) (elf.Symbol, bool) {
	i := slices.IndexFunc(syms, func(s elf.Symbol) bool { return s.Name == name })
	if i < 0 {
		return elf.Symbol{}, false
	}
	return syms[i], true
}

// Bytes returns n bytes from an address on, nil where the object does not have them.
func (o *Object) Bytes(addr uint64, n int) []byte {
	for _, s := range o.Segments {
		if off := addr - s.Addr; addr >= s.Addr && off <= uint64(len(s.Data)) && n <= len(s.Data)-int(off) {
			return s.Data[off:][:n]
		}
	}
	return nil
}

// Kernel returns the kernel of a name.
func (o *Object) Kernel(name string) (*Kernel, error) {
	var have []string
	for _, k := range o.Kernels {
		if k.Name == name {
			return k, nil
		}
		have = append(have, k.Name)
	}
	return nil, fmt.Errorf("no kernel %q in the code object: it has %s", name, strings.Join(have, ", "))
}

// readLines reads the line table where there is one.
func (o *Object) readLines(f *elf.File) error {
	d, err := f.DWARF()
	if err != nil {
		return nil // a stripped file
	}
	r := d.Reader()
	for {
		unit, err := r.Next()
		if err != nil || unit == nil {
			break
		}
		if unit.Tag == dwarf.TagCompileUnit {
			o.unitLines(d, unit)
		}
		r.SkipChildren()
	}
	slices.SortStableFunc(o.lines, func(a, b line) int {
		switch {
		case a.addr < b.addr:
			return -1
		case a.addr > b.addr:
			return 1
		}
		return 0
	})
	return nil
}

func (o *Object) unitLines(d *dwarf.Data, unit *dwarf.Entry) {
	lr, err := d.LineReader(unit)
	if err != nil || lr == nil {
		return
	}
	for {
		var e dwarf.LineEntry
		if lr.Next(&e) != nil {
			return
		}
		p := Place{Line: e.Line, Column: e.Column}
		if e.File != nil {
			p.File = e.File.Name
		}
		o.lines = append(o.lines, line{e.Address, e.EndSequence, p})
	}
}

// Place returns the place in the source that an instruction was made from; its line is 0 where none is known.
func (o *Object) Place(addr uint64) Place {
	i, exact := slices.BinarySearchFunc(o.lines, addr, func(l line, a uint64) int {
		switch {
		case l.addr < a:
			return -1
		case l.addr > a:
			return 1
		}
		return 0
	})
	for exact && i+1 < len(o.lines) && o.lines[i+1].addr == addr {
		i++
	}
	if !exact {
		i--
	}
	for ; i >= 0 && !o.lines[i].end; i-- {
		if o.lines[i].Line > 0 { // line 0 is code of no line: that before it
			return o.lines[i].Place
		}
	}
	return Place{}
}
