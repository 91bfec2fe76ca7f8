package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sample is an entry with its parts.
type sample struct {
	entry Entry
	parts map[string][]byte
}

// samples returns variants for two targets each, as a table would give them.
func samples(variants int) (list []sample) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range variants {
		for _, target := range []string{"cuda:90", "cpu:x86-64-v3"} {
			e := Entry{
				Name: fmt.Sprintf("norm_%04d", i), Group: fmt.Sprintf("norm_fp%d", 16<<(i%2)), Kernel: "norm",
				Target: target, Machine: "sm_90", Source: "abc", Compiler: "nereid", Generator: "llvm",
				Signature: fmt.Sprintf("*fp32:16, *fp32:16, i32, %d", 64<<(i%8)), Options: `{"num_warps":4}`,
				Constants: Constants(map[string]string{"BLOCK": fmt.Sprint(64 << (i % 8)), "N": "1",
					"ACT": "True"}),
			}
			code := bytes.Repeat([]byte(fmt.Sprintf("code of %d for %s; ", i/2, target)), 200)
			noise := make([]byte, 64)
			for j := range noise {
				noise[j] = byte(rng.Uint32())
			}
			list = append(list, sample{e, map[string][]byte{PartObj: code, PartMeta: noise}})
		}
	}
	return list
}

