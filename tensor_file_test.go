package nereid_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

var allTypes = append(slices.Clone(floatTypes), nereid.Bool, nereid.Int8, nereid.Int16, nereid.Int32,
	nereid.Int64, nereid.Uint8,
	nereid.Uint16, nereid.Uint32, nereid.Uint64)

// ones returns a tensor of zeros and ones of a type.
func ones(t *testing.T, dt nereid.DType, shape ...int) *nereid.Tensor {
	t.Helper()
	x, err := nereid.NewTensor(stream(t, "interp").Device(), dt, shape...)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]float32, x.Len())
	for i := range data {
		data[i] = float32(i % 2)
	}
	if err := nereid.CopyFrom(x, data); err != nil {
		t.Fatal(err)
	}
	return x
}

// Tensors of all types, views and scalars come back from a safetensors file as they were.
func TestSafetensors(t *testing.T) {
	tensors := map[string]*nereid.Tensor{
		"view": ones(t, nereid.Float32, 3, 5).Transpose(0, 1), "scalar": ones(t, nereid.Int8, 1).Select(0, 0),
		"none": ones(t, nereid.Float64, 0, 3),
	}
	for _, dt := range allTypes {
		if dt != nereid.Float8E4B15 {
			tensors[dt.String()] = ones(t, dt, 2, 3)
		}
	}
	var file bytes.Buffer
	if err := nereid.WriteSafetensors(&file, tensors); err != nil {
		t.Fatal(err)
	}
	byRead, err := nereid.ReadSafetensors(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	byParse, err := nereid.ParseSafetensors(append([]byte{0}, file.Bytes()...)[1:]) // not aligned
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range tensors {
		for _, got := range []*nereid.Tensor{byRead[name], byParse[name]} {
			if got == nil || got.DType != want.DType || nereid.AllClose(got, want, 0, 0) != nil {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
	}
	if len(byRead) != len(tensors) {
		t.Errorf("%d tensors, want %d", len(byRead), len(tensors))
	}
	for name, x := range map[string]*nereid.Tensor{"fp8e4b15": ones(t, nereid.Float8E4B15, 2), "nil": nil,
		"__metadata__": ones(t, nereid.Int8, 2)} {
		if err := nereid.WriteSafetensors(io.Discard, map[string]*nereid.Tensor{name: x}); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// Tensors of the types that NumPy has come back from a .npy file as they were; others are told to take
// safetensors.
func TestNPY(t *testing.T) {
	for _, dt := range allTypes {
		for _, shape := range [][]int{{2, 3}, {5}, {0, 2}} {
			x := ones(t, dt, shape...)
			var file bytes.Buffer
			err := nereid.WriteNPY(&file, x)
			if dt == nereid.BFloat16 || strings.HasPrefix(dt.String(), "fp8") {
				if err == nil || !strings.Contains(err.Error(), "Safetensors") {
					t.Errorf("%s: %v", dt, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if n := file.Len() - x.Len()*dt.Size(); n%64 != 0 {
				t.Errorf("%s: the elements begin at byte %d", dt, n)
			}
			file.WriteString("what follows stays")
			got, err := nereid.ReadNPY(&file)
			if err != nil || got.DType != dt || nereid.AllClose(got, x, 0, 0) != nil ||
				file.String() != "what follows stays" {
				t.Errorf("%v %v, want %v", got, err, x)
			}
		}
	}
	var file bytes.Buffer
	if err := nereid.WriteNPY(&file, ones(t, nereid.Int16, 4).Select(0, 1)); err != nil {
		t.Fatal(err)
	}
	if got, err := nereid.ReadNPY(&file); err != nil || got.String() != "i16[] on host 1" {
		t.Error(got, err)
	}
}

// npy returns a .npy file with any header.
func npy(version byte, header string, data ...byte) []byte {
	out := append([]byte("\x93NUMPY"), version, 0)
	if version == 1 {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	}
	return append(append(out, header...), data...)
}

var hostileNPY = map[string][]byte{
	"empty":    nil,
	"magic":    []byte("\x93NUMPX\x01\x00\x00\x00"),
	"version":  npy(9, "{}"),
	"long":     append([]byte("\x93NUMPY\x02\x00"), 255, 255, 255, 255),
	"cut":      append([]byte("\x93NUMPY\x01\x00"), 100, 0, '{'),
	"nothing":  npy(1, "{}"),
	"object":   npy(1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 1),
	"struct":   npy(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 1, 2, 3, 4),
	"no shape": npy(1, "{'descr': '<f4', 'fortran_order': False, }"),
	"no order": npy(1, "{'descr': '|u1', 'shape': (1,), }", 1),
	"negative": npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -4), }", 1, 2, 3, 4),
	"huge":     npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (17592186044415,), }", 1, 2, 3, 4),
	"overflow": npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 1, 2,
		3, 4),
	"too large": npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }"),
	"short":     npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 1, 2, 3, 4),
	"words":     npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (a,), }"),
}

func TestHostileNPY(t *testing.T) {
	for name, data := range hostileNPY {
		if x, err := nereid.ReadNPY(bytes.NewReader(data)); err == nil {
			t.Errorf("%s: %v", name, x)
		}
	}
}

func FuzzReadNPY(f *testing.F) {
	for _, data := range hostileNPY {
		f.Add(data)
	}
	f.Add(npy(1, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", make([]byte, 12)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := nereid.ReadNPY(bytes.NewReader(data))
		if err != nil {
			return
		}
		var file bytes.Buffer
		if err := nereid.WriteNPY(&file, x); err != nil {
			t.Fatal(err)
		}
		if y, err := nereid.ReadNPY(&file); err != nil || nereid.AllClose(x, y, 0, 0) != nil {
			t.Fatalf("%v, then %v %v", x, y, err)
		}
	})
}

func FuzzReadSafetensors(f *testing.F) {
	var file bytes.Buffer
	if err := nereid.WriteSafetensors(&file,
		map[string]*nereid.Tensor{"x": nereid.FromSlice([]float32{1, 2}),
			"y": nereid.FromSlice([]int8{1})}); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := nereid.ReadSafetensors(bytes.NewReader(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := nereid.WriteSafetensors(&again, m); err != nil {
			t.Fatal(err)
		}
		n, err := nereid.ParseSafetensors(again.Bytes())
		if err != nil || len(m) != len(n) {
			t.Fatal(err)
		}
		for name, x := range m {
			if err := nereid.AllClose(x, n[name], 0, 0); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
		}
	})
}

// python runs a script where there is NumPy, and skips the test where there is none.
func python(t *testing.T, dir, script string) {
	t.Helper()
	exe, err := filepath.Abs(".venv/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(exe, "-c", "import numpy").CombinedOutput(); err != nil {
		txtest.Need(t, "numpy", fmt.Errorf("not in .venv: %v %s", err, out))
	}
	cmd := exec.Command(exe, "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// NumPy reads what is written here, and what it writes is read here: all types, orders of bytes and of
// dimensions.
func TestNumPy(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, x *nereid.Tensor) {
		var b bytes.Buffer
		if err := nereid.WriteNPY(&b, x); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("half.npy", nereid.FromFloats(nereid.Float16, []float32{1, 2, 3, 4, 5, 6.5}, 2, 3))
	write("view.npy", nereid.FromSlice([]int64{1, 2, 3, 4, 5, 6}, 2, 3).Transpose(0, 1))
	write("bool.npy", nereid.FromSlice([]bool{true, false, true}))
	python(t, dir, `
import numpy as np
h = np.load("half.npy"); assert h.dtype == np.float16 and (h == [[1, 2, 3], [4, 5, 6.5]]).all(), h
v = np.load("view.npy"); assert v.dtype == np.int64 and (v == [[1, 4], [2, 5], [3, 6]]).all(), v
b = np.load("bool.npy"); assert b.dtype == bool and (b == [True, False, True]).all(), b
a = np.arange(6).reshape(2, 3)
for t in "?bhilBHILefd":
    np.save("c_%d.npy" % ord(t), a.astype(t))
    np.save("f_%d.npy" % ord(t), np.asfortranarray(a.astype(t)))
    np.save("s_%d.npy" % ord(t), a.astype(np.dtype(t).newbyteorder(">")))
np.save("scalar.npy", np.float32(2.5))
`)
	want := nereid.FromSlice([]int32{0, 1, 2, 3, 4, 5}, 2, 3)
	truth := nereid.FromSlice([]bool{false, true, true, true, true, true}, 2, 3)
	files, err := filepath.Glob(filepath.Join(dir, "[cfs]_*.npy"))
	if err != nil || len(files) != 36 {
		t.Fatal(len(files), err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		x, err := nereid.ReadNPY(bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
			continue
		}
		w := want
		if x.DType == nereid.Bool {
			w = truth
		}
		if err := nereid.AllClose(x, w, 0, 0); err != nil || !x.Contiguous() {
			t.Errorf("%s: %v, %v", filepath.Base(name), x, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "scalar.npy"))
	if err != nil {
		t.Fatal(err)
	}
	if x, err := nereid.ReadNPY(bytes.NewReader(data)); err != nil || x.String() != "fp32[] on host 2.5" {
		t.Error(x, err)
	}
}
