package bundle

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// File is an open bundle. Many goroutines may use it at once.
type File struct {
	r       io.ReaderAt
	entries []Entry
	blobs   []blob
	sum     [32]byte // checksum of the index, and so of everything
}

// ErrFormat is wrapped by the errors of data that is no bundle of this version.
var ErrFormat = errors.New("this is no bundle that this version of Nereid reads")

// Damage is the error of a bundle that is not as it was written.
type Damage struct {
	Entry string // the entry at fault: "softmax_fp32_1024 for cuda:90"; "" means the bundle
	Part  string // its part: "cubin"
	Why   string
}

func (d *Damage) Error() string {
	if d.Entry == "" {
		return "bundle: the bundle is damaged: " + d.Why
	}
	return fmt.Sprintf("bundle: the entry %s is damaged: its %s: %s", d.Entry, d.Part, d.Why)
}

// Open reads the index of a bundle of a size. The parts are not read.
func Open(r io.ReaderAt, size int64) (*File, error) {
	head := make([]byte, headSize)
	if n, err := r.ReadAt(head, 0); n < headSize {
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("bundle: %w", err)
		}
		if strings.HasPrefix(string(head[:n]), magic) {
			return nil, &Damage{Why: fmt.Sprintf("it ends after %d bytes", n)}
		}
	}
	if !bytes.HasPrefix(head, []byte(magic)) {
		return nil, fmt.Errorf("bundle: %w", ErrFormat)
	}
	n := binary.LittleEndian.Uint64(head[len(magic):])
	if n > maxIndex || int64(n) > size-int64(headSize) {
		return nil, &Damage{Why: fmt.Sprintf("an index of %d bytes in a bundle of %d", n, size)}
	}
	index := make([]byte, n)
	if got, err := r.ReadAt(index, int64(headSize)); got < len(index) {
		return nil, fmt.Errorf("bundle: the index ends after %d of %d bytes: %w", got, n, err)
	}
	f := &File{r: r, sum: sha256.Sum256(index)}
	if !bytes.Equal(f.sum[:], head[len(magic)+8:]) {
		return nil, &Damage{Why: "the checksum of the index is another"}
	}
	var err error
	if f.entries, f.blobs, err = decodeIndex(string(index)); err != nil {
		return nil, &Damage{Why: err.Error()}
	}
	return f, f.place(int64(headSize)+int64(n), size)
}

// OpenBytes reads a bundle in memory.
func OpenBytes(data []byte) (*File, error) { return Open(bytes.NewReader(data), int64(len(data))) }

// place computes where the blobs lie, which end with the file.
func (f *File) place(at, size int64) error {
	for i := range f.blobs {
		b := &f.blobs[i]
		if b.at = at; int64(b.packed) > size-at {
			return &Damage{Why: fmt.Sprintf("it ends after %d bytes, before its parts do", size)}
		}
		at += int64(b.packed)
	}
	if at != size {
		return &Damage{Why: fmt.Sprintf("it has %d bytes behind its last part", size-at)}
	}
	return nil
}

// Len returns the number of entries.
func (f *File) Len() int { return len(f.entries) }

// Entry returns an entry, in the order of names and targets. It must not be changed.
func (f *File) Entry(i int) *Entry { return &f.entries[i] }

// Named returns the entries of a name, in the order of their targets.
func (f *File) Named(name string) []Entry {
	at, ok := slices.BinarySearchFunc(f.entries, name,
		func(e Entry, name string) int { return strings.Compare(e.Name, name) })
	if !ok {
		return nil
	}
	end := at
	for end < len(f.entries) && f.entries[end].Name == name {
		end++
	}
	return f.entries[at:end]
}

// Hash names the bundle: bundles with equal hashes hold the same code.
func (f *File) Hash() string { return hex.EncodeToString(f.sum[:]) }

// EntryHash names the parts of an entry: entries with equal hashes hold the same code.
func (f *File) EntryHash(e *Entry) string {
	h := sha256.New()
	for _, p := range e.Parts {
		fmt.Fprintf(h, "%s %x\n", p.Name, f.blobs[p.blob].sum)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Read returns a part of an entry, checked and unpacked. A part that is not as it was written is a Damage.
func (f *File) Read(e *Entry, part string) ([]byte, error) {
	p := e.Part(part)
	if p == nil {
		return nil, fmt.Errorf("bundle: %s has no %s", e, part)
	}
	b := &f.blobs[p.blob]
	raw := make([]byte, b.packed)
	if n, err := f.r.ReadAt(raw, b.at); n < len(raw) {
		return nil, fmt.Errorf("bundle: %s: its %s cannot be read: %w", e, part, err)
	}
	if sha256.Sum256(raw) != b.sum {
		return nil, &Damage{e.String(), part, "its checksum is another"}
	}
	data, err := b.unpack(raw)
	if err != nil {
		return nil, &Damage{e.String(), part, err.Error()}
	}
	return data, nil
}

// unpack returns what a blob holds.
func (b *blob) unpack(raw []byte) ([]byte, error) {
	if b.method == stored {
		return raw, nil
	}
	z := flate.NewReader(bytes.NewReader(raw))
	data := make([]byte, b.size)
	if _, err := io.ReadFull(z, data); err != nil {
		return nil, fmt.Errorf("it does not unpack to %d bytes", b.size)
	}
	if n, _ := io.ReadFull(z, make([]byte, 1)); n > 0 {
		return nil, fmt.Errorf("it unpacks to more than %d bytes", b.size)
	}
	return data, nil
}

// Verify reads all parts and returns an error for each that is damaged.
func (f *File) Verify() (faults []error) {
	for i := range f.entries {
		e := &f.entries[i]
		for _, p := range e.Parts {
			if _, err := f.Read(e, p.Name); err != nil {
				faults = append(faults, err)
			}
		}
	}
	return faults
}
