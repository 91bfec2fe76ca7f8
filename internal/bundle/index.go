package bundle

import (
	"encoding/binary"
	"errors"
)

// Bounds of a bundle that is read.
const (
	maxIndex = 64 << 20  // bytes of the index
	maxPart  = 256 << 20 // bytes of a part, unpacked
)

// blob is bytes of the file that parts of entries refer to.
type blob struct {
	size   int // bytes, unpacked
	packed int // bytes in the file
	method byte
	sum    [32]byte // SHA-256 of the bytes in the file
	at     int64    // from the beginning of the file; not in the index
}

// Methods of packing.
const (
	stored   = 0
	deflated = 1
)

// texts returns the fields of an entry that the index refers to, in its order.
func (e *Entry) texts() [10]*string {
	return [...]*string{&e.Name, &e.Group, &e.Kernel, &e.Target, &e.Machine, &e.Signature, &e.Options,
		&e.Source, &e.Compiler, &e.Generator}
}

// encoder writes an index.
type encoder struct {
	out   []byte
	texts []byte
	refs  map[string]uint64
}

// encodeIndex returns the index of sorted entries.
func encodeIndex(entries []*Entry, blobs []blob) []byte {
	e := &encoder{refs: map[string]uint64{}}
	e.int(len(entries))
	for _, x := range entries {
		for _, t := range x.texts() {
			e.text(*t)
		}
		e.int(len(x.Constants))
		for _, c := range x.Constants {
			e.text(c.Name)
			e.text(c.Value)
		}
		e.int(len(x.Parts))
		for _, p := range x.Parts {
			e.text(p.Name)
			e.int(p.blob)
		}
	}
	body := e.out
	e.out = binary.AppendUvarint(nil, uint64(len(e.refs)))
	e.out = append(e.out, e.texts...)
	e.int(len(blobs))
	for _, b := range blobs {
		e.int(b.size)
		e.int(b.packed)
		e.out = append(append(e.out, b.method), b.sum[:]...)
	}
	return append(e.out, body...)
}

func (e *encoder) int(n int) { e.out = binary.AppendUvarint(e.out, uint64(n)) }

// text writes a reference to a text, which is added to the texts at its first use.
func (e *encoder) text(s string) {
	ref, ok := e.refs[s]
	if !ok {
		ref = uint64(len(e.refs))
		e.refs[s] = ref
		e.texts = append(binary.AppendUvarint(e.texts, uint64(len(s))), s...)
	}
	e.out = binary.AppendUvarint(e.out, ref)
}

var errIndex = errors.New("the index is not whole")

// decoder reads an index. The first fault sticks: everything read after it is zero.
type decoder struct {
	in    string
	texts []string
	blobs []blob
	err   error
}

// decodeIndex reads an index. Entries share its memory.
func decodeIndex(in string) (entries []Entry, blobs []blob, err error) {
	d := &decoder{in: in}
	d.texts = make([]string, d.count(1))
	for i := range d.texts {
		d.texts[i] = d.take(d.count(1))
	}
	d.blobs = make([]blob, d.count(35))
	for i := range d.blobs {
		d.blob(&d.blobs[i])
	}
	entries = make([]Entry, d.count(12))
	for i := range entries {
		d.entry(&entries[i])
		if d.err == nil {
			d.err = entries[i].check()
		}
		if d.err == nil && i > 0 {
			d.err = entries[i].checkBeside(&entries[i-1])
		}
		if d.err != nil {
			return nil, nil, d.err
		}
	}
	if d.in != "" {
		d.fail()
	}
	return entries, d.blobs, d.err
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = errIndex
	}
	d.in = ""
}

// int reads a number.
func (d *decoder) int() int {
	var n uint64
	for shift := 0; shift < 63; shift += 7 {
		if len(d.in) == 0 {
			break
		}
		b := d.in[0]
		d.in = d.in[1:]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return int(n)
		}
	}
	d.fail()
	return 0
}

// count reads the number of things that follow, each of at least size bytes.
func (d *decoder) count(size int) int {
	n := d.int()
	if n < 0 || n > len(d.in)/size {
		d.fail()
		return 0
	}
	return n
}

// take returns the next bytes.
func (d *decoder) take(n int) string {
	if n < 0 || n > len(d.in) {
		d.fail()
		return ""
	}
	s := d.in[:n]
	d.in = d.in[n:]
	return s
}

// text reads a reference to a text.
func (d *decoder) text() string {
	n := d.int()
	if n < 0 || n >= len(d.texts) {
		d.fail()
		return ""
	}
	return d.texts[n]
}

func (d *decoder) blob(b *blob) {
	b.size, b.packed = d.int(), d.int()
	if m := d.take(1); m != "" {
		b.method = m[0]
	}
	copy(b.sum[:], d.take(len(b.sum)))
	if !b.valid() {
		d.fail()
	}
}

// maxRatio is more than deflate can pack a byte to: sizes above it are lies.
const maxRatio = 1100

// valid reports whether sizes and method are possible.
func (b *blob) valid() bool {
	switch {
	case b.size < 0 || b.size > maxPart || b.packed < 0 || b.packed > maxPart:
		return false
	case b.method == stored:
		return b.size == b.packed
	}
	return b.method == deflated && b.size/maxRatio <= b.packed
}

func (d *decoder) entry(e *Entry) {
	for _, t := range e.texts() {
		*t = d.text()
	}
	e.Constants = make([]Constant, d.count(2))
	for i := range e.Constants {
		e.Constants[i] = Constant{d.text(), d.text()}
	}
	e.Parts = make([]Part, d.count(2))
	for i := range e.Parts {
		p := &e.Parts[i]
		p.Name, p.blob = d.text(), d.int()
		if p.blob < 0 || p.blob >= len(d.blobs) {
			d.fail()
			return
		}
		p.Size, p.Packed = d.blobs[p.blob].size, d.blobs[p.blob].packed
	}
}
