package safetensors

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

func file(header string, body ...byte) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), body...)
}

func TestRoundTrip(t *testing.T) {
	f := &File{Metadata: map[string]string{"a": "b"}, Entries: []Entry{
		{"bytes", "U8", []int{3}, []byte{1, 2, 3}}, {"scalar", "F32", nil, []byte{0, 0, 128, 63}},
		{"none", "F64", []int{0, 2}, nil},
	}}
	var b bytes.Buffer
	if err := Write(&b, f); err != nil {
		t.Fatal(err)
	}
	byRead, err := Read(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	byParse, err := Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []*File{byRead, byParse} {
		if got.Metadata["a"] != "b" || len(got.Entries) != 3 || got.Entries[0].Name != "none" ||
			got.Entries[1].Name != "scalar" || string(got.Entries[2].Data) != "\x01\x02\x03" {
			t.Errorf("%+v", got)
		}
	}
	if !strings.Contains(b.String(), `"shape":[],`) || strings.Contains(b.String(), "null") {
		t.Errorf("a tensor of no dimensions has another shape: %s", b.String())
	}
	if n := binary.LittleEndian.Uint64(b.Bytes()); n%8 != 0 {
		t.Errorf("a header of %d bytes leaves tensors without alignment", n)
	}
	for _, e := range []Entry{{Name: "__metadata__", DType: "U8"},
		{Name: "x", DType: "F32", Shape: []int{2}, Data: make([]byte, 4)}} {
		if err := Write(&b, &File{Entries: []Entry{e}}); err == nil {
			t.Errorf("%+v was written", e)
		}
	}
}

var hostile = map[string][]byte{
	"empty":         nil,
	"short":         {1, 2, 3},
	"long header":   append(binary.LittleEndian.AppendUint64(nil, 1<<63), make([]byte, 20)...),
	"cut header":    append(binary.LittleEndian.AppendUint64(nil, MaxHeader), '{'),
	"no JSON":       file("abc"),
	"list":          file("[]"),
	"huge body":     file(`{"x":{"dtype":"U8","shape":[140737488355328],"data_offsets":[0,140737488355328]}}`),
	"header of all": slices.Clip(append(binary.LittleEndian.AppendUint64(nil, 6), "{}  "...)),
	"past the end":  file(`{"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 1, 2, 3),
	"backwards":     file(`{"x":{"dtype":"U8","shape":[4],"data_offsets":[4,0]}}`, 1, 2, 3, 4),
	"back, no type": file(`{"x":{"dtype":"F4","shape":[4],"data_offsets":[4,0]}}`, 1, 2, 3, 4),
	"negative":      file(`{"x":{"dtype":"U8","shape":[4],"data_offsets":[-4,0]}}`, 1, 2, 3, 4),
	"no offsets":    file(`{"x":{"dtype":"U8","shape":[0]}}`),
	"negative size": file(`{"x":{"dtype":"U8","shape":[-2,-2],"data_offsets":[0,4]}}`, 1, 2, 3, 4),
	"other size":    file(`{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, 1, 2, 3, 4),
	"overflow":      file(`{"x":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`),
	"overlap": file(`{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},
		"y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, 1, 2, 3),
	"metadata": file(`{"__metadata__":{"a":1}}`),
}

// Hostile files are errors, whichever way they are read.
func TestHostile(t *testing.T) {
	for name, data := range hostile {
		if f, err := Parse(data); err == nil {
			t.Errorf("%s: Parse: %+v", name, f)
		}
		if f, err := Read(bytes.NewReader(data)); err == nil {
			t.Errorf("%s: Read: %+v", name, f)
		}
	}
	if n := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Read(bytes.NewReader(hostile["huge body"]))
		}
	}).AllocedBytesPerOp(); n > 4<<20 {
		t.Errorf("a body of 128 TiB that is not there takes %d bytes", n)
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range hostile {
		f.Add(data)
	}
	f.Add(file(`{"x":{"dtype":"F16","shape":[2,1],"data_offsets":[0,4]}}`, 1, 2, 3, 4))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := Parse(data)
		y, errRead := Read(bytes.NewReader(data))
		if (err == nil) != (errRead == nil) {
			t.Fatalf("Parse: %v, Read: %v", err, errRead)
		}
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Fatal("an error without words")
			}
			return
		}
		for i, e := range x.Entries {
			if e.Name != y.Entries[i].Name || !bytes.Equal(e.Data, y.Entries[i].Data) {
				t.Fatalf("%+v, then %+v", e, y.Entries[i])
			}
		}
	})
}
