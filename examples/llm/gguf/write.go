package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sort"
)

// Write writes a file, for tests and for models with random weights. Metadata may have strings, bools,
// uint32, float32, and slices of string and int32.
func (f *File) Write(w io.Writer) error {
	b := append([]byte(magic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(b[4:], 3)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(f.Tensors)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(f.Meta)))
	for _, key := range sortedKeys(f.Meta) {
		b = appendString(b, key)
		var err error
		if b, err = appendValue(b, f.Meta[key]); err != nil {
			return fmt.Errorf("gguf: metadata %q: %w", key, err)
		}
	}
	names, offset := sortedKeys(f.Tensors), 0
	for _, name := range names {
		t := f.Tensors[name]
		b = binary.LittleEndian.AppendUint32(appendString(b, name), uint32(len(t.Shape)))
		for _, d := range slices.Backward(t.Shape) {
			b = binary.LittleEndian.AppendUint64(b, uint64(d))
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(t.Type))
		b = binary.LittleEndian.AppendUint64(b, uint64(offset))
		offset += aligned(len(t.Data))
	}
	b = append(b, make([]byte, aligned(len(b))-len(b))...)
	for _, name := range names {
		data := f.Tensors[name].Data
		b = append(append(b, data...), make([]byte, aligned(len(data))-len(data))...)
	}
	_, err := w.Write(b)
	return err
}

func aligned(n int) int { return (n + defaultAlignment - 1) / defaultAlignment * defaultAlignment }

func sortedKeys[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
}

func appendValue(b []byte, v any) ([]byte, error) {
	u32 := binary.LittleEndian.AppendUint32
	switch v := v.(type) {
	case uint32:
		return u32(u32(b, 4), v), nil
	case float32:
		b, err := binary.Append(u32(b, 6), binary.LittleEndian, v)
		return b, err
	case bool:
		b, err := binary.Append(u32(b, 7), binary.LittleEndian, v)
		return b, err
	case string:
		return appendString(u32(b, 8), v), nil
	case []string:
		b = binary.LittleEndian.AppendUint64(u32(u32(b, arrayKind), 8), uint64(len(v)))
		for _, s := range v {
			b = appendString(b, s)
		}
		return b, nil
	case []int32:
		b = binary.LittleEndian.AppendUint64(u32(u32(b, arrayKind), 5), uint64(len(v)))
		return binary.Append(b, binary.LittleEndian, v)
	}
	return nil, fmt.Errorf("values of %T are not written", v)
}
