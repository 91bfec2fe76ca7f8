package bundle

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
)

const magic = "nereid bundle 1\n"

// headSize is the number of bytes before the index.
const headSize = len(magic) + 8 + sha256.Size

// Writer gathers entries and writes them as a bundle. Many goroutines may add entries at once.
type Writer struct {
	mu      sync.Mutex
	entries []adding
	keys    map[string]bool
	blobs   map[[32]byte]*packed // by the hash of what they hold
}

// adding is an entry with its blobs, one for each part.
type adding struct {
	Entry
	blobs []*packed
}

// packed is a blob with its bytes. Whoever adds it first packs it, and others wait.
type packed struct {
	blob
	once sync.Once
	data []byte
}

// Add adds an entry with its parts by name. Entries of one name and one target are an error.
func (w *Writer) Add(e Entry, parts map[string][]byte) error {
	e.Constants, e.Parts = slices.Clone(e.Constants), nil
	a := adding{Entry: e}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		data := parts[name]
		if len(data) > maxPart {
			return fmt.Errorf("bundle: %s: its %s has %d bytes, more than %d", &e, name, len(data), maxPart)
		}
		b := w.blob(sha256.Sum256(data))
		b.once.Do(func() { b.pack(data) })
		a.Parts, a.blobs = append(a.Parts, Part{Name: name}), append(a.blobs, b)
	}
	return w.add(a)
}

// Copy adds an entry of another bundle, with parts that are checked.
func (w *Writer) Copy(f *File, e *Entry) error {
	parts := map[string][]byte{}
	for _, p := range e.Parts {
		data, err := f.Read(e, p.Name)
		if err != nil {
			return err
		}
		parts[p.Name] = data
	}
	return w.Add(*e, parts)
}

// Len returns the number of entries.
func (w *Writer) Len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.entries)
}

func (w *Writer) add(a adding) error {
	if err := a.check(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.keys == nil {
		w.keys = map[string]bool{}
	}
	if key := a.String(); w.keys[key] {
		return fmt.Errorf("bundle: there are two of %s: names must differ", key)
	} else {
		w.keys[key] = true
	}
	w.entries = append(w.entries, a)
	return nil
}

// blob returns the blob of a hash.
func (w *Writer) blob(sum [32]byte) *packed {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.blobs == nil {
		w.blobs = map[[32]byte]*packed{}
	}
	b := w.blobs[sum]
	if b == nil {
		b = &packed{}
		w.blobs[sum] = b
	}
	return b
}

// pack packs data, unless that does not make it smaller.
func (b *packed) pack(data []byte) {
	var out bytes.Buffer
	z, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = z.Write(data) // a buffer takes everything
	_ = z.Close()
	b.data, b.method = out.Bytes(), deflated
	if len(b.data) >= len(data) {
		b.data, b.method = bytes.Clone(data), stored
	}
	b.size, b.packed, b.sum = len(data), len(b.data), sha256.Sum256(b.data)
}

// WriteTo writes the bundle.
func (w *Writer) WriteTo(to io.Writer) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortFunc(w.entries, func(a, b adding) int { return compareEntries(&a.Entry, &b.Entry) })
	var blobs []blob
	var data [][]byte
	at := map[*packed]int{}
	entries := make([]*Entry, len(w.entries))
	for i := range w.entries {
		a := &w.entries[i]
		entries[i] = &a.Entry
		if i > 0 {
			if err := a.checkBeside(entries[i-1]); err != nil {
				return 0, err
			}
		}
		for p, b := range a.blobs {
			n, ok := at[b]
			if !ok {
				n = len(blobs)
				at[b] = n
				blobs, data = append(blobs, b.blob), append(data, b.data)
			}
			a.Parts[p].blob = n
		}
	}
	index := encodeIndex(entries, blobs)
	if len(index) > maxIndex {
		return 0, fmt.Errorf("bundle: an index of %d bytes, more than %d: make several bundles", len(index),
			maxIndex)
	}
	sum := sha256.Sum256(index)
	head := append(binary.LittleEndian.AppendUint64([]byte(magic), uint64(len(index))), sum[:]...)
	var total int64
	for _, b := range append([][]byte{head, index}, data...) {
		n, err := to.Write(b)
		if total += int64(n); err != nil {
			return total, err
		}
	}
	return total, nil
}