func build(t testing.TB, list []sample) []byte {
	t.Helper()
	w := &Writer{}
	for _, s := range list {
		if err := w.Add(s.entry, s.parts); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if _, err := w.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestRoundTrip(t *testing.T) {
	list := samples(20)
	data := build(t, list)
	f, err := OpenBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	if f.Len() != len(list) {
		t.Fatalf("%d entries, not %d", f.Len(), len(list))
	}
	for _, s := range list {
		var found *Entry
		for i, e := range f.Named(s.entry.Name) {
			if e.Target == s.entry.Target {
				found = &f.Named(s.entry.Name)[i]
			}
		}
		if found == nil {
			t.Fatalf("no %s", &s.entry)
		}
		if d := cmp.Diff(s.entry, *found, cmpopts.IgnoreFields(Entry{}, "Parts")); d != "" {
			t.Error(d)
		}
		for name, want := range s.parts {
			if got, err := f.Read(found, name); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s %s: %d bytes, %v", found, name, len(got), err)
			}
		}
		if v, ok := found.Constant("ACT"); v != "True" || !ok {
			t.Errorf("ACT is %q", v)
		}
		if _, ok := found.Constant("B"); ok {
			t.Error("a constant B")
		}
	}
	if f.Named("norm") != nil || f.Named("norm_0000")[0].Target != "cpu:x86-64-v3" {
		t.Error("wrong entries by name")
	}
	if _, err := f.Read(f.Entry(0), PartCubin); err == nil || !strings.Contains(err.Error(), "has no cubin") {
		t.Error(err)
	}
	if faults := f.Verify(); faults != nil {
		t.Error(faults)
	}
}

// Entries added in any order, by many goroutines, or copied from other bundles give the same bytes.
func TestSameBytes(t *testing.T) {
	list := samples(30)
	want := build(t, list)
	w := &Writer{}
	var all sync.WaitGroup
	for _, i := range rand.Perm(len(list)) {
		all.Go(func() {
			if err := w.Add(list[i].entry, list[i].parts); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	var got bytes.Buffer
	if _, err := w.WriteTo(&got); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("another order gives other bytes (%v)", err)
	}
	w = &Writer{}
	for _, half := range [][]sample{list[25:], list[:25]} {
		f, err := OpenBytes(build(t, half))
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Len() {
			if err := w.Copy(f, f.Entry(i)); err != nil {
				t.Error(err)
			}
		}
	}
	got.Reset()
	if _, err := w.WriteTo(&got); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("a copy has other bytes (%v)", err)
	}
}

// Entries with equal code share it: variants 2i and 2i+1 of samples have the same.
func TestShared(t *testing.T) {
	f, err := OpenBytes(build(t, samples(40)))
	if err != nil {
		t.Fatal(err)
	}
	if want := 40*2 + 40; len(f.blobs) != want {
		t.Errorf("%d blobs, not %d", len(f.blobs), want)
	}
	a, b, c := &f.Named("norm_0000")[0], &f.Named("norm_0001")[0], &f.Named("norm_0002")[0]
	if a.Part(PartObj).blob != b.Part(PartObj).blob || a.Part(PartObj).blob == c.Part(PartObj).blob {
		t.Error("the wrong entries share code")
	}
	if f.EntryHash(a) == f.EntryHash(b) {
		t.Error("entries with other descriptions have one hash")
	}
}

func TestRefusedEntries(t *testing.T) {
	good := Entry{Name: "a", Kernel: "k", Target: "cpu"}
	parts := map[string][]byte{PartObj: {1}}
	for want, change := range map[string]func(*Entry){
		"has no name":   func(e *Entry) { e.Name = "" },
		"has no target": func(e *Entry) { e.Target = "" },
		"has no kernel": func(e *Entry) { e.Kernel = "" },
		"is no name":    func(e *Entry) { e.Name = "a\nb" },
		"printable":     func(e *Entry) { e.Group = strings.Repeat("g", maxText+1) },
		"not sorted":    func(e *Entry) { e.Constants = []Constant{{"b", "1"}, {"a", "1"}} },
	} {
		e := good
		change(&e)
		if err := new(Writer).Add(e, parts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	w := &Writer{}
	if err := errors.Join(w.Add(good, parts), w.Add(good, parts)); err == nil ||
		!strings.Contains(err.Error(), "two of a for cpu") {
		t.Error(err)
	}
	for what, other := range map[string]Entry{
		"group": {Group: "g", Kernel: "k"}, "kernel": {Kernel: "l"},
		"constants": {Kernel: "k", Constants: []Constant{{"BLOCK", "64"}}},
	} {
		w := &Writer{}
		other.Name, other.Target = "a", "cuda:90"
		if err := errors.Join(w.Add(good, parts), w.Add(other, parts)); err != nil {
			t.Error(err)
		}
		if _, err := w.WriteTo(io.Discard); err == nil ||
			!strings.Contains(err.Error(), "more than their targets") {
			t.Errorf("another %s: %v", what, err)
		}
	}
	if err := w.Add(Entry{Name: "b", Kernel: "k", Target: "cpu"}, nil); err == nil {
		t.Error("an entry without parts")
	}
}

// Each changed byte is found: in the head and the index at Open, in a part when it is read, with its entry.
func TestDamage(t *testing.T) {
	data := build(t, samples(3))
	whole, err := OpenBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	first := whole.blobs[0].at
	for at := range data {
		bad := bytes.Clone(data)
		bad[at] ^= 0x40
		f, err := OpenBytes(bad)
		var d *Damage
		if int64(at) < first {
			if err == nil || !errors.As(err, &d) && !errors.Is(err, ErrFormat) {
				t.Fatalf("byte %d of the index: %v", at, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("byte %d of a part: Open read it: %v", at, err)
		}
		faults := f.Verify()
		if len(faults) == 0 || !errors.As(faults[0], &d) || !strings.HasPrefix(d.Entry, "norm_000") ||
			d.Part == "" {
			t.Fatalf("byte %d of a part: %v", at, faults)
		}
	}
}

func TestCutShort(t *testing.T) {
	data := build(t, samples(3))
	for n := range data {
		if _, err := OpenBytes(data[:n]); err == nil {
			t.Fatalf("%d of %d bytes opened", n, len(data))
		}
	}
	if _, err := OpenBytes(append(bytes.Clone(data), 0)); err == nil ||
		!strings.Contains(err.Error(), "behind") {
		t.Error(err)
	}
	other := []byte("PK\x03\x04 something else altogether, long enough for a head of a bundle")
	if _, err := OpenBytes(other); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

// counting counts the bytes that are read.
type counting struct {
	*bytes.Reader
	n int
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	c.n += len(p)
	return c.Reader.ReadAt(p, at)
}

// Opening 960 entries reads the head and the index, nothing else, and takes at most 5 ms.
func TestOpenReadsIndexOnly(t *testing.T) {
	data := build(t, samples(480))
	best := time.Hour
	for range 10 {
		r := &counting{Reader: bytes.NewReader(data)}
		start := time.Now()
		f, err := Open(r, int64(len(data)))
		best = min(best, time.Since(start))
		if err != nil {
			t.Fatal(err)
		}
		if want := int(f.blobs[0].at); r.n != want {
			t.Fatalf("it reads %d bytes, not %d", r.n, want)
		}
	}
	t.Logf("%d bytes open in %v", len(data), best)
	if best > 5*time.Millisecond && !raceEnabled {
		t.Errorf("opening takes %v", best)
	}
}

func BenchmarkOpen(b *testing.B) {
	data := build(b, samples(480))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := OpenBytes(data); err != nil {
			b.Fatal(err)
		}
	}
}

// sealed returns a bundle with this index, which need not be one, so that a fuzzer gets behind the checksum.
func sealed(index, rest []byte) []byte {
	sum := sha256.Sum256(index)
	out := append(binary.LittleEndian.AppendUint64([]byte(magic), uint64(len(index))), sum[:]...)
	return append(append(out, index...), rest...)
}

// FuzzOpen opens anything, and what looks like a bundle: no input panics, and reading parts ends.
func FuzzOpen(f *testing.F) {
	data := build(f, samples(2))
	file, err := OpenBytes(data)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[headSize:file.blobs[0].at], data[file.blobs[0].at:])
	f.Add([]byte{0, 0, 0}, []byte{})
	f.Add([]byte{1, 1, 'a', 1, 0xff, 0xff, 0x3f, 1, 1}, []byte{3})
	f.Fuzz(func(t *testing.T, index, rest []byte) {
		for _, data := range [][]byte{index, sealed(index, rest)} {
			b, err := OpenBytes(data)
			if err != nil {
				continue
			}
			b.Verify()
			w := &Writer{}
			for i := range b.Len() {
				if e := b.Entry(i); len(b.Named(e.Name)) == 0 {
					t.Errorf("%s is not found", e)
				} else if w.Copy(b, e) == nil && w.Len() == 0 {
					t.Error("a copy is lost")
				}
			}
		}
	})
}
