package gguf

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// small returns a file with values of all kinds that Write knows.
func small(t testing.TB) (*File, []byte) {
	t.Helper()
	f := &File{Version: 3, Meta: map[string]any{"a": uint32(7), "b": float32(0.5), "c": true, "d": "text",
		"e": []string{"x", "", "yz"}, "f": []int32{1, -1}},
		Tensors: map[string]Tensor{
			"v": {"v", F32, []int{3}, []byte("abcdefghijkl")},
			"w": {"w", Q8_0, []int{2, 32}, bytes.Repeat([]byte{5}, 68)}}}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return f, b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	want, data := small(t)
	got, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, wrote %+v", got, want)
	}
}

// TestCut wants an error for every file that ends too early: the last tensor ends 28 bytes before the end.
func TestCut(t *testing.T) {
	_, data := small(t)
	for n := range len(data) - 28 {
		if _, err := Parse(data[:n]); err == nil {
			t.Fatalf("no error for the first %d of %d bytes", n, len(data))
		}
	}
}

func TestHostile(t *testing.T) {
	_, data := small(t)
	change := func(old, with string) []byte {
		if !bytes.Contains(data, []byte(old)) {
			t.Fatalf("the file does not have %q", old)
		}
		return bytes.Replace(data, []byte(old), []byte(with), 1)
	}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"magic", "not a GGUF file", change("GGUF", "GGML")},
		{"version", "version 9", change("GGUF\x03", "GGUF\x09")},
		{"strings", "more than the file", change("\x08\x00\x00\x00\x03\x00\x00\x00",
			"\x08\x00\x00\x00\x03\x00\x00\x7f")},
		{"dimensions", "dimensions", change("v\x01\x00\x00\x00", "v\x09\x00\x00\x00")},
		{"blocks", "whole blocks", change("w\x02\x00\x00\x00\x20", "w\x02\x00\x00\x00\x21")},
		{"size", "not in the file", change("w\x02\x00\x00\x00\x20\x00", "w\x02\x00\x00\x00\x20\x10")},
		{"type", "type 99", change("\x08\x00\x00\x00\x20\x00", "\x63\x00\x00\x00\x20\x00")},
		{"offset", "not in the file", change("\x08\x00\x00\x00\x20\x00\x00\x00",
			"\x08\x00\x00\x00\x20\x00\x00\x7f")},
	} {
		if _, err := Parse(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, not %q", c.name, err, c.want)
		}
	}
}

// FuzzParse looks for files that make the reader panic, or tensors that are not what they say.
func FuzzParse(f *testing.F) {
	_, data := small(f)
	f.Add(data)
	f.Add(data[:60])
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			return
		}
		for name, x := range file.Tensors {
			k, n := types[x.Type], 1
			for _, d := range x.Shape {
				n *= d
			}
			if name != x.Name || len(x.Data) != n/k.elements*k.bytes {
				t.Fatalf("tensor %q: %s %v has %d bytes", name, x.Type, x.Shape, len(x.Data))
			}
		}
	})
}
