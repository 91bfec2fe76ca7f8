// Package safetensors reads and writes the container of that name: the length of a JSON header, the header,
// and the bytes of tensors that it points into. A damaged file is an error, and takes no more memory than
// it has bytes. The package knows nobody.
package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// MaxHeader bounds the bytes of a header, as other readers do.
const MaxHeader = 100 << 20

// metadata is the entry of the header that is no tensor.
const metadata = "__metadata__"

// Entry is one tensor of a file.
type Entry struct {
	Name  string
	DType string // "F32", "BF16", "F8_E4M3" …
	Shape []int
	Data  []byte
}

// File is what a file holds.
type File struct {
	Metadata map[string]string
	Entries  []Entry // in the order of their bytes
}

// sizes has the bytes of an element. Types that are not in it are kept, but their size is not checked.
var sizes = map[string]int{
	"BOOL": 1, "U8": 1, "I8": 1, "U16": 2, "I16": 2, "U32": 4, "I32": 4, "U64": 8, "I64": 8, "F16": 2,
	"BF16": 2, "F32": 4, "F64": 8,
	"F8_E4M3": 1, "F8_E5M2": 1, "F8_E4M3FNUZ": 1, "F8_E5M2FNUZ": 1, "F8_E8M0": 1,
}

// section is an entry of the header.
type section struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets []uint64 `json:"data_offsets"`
}

// Read reads a file up to the last byte that its header names.
func Read(r io.Reader) (*File, error) {
	var prefix [8]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, fmt.Errorf("not a safetensors file: it is too short: %w", short(err))
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	if n > MaxHeader {
		return nil, fmt.Errorf("not a safetensors file: a header of %d bytes, at most %d are read",
			n, MaxHeader)
	}
	head, err := ReadN(r, n)
	if err != nil {
		return nil, fmt.Errorf("not a safetensors file: the header: %w", err)
	}
	f, ends, err := header(head)
	if err != nil {
		return nil, err
	}
	body, err := ReadN(r, ends[len(ends)-1])
	if err != nil {
		return nil, fmt.Errorf("the tensors' bytes: %w", err)
	}
	return f, f.cut(body, ends)
}

// Parse reads a file from its bytes. The entries share them.
func Parse(data []byte) (*File, error) {
	if len(data) < 8 {
		return nil, errors.New("not a safetensors file: it is too short")
	}
	n := binary.LittleEndian.Uint64(data)
	if n > MaxHeader || n > uint64(len(data)-8) {
		return nil, fmt.Errorf("not a safetensors file: a header of %d bytes does not fit in %d",
			n, len(data))
	}
	f, ends, err := header(data[8 : 8+n])
	if err != nil {
		return nil, err
	}
	return f, f.cut(data[8+n:], ends)
}

// ReadN reads n bytes. The memory that it takes grows with what really comes.
func ReadN(r io.Reader, n uint64) ([]byte, error) {
	const first = 1 << 20
	out := make([]byte, 0, min(n, first))
	for uint64(len(out)) < n {
		if len(out) == cap(out) {
			grown := make([]byte, len(out), min(n, 2*uint64(cap(out))))
			copy(grown, out)
			out = grown
		}
		k, err := io.ReadFull(r, out[len(out):cap(out)])
		out = out[:len(out)+k]
		if err != nil {
			return nil, fmt.Errorf("%d of %d bytes are there: %w", len(out), n, short(err))
		}
	}
	return out, nil
}

// short returns the error of an input that ends too early.
func short(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// header reads a header. Behind the bounds of the entries, begin and end in turn, stands the end of all.
func header(text []byte) (*File, []uint64, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, nil, fmt.Errorf("the header: %w", err)
	}
	f := &File{}
	if m, ok := raw[metadata]; ok {
		if err := json.Unmarshal(m, &f.Metadata); err != nil {
			return nil, nil, fmt.Errorf("the header: %s: %w", metadata, err)
		}
		delete(raw, metadata)
	}
	bounds := make(map[string][]uint64, len(raw))
	for name, r := range raw {
		var s section
		if err := json.Unmarshal(r, &s); err != nil {
			return nil, nil, fmt.Errorf("section %.200q: %w", name, err)
		}
		if err := s.check(); err != nil {
			return nil, nil, fmt.Errorf("section %.200q: %w", name, err)
		}
		bounds[name] = s.Offsets
		f.Entries = append(f.Entries, Entry{Name: name, DType: s.DType, Shape: s.Shape})
	}
	slices.SortFunc(f.Entries, func(a, b Entry) int {
		return cmp.Or(slices.Compare(bounds[a.Name], bounds[b.Name]), cmp.Compare(a.Name, b.Name))
	})
	end := uint64(0)
	var ends []uint64
	for _, e := range f.Entries {
		b := bounds[e.Name]
		if b[0] < end {
			return nil, nil, fmt.Errorf("section %.200q: bytes %v overlap those before", e.Name, b)
		}
		end = b[1]
		ends = append(ends, b...)
	}
	return f, append(ends, end), nil
}

// check returns an error for a section that cannot be.
func (s *section) check() error {
	if len(s.Offsets) != 2 || s.Offsets[1] < s.Offsets[0] {
		return fmt.Errorf("bytes %v are no range", s.Offsets)
	}
	size, known := sizes[s.DType]
	n := uint64(max(size, 1))
	for _, d := range s.Shape {
		if d < 0 || d > 0 && n > 1<<48/uint64(d) {
			return fmt.Errorf("there is no tensor with the shape %v", s.Shape)
		}
		n *= uint64(d)
	}
	if have := s.Offsets[1] - s.Offsets[0]; known && have != n {
		return fmt.Errorf("a tensor of %s with the shape %v has %d bytes, not %d", s.DType, s.Shape, n, have)
	}
	return nil
}

// cut gives each entry its bytes.
func (f *File) cut(body []byte, ends []uint64) error {
	for i := range f.Entries {
		lo, hi := ends[2*i], ends[2*i+1]
		if hi > uint64(len(body)) {
			return fmt.Errorf("section %.200q: bytes [%d %d] of %d", f.Entries[i].Name, lo, hi, len(body))
		}
		f.Entries[i].Data = body[lo:hi:hi]
	}
	return nil
}

// Write writes a file: larger element types first, so that all are aligned, then by name.
func Write(w io.Writer, f *File) error {
	entries := slices.Clone(f.Entries)
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(sizes[b.DType], sizes[a.DType]), cmp.Compare(a.Name, b.Name))
	})
	head := map[string]any{}
	if len(f.Metadata) > 0 {
		head[metadata] = f.Metadata
	}
	at := uint64(0)
	for _, e := range entries {
		if _, ok := head[e.Name]; ok || e.Name == metadata {
			return fmt.Errorf("the name %q is taken", e.Name)
		}
		shape := e.Shape
		if shape == nil {
			shape = []int{}
		}
		s := section{e.DType, shape, []uint64{at, at + uint64(len(e.Data))}}
		if err := s.check(); err != nil {
			return fmt.Errorf("%q: %w", e.Name, err)
		}
		head[e.Name] = s
		at += uint64(len(e.Data))
	}
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	text = append(text, bytes.Repeat([]byte{' '}, -len(text)&7)...)
	if _, err := w.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))),
		text...)); err != nil {
		return err
	}
	for _, e := range entries {
		if _, err := w.Write(e.Data); err != nil {
			return err
		}
	}
	return nil
}
