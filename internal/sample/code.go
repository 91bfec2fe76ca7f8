package sample

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"io"
	"slices"
	"sync"
)

// Place is a line of a kernel.
type Place struct {
	Kernel string // symbol of the native function
	File   string // "" if the code has no line there
	Line   int
}

// span is a piece of code that comes from one line.
type span struct {
	start, end uint64
	Place
}

// known are the spans of all code, by address; those of code that was loaded last win.
var known struct {
	sync.RWMutex
	loaded [][]span
}

// Add tells of code: an object file whose function entry lies at an address. Only functions of its section
// count.
func Add(obj []byte, entry string, at uint64) error {
	list, err := spans(obj, entry, at)
	if err != nil {
		return err
	}
	known.Lock()
	defer known.Unlock()
	known.loaded = append(known.loaded, list)
	return nil
}

// At returns the line that the instruction at an address comes from.
func At(pc uint64) (Place, bool) {
	known.RLock()
	defer known.RUnlock()
	for _, list := range slices.Backward(known.loaded) {
		i, exact := slices.BinarySearchFunc(list, pc, func(s span, pc uint64) int {
			return cmp.Compare(s.start, pc)
		})
		if !exact {
			i--
		}
		if i >= 0 && pc < list[i].end {
			return list[i].Place, true
		}
	}
	return Place{}, false
}

// spans returns the pieces of an object file's code.
func spans(obj []byte, entry string, at uint64) (list []span, err error) {
	f, err := elf.NewFile(bytes.NewReader(obj))
	if err != nil {
		return nil, err
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == entry })
	if i < 0 {
		return nil, errors.New("there is no function " + entry)
	}
	first := symbols[i]
	rows, err := lineTable(f)
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section != first.Section {
			continue
		}
		end := s.Value + s.Size
		now := span{start: s.Value, Place: Place{Kernel: s.Name}}
		for _, r := range rows {
			if r.Address >= end || r.Address < s.Value {
				continue
			}
			if now.end = r.Address; now.end > now.start {
				list = append(list, now)
			}
			now = span{start: r.Address, Place: Place{s.Name, r.File.Name, r.Line}}
		}
		now.end = end
		list = append(list, now)
	}
	for i := range list {
		list[i].start += at - first.Value
		list[i].end += at - first.Value
	}
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return list, nil
}

// lineTable returns where lines begin, by address.
func lineTable(f *elf.File) (rows []dwarf.LineEntry, err error) {
	d, err := f.DWARF()
	if err != nil {
		return nil, err
	}
	r := d.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			break
		}
		r.SkipChildren()
		lines, err := d.LineReader(e)
		if err != nil || lines == nil {
			continue
		}
		var row dwarf.LineEntry
		for err = lines.Next(&row); err == nil; err = lines.Next(&row) {
			if !row.EndSequence && row.File != nil {
				rows = append(rows, row)
			}
		}
		if !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	slices.SortStableFunc(rows, func(a, b dwarf.LineEntry) int { return cmp.Compare(a.Address, b.Address) })
	return rows, nil
}
