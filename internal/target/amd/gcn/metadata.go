package gcn

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// table is a map of MessagePack.
type table map[string]any

func (t table) text(key string) string { s, _ := t[key].(string); return s }

func (t table) number(key string) int {
	switch v := t[key].(type) {
	case uint64:
		return int(min(v, math.MaxInt32))
	case int64:
		return int(max(min(v, math.MaxInt32), math.MinInt32))
	}
	return 0
}

// list returns the maps of a list.
func (t table) list(key string) []table {
	var out []table
	items, _ := t[key].([]any)
	for _, item := range items {
		if m, ok := item.(table); ok {
			out = append(out, m)
		}
	}
	return out
}

func kernelOf(m table) *Kernel {
	k := &Kernel{
		Name: m.text(".name"), Kernarg: m.number(".kernarg_segment_size"),
		LDS:     m.number(".group_segment_fixed_size"),
		Scratch: m.number(".private_segment_fixed_size"), SGPRs: m.number(".sgpr_count"),
		VGPRs: m.number(".vgpr_count"),
		AGPRs: m.number(".agpr_count"), SGPRSpills: m.number(".sgpr_spill_count"),
		VGPRSpills: m.number(".vgpr_spill_count"),
		Wave:       m.number(".wavefront_size"), MaxThreads: m.number(".max_flat_workgroup_size"),
	}
	for _, a := range m.list(".args") {
		k.Args = append(k.Args,
			KernelArg{a.text(".name"), a.number(".offset"), a.number(".size"), a.text(".value_kind")})
	}
	return k
}

// noteType is the type of the note that holds the metadata (NT_AMDGPU_METADATA).
const noteType = 32

// metadata returns the metadata of the code object.
func metadata(f *elf.File) (table, error) {
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOTE {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		if desc := note(data, "AMDGPU"); desc != nil {
			v, _, err := unpack(desc, 0)
			if t, ok := v.(table); ok && err == nil {
				return t, nil
			}
			return nil, fmt.Errorf("damaged metadata: %w", errors.Join(err))
		}
	}
	return nil, errors.New("no metadata (expected a note of AMDGPU)")
}

// note returns the contents of the note of a name.
func note(data []byte, name string) []byte {
	for len(data) >= 12 {
		le := binary.LittleEndian
		n, d, kind := uint64(le.Uint32(data)), uint64(le.Uint32(data[4:])), le.Uint32(data[8:])
		data = data[12:]
		start := (n + 3) &^ 3
		end := start + d
		if end > uint64(len(data)) || n == 0 {
			return nil
		}
		if kind == noteType && string(data[:n-1]) == name {
			return data[start:end]
		}
		data = data[min((end+3)&^3, uint64(len(data))):]
	}
	return nil
}

var errPack = errors.New("MessagePack ends early or holds a type that is not known")

// maxDepth bounds how deep lists and maps lie in each other.
const maxDepth = 16

// unpack reads a value of MessagePack and returns it with the rest of the bytes.
func unpack(b []byte, depth int) (any, []byte, error) {
	if len(b) == 0 || depth > maxDepth {
		return nil, nil, errPack
	}
	c := b[0]
	b = b[1:]
	switch {
	case c < 0x80:
		return uint64(c), b, nil
	case c < 0x90:
		return unpackMap(b, int(c&15), depth)
	case c < 0xa0:
		return unpackList(b, int(c&15), depth)
	case c < 0xc0:
		return unpackText(b, int(c&31))
	case c >= 0xe0:
		return int64(int8(c)), b, nil
	case c == 0xc0:
		return nil, b, nil
	case c == 0xc2 || c == 0xc3:
		return c == 0xc3, b, nil
	}
	size, ok := packSizes[c]
	if !ok || len(b) < size {
		return nil, nil, errPack
	}
	v := uint64(0)
	for _, x := range b[:size] {
		v = v<<8 | uint64(x)
	}
	return unpackSized(c, v, size, b[size:], depth)
}

// packSizes are the bytes of the number that follows a type.
var packSizes = map[byte]int{0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8, 0xd0: 1, 0xd1: 2, 0xd2: 4, 0xd3: 8,
	0xd9: 1, 0xda: 2, 0xdb: 4, 0xdc: 2, 0xdd: 4, 0xde: 2, 0xdf: 4}

func unpackSized(c byte, v uint64, size int, b []byte, depth int) (any, []byte, error) {
	switch {
	case c <= 0xcf:
		return v, b, nil
	case c <= 0xd3:
		shift := 64 - 8*size
		return int64(v) << shift >> shift, b, nil
	case v > uint64(len(b)):
		return nil, nil, errPack
	case c <= 0xdb:
		return unpackText(b, int(v))
	case c <= 0xdd:
		return unpackList(b, int(v), depth)
	}
	return unpackMap(b, int(v), depth)
}

func unpackText(b []byte, n int) (any, []byte, error) {
	if n > len(b) {
		return nil, nil, errPack
	}
	return string(b[:n]), b[n:], nil
}

func unpackList(b []byte, n, depth int) (any, []byte, error) {
	var out []any
	for range n {
		v, rest, err := unpack(b, depth+1)
		if err != nil {
			return nil, nil, err
		}
		out, b = append(out, v), rest
	}
	return out, b, nil
}

func unpackMap(b []byte, n, depth int) (any, []byte, error) {
	out := table{}
	for range n {
		k, rest, err := unpack(b, depth+1)
		if err != nil {
			return nil, nil, err
		}
		v, rest, err := unpack(rest, depth+1)
		if err != nil {
			return nil, nil, err
		}
		if name, ok := k.(string); ok {
			out[name] = v
		}
		b = rest
	}
	return out, b, nil
}
