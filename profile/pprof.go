package profile

import (
	"cmp"
	"compress/gzip"
	"io"
	"slices"
)

// WritePprof writes the recording as a compressed profile for `go tool pprof`. Kernels, compilations and
// copies are functions below one for their category; the values of a sample are a count, time and bytes. Its
// labels are device, grid and signature: `-tagfocus device=cuda:0`, `-tagroot grid`. Tunings are left out,
// since their launches and compilations are in it, and so are the host's calls for a GPU.
func (t *Trace) WritePprof(w io.Writer) error {
	z := gzip.NewWriter(w)
	if _, err := z.Write(t.pprof()); err != nil {
		return err
	}
	return z.Close()
}

// sampleKey is what samples differ in.
type sampleKey struct{ category, name, file, device, grid, signature string }

// sample is what the events of a key come to.
type sample struct {
	sampleKey
	count, nanos, bytes int64
}

// samples returns the events of the profile, summed up.
func (t *Trace) samples() []*sample {
	names := map[string]string{
		CategoryKernel: "kernels", CategoryCompile: "compilations", CategoryCopy: "copies",
		CategoryGraph: "graphs",
	}
	found := map[sampleKey]*sample{}
	var out []*sample
	for i := range t.Events {
		e := &t.Events[i]
		root := names[e.Category]
		if root == "" || e.Phase != "X" {
			continue
		}
		name := e.Name
		if e.Category == CategoryCompile { // not the kernel's own time
			name = "compile " + name
		}
		k := sampleKey{root, name, e.text("file"), e.text("device"), e.text("grid"), e.text("signature")}
		s := found[k]
		if s == nil {
			s = &sample{sampleKey: k}
			found[k] = s
			out = append(out, s)
		}
		s.count++
		s.nanos += int64(e.Took * 1e3)
		s.bytes += int64(e.number("bytes"))
	}
	slices.SortStableFunc(out, func(a, b *sample) int { return cmp.Compare(b.nanos, a.nanos) })
	return out
}

// pprof returns the profile in the form of
// https://github.com/google/pprof/blob/main/proto/profile.proto.
func (t *Trace) pprof() []byte {
	p := &encoder{strings: map[string]int{"": 0}, table: []string{""}, functions: map[[2]string]uint64{}}
	for _, v := range [][2]string{{"launches", "count"}, {"time", "nanoseconds"}, {"memory", "bytes"}} {
		p.profile.message(1, p.valueType(v[0], v[1]))
	}
	for _, s := range t.samples() {
		p.sample(s)
	}
	for _, m := range p.locations {
		p.profile.message(4, m)
	}
	for _, m := range p.defined {
		p.profile.message(5, m)
	}
	p.profile.number(14, p.text("time"))
	for _, s := range p.table {
		p.profile.field(6, []byte(s))
	}
	return p.profile.b
}

// encoder writes a profile.
type encoder struct {
	profile            message
	locations, defined []message
	strings            map[string]int
	table              []string
	functions          map[[2]string]uint64
}

// text returns the index of a string.
func (p *encoder) text(s string) uint64 {
	i, ok := p.strings[s]
	if !ok {
		i = len(p.table)
		p.strings[s] = i
		p.table = append(p.table, s)
	}
	return uint64(i)
}

func (p *encoder) valueType(name, unit string) message {
	var m message
	m.number(1, p.text(name))
	m.number(2, p.text(unit))
	return m
}

// location returns the location of a function, which has the same number.
func (p *encoder) location(name, file string) uint64 {
	if id, ok := p.functions[[2]string{name, file}]; ok {
		return id
	}
	id := uint64(len(p.functions) + 1)
	p.functions[[2]string{name, file}] = id
	var function, line, location message
	function.number(1, id)
	function.number(2, p.text(name))
	function.number(3, p.text(name))
	function.number(4, p.text(file))
	line.number(1, id)
	location.number(1, id)
	location.message(4, line)
	p.defined = append(p.defined, function)
	p.locations = append(p.locations, location)
	return id
}

// sample adds a sample: the function, below that of its category.
func (p *encoder) sample(s *sample) {
	var m message
	m.number(1, p.location(s.name, s.file))
	m.number(1, p.location(s.category, ""))
	for _, v := range []int64{s.count, s.nanos, s.bytes} {
		m.number(2, uint64(v))
	}
	for _, l := range [][2]string{{"device", s.device}, {"grid", s.grid}, {"signature", s.signature}} {
		if l[1] == "" {
			continue
		}
		var label message
		label.number(1, p.text(l[0]))
		label.number(2, p.text(l[1]))
		m.message(3, label)
	}
	p.profile.message(2, m)
}

// message is a message of protocol buffers.
type message struct{ b []byte }

func (m *message) varint(v uint64) {
	for ; v >= 0x80; v >>= 7 {
		m.b = append(m.b, byte(v)|0x80)
	}
	m.b = append(m.b, byte(v))
}

// number writes a field that is a number. Numbers of 0 are written too: repeated fields need them.
func (m *message) number(field int, v uint64) {
	m.varint(uint64(field) << 3)
	m.varint(v)
}

// field writes a field that has bytes.
func (m *message) field(field int, data []byte) {
	m.varint(uint64(field)<<3 | 2)
	m.varint(uint64(len(data)))
	m.b = append(m.b, data...)
}

func (m *message) message(field int, x message) { m.field(field, x.b) }
