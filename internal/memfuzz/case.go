package memfuzz

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"unsafe"

	"github.com/nereid-lang/nereid"
)

// Case is a kernel named "kernel" with its arguments: everything that a launch needs. Its file is the
// kernel's text below a comment with the rest, so that a difference found once stays as a test.
type Case struct {
	Source  string
	Warps   int
	CTAs    int  // 0 is 1
	Check   bool // accesses are checked at run time
	Grid    int
	Args    []Arg
	Overlap bool // arguments overlap each other: GPUs do not order accesses through them
}

// Arg is an argument: a tensor where Type is set, otherwise an integer.
type Arg struct {
	Name   string
	Value  int
	Type   Type
	Len    int    // elements of a tensor that has memory of its own
	Offset int    // elements between the begin of its memory, or the pointer of Of, and its own pointer
	Perm   int    // if positive, the elements are a permutation of the numbers below it
	Seed   uint64 // of the elements
	Of     string // the tensor whose memory this one shares
}

// Case returns the kernel's text and arguments.
func (k *Kernel) Case() *Case {
	stride := k.strides()
	c := &Case{Source: k.text(stride), Warps: k.Warps, CTAs: k.CTAs, Check: k.Check, Grid: k.Grid,
		Overlap: k.overlaps()}
	for _, t := range k.Tensors {
		a := Arg{Name: t.Name, Type: t.Type, Offset: t.Offset, Seed: t.Seed, Of: t.Of}
		switch {
		case t.Perm:
			a.Perm = k.size(Vec)
			a.Len = a.Perm
		case t.Of == "":
			a.Len = t.Offset + k.Grid*stride[t.Name] + 16 // and some that nobody writes
		}
		c.Args = append(c.Args, a)
	}
	for _, s := range k.Scalars {
		c.Args = append(c.Args, Arg{Name: s.Name, Value: s.Value})
	}
	return c
}

// strides returns the elements between the memory of two programs in each tensor. A view moves as the tensor
// it is a view of does, which has room for both.
func (k *Kernel) strides() map[string]int {
	need := k.extents()
	for _, t := range k.Tensors {
		if t.Of != "" {
			need[t.Of] = max(need[t.Of], need[t.Name]+t.Offset)
		}
	}
	for _, t := range k.Tensors {
		need[t.Name] = (need[t.Name] + k.Align - 1) / k.Align * k.Align
	}
	for _, t := range k.Tensors {
		if t.Of != "" {
			need[t.Name] = need[t.Of]
		}
	}
	return need
}

// memory makes the memory of the tensors, by name. Equal cases have equal memory.
func (c *Case) memory() map[string][]byte {
	out := map[string][]byte{}
	for _, a := range c.Args {
		if a.Type != "" && a.Of == "" {
			out[a.Name] = a.fill()
		}
	}
	return out
}

// fill returns the elements of a tensor with its own memory.
func (a *Arg) fill() []byte {
	r := rand.New(rand.NewPCG(a.Seed, 1))
	dt, _ := nereid.DTypeOf(string(a.Type))
	size := dt.Size()
	data := aligned(a.Len * size)
	var perm []int
	if a.Perm > 0 {
		perm = r.Perm(a.Perm)
	}
	for i := range a.Len {
		v := uint64(int64(r.IntN(2001) - 1000))
		switch {
		case a.Type.float():
			v = dt.Encode(float64(r.IntN(31) - 15))
		case i < len(perm):
			v = uint64(perm[i])
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], v)
		copy(data[i*size:], word[:size])
	}
	return data
}

// aligned returns n bytes at a multiple of 64, so that what the compiler is told of a pointer depends on the
// case alone.
func aligned(n int) []byte {
	b := make([]byte, n+64)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & 63
	return b[skip : skip+n : skip+n]
}

// args returns the arguments of a launch over memory on a device with clusters or without.
func (c *Case) args(memory map[string][]byte, clusters bool) []any {
	var out []any
	base := map[string]*nereid.Tensor{}
	for _, a := range c.Args {
		if a.Type == "" {
			out = append(out, a.Value)
			continue
		}
		dt, _ := nereid.DTypeOf(string(a.Type))
		var t *nereid.Tensor
		if a.Of != "" {
			t = base[a.Of].Offset(a.Offset * types[a.Type].size)
			t.DType = dt
		} else {
			t = nereid.FromBytes(dt, memory[a.Name]).Offset(a.Offset * dt.Size())
		}
		base[a.Name] = t
		out = append(out, t)
	}
	o := nereid.Options{NumWarps: c.Warps, Check: c.Check}
	if clusters {
		o.NumCTAs = c.CTAs
	}
	return append(out, o)
}

// File returns the case as text that ReadCase reads.
func (c *Case) File() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# launch warps=%d ctas=%d check=%t grid=%d overlap=%t\n", c.Warps, max(1, c.CTAs),
		c.Check, c.Grid, c.Overlap)
	for _, a := range c.Args {
		switch {
		case a.Type == "":
			fmt.Fprintf(&b, "# scalar name=%s value=%d\n", a.Name, a.Value)
		case a.Of != "":
			fmt.Fprintf(&b, "# view name=%s type=%s of=%s offset=%d\n", a.Name, a.Type, a.Of, a.Offset)
		default:
			fmt.Fprintf(&b, "# tensor name=%s type=%s len=%d offset=%d perm=%d seed=%d\n", a.Name, a.Type,
				a.Len, a.Offset, a.Perm, a.Seed)
		}
	}
	return b.String() + c.Source
}

// ReadCase reads the text of a case.
func ReadCase(text string) (*Case, error) {
	c := &Case{Source: text}
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "# ")
		if !ok {
			break
		}
		if err := c.readLine(strings.Fields(line)); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
	}
	if c.Grid == 0 {
		return nil, fmt.Errorf("the case has no line \"# launch warps=... grid=...\"")
	}
	return c, nil
}

// readLine reads a line of the head: a kind and fields. Lines of other kinds are remarks.
func (c *Case) readLine(words []string) error {
	var a Arg
	fields := map[string]any{
		"warps": &c.Warps, "ctas": &c.CTAs, "check": &c.Check, "grid": &c.Grid, "overlap": &c.Overlap,
		"name": &a.Name, "type": &a.Type, "len": &a.Len, "offset": &a.Offset,
		"perm": &a.Perm, "seed": &a.Seed, "of": &a.Of, "value": &a.Value,
	}
	kind := words[0]
	if kind != "launch" && kind != "scalar" && kind != "view" && kind != "tensor" {
		return nil
	}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		into, ok := fields[name]
		if !ok {
			return fmt.Errorf("unknown field %q", name)
		}
		if _, err := fmt.Sscan(value, into); err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
	}
	if kind != "launch" {
		c.Args = append(c.Args, a)
	}
	return nil
}
