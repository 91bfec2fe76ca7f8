// Package layout is linear layouts: linear maps over F2, the field of two elements, between spaces of named
// dimensions whose sizes are powers of two.
//
// A layout says where data lies. The layout of a tensor in registers maps (register, lane, warp, block) to
// the coordinates (dim0, dim1, …) of the element that this register of that thread holds; the layout of a
// buffer maps (offset, block) to coordinates. Linear means that L(x xor y) = L(x) xor L(y) and L(0) = 0, so
// a layout is its values at the powers of two: its basis vectors, one for each bit of each input dimension.
//
//	register: (0,1)  (0,2)          bit 0 of the register number moves 1 along dim1, bit 1 moves 2
//	lane:     (0,4)  (0,8)  (1,0)   lanes 0..3 lie along dim1, the next bit moves one row
//
// Blocked layouts, tiles of tensor cores and swizzled shared memory are all such maps, and what has to be
// known about them is linear algebra: a conversion between two is one composed with the other's inverse, a
// vector is an identity split off on the left, replicated data is the kernel, a bank conflict is an
// intersection of two spans. The method is that of "Linear Layouts: Robust Code Generation of Efficient
// Tensor Computation Using F2" (arXiv 2505.23819); names and conventions are those of Triton's
// LinearLayout.
//
// # Conventions
//
// Dimensions are ordered, the first is the most minor. Order matters where dimensions are joined or split
// (Flatten…, Reshape…) and for Equal, not for the map itself. A basis vector has one entry for each
// output dimension.
//
// A Layout is a value: it is not changed after it is made, methods return new ones, and copies may be
// shared between goroutines. Asking for a dimension that is not there, or combining layouts that do not
// fit, is a fault of the caller and panics with a message that shows both; New reports faults of data that
// come from outside.
package layout

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Names of dimensions that all users share.
const (
	Register = "register"
	Lane     = "lane"
	Warp     = "warp"
	Block    = "block"  // the CTA within its cluster
	Offset   = "offset" // an element of shared memory
)

// Dim is a named dimension; its size is a power of two.
type Dim struct {
	Name string
	Size int
}

// Bases are the basis vectors of one input dimension: Vectors[i] is the image of 1<<i, an entry for each
// output dimension.
type Bases struct {
	Name    string
	Vectors [][]int
}

// Layout is a linear map. The zero value is the layout without dimensions, the neutral element of Mul.
//
// The coordinates of a vector of either space are packed into one word, the first dimension in the lowest
// bits. So the map is a list of words, one for each input bit; a flattened layout has the same words under
// other dimensions.
type Layout struct {
	ins, outs space
	cols      []uint64 // the image of each bit of the input
}

// space is a list of dimensions with their bits.
type space []axis

type axis struct {
	name string
	bits int
}

// maxBits is the number of bits that a packed vector holds.
const maxBits = 62

func (s space) total() int {
	n := 0
	for _, a := range s {
		n += a.bits
	}
	return n
}

// find gives the position of a dimension and the bit it starts at, or -1.
func (s space) find(name string) (i, start int) {
	for i, a := range s {
		if a.name == name {
			return i, start
		}
		start += a.bits
	}
	return -1, 0
}

func (s space) names() []string {
	out := make([]string, len(s))
	for i, a := range s {
		out[i] = a.name
	}
	return out
}

func (s space) dims() []Dim {
	out := make([]Dim, len(s))
	for i, a := range s {
		out[i] = Dim{a.name, 1 << a.bits}
	}
	return out
}

func (s space) pack(coords []int) uint64 {
	v, start := uint64(0), 0
	for i, a := range s {
		v |= uint64(coords[i]) << start
		start += a.bits
	}
	return v
}

func (s space) unpack(v uint64) []int {
	out := make([]int, len(s))
	for i, a := range s {
		out[i] = int(v & (1<<a.bits - 1))
		v >>= a.bits
	}
	return out
}

func (s space) has(name string) bool { i, _ := s.find(name); return i >= 0 }

func (s space) String() string {
	parts := make([]string, len(s))
	for i, a := range s {
		parts[i] = fmt.Sprintf("%s (size %d)", a.name, 1<<a.bits)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// log2 is the exponent of a power of two.
func log2(n int) int {
	if n <= 0 || n&(n-1) != 0 {
		panic(fmt.Sprintf("layout: %d is no power of two", n))
	}
	return bits.TrailingZeros64(uint64(n))
}

func spaceOf(dims []Dim) space {
	s := make(space, len(dims))
	for i, d := range dims {
		if s[:i].has(d.Name) {
			panic(fmt.Sprintf("layout: dimension %q twice", d.Name))
		}
		s[i] = axis{d.Name, log2(d.Size)}
	}
	return s
}

// Empty is the layout without dimensions.
func Empty() Layout { return Layout{} }

// New makes a layout of its basis vectors. It need not be surjective.
func New(ins []Bases, outs []Dim) (Layout, error) {
	var l Layout
	for _, d := range outs {
		if d.Size <= 0 || d.Size&(d.Size-1) != 0 {
			return l, fmt.Errorf("size %d of %s is no power of two", d.Size, d.Name)
		}
		if l.outs.has(d.Name) {
			return l, fmt.Errorf("dimension %s twice", d.Name)
		}
		l.outs = append(l.outs, axis{d.Name, log2(d.Size)})
	}
	for _, in := range ins {
		if l.ins.has(in.Name) {
			return l, fmt.Errorf("dimension %s twice", in.Name)
		}
		l.ins = append(l.ins, axis{in.Name, len(in.Vectors)})
		for i, v := range in.Vectors {
			if err := checkVector(v, outs); err != nil {
				return Layout{}, fmt.Errorf("basis vector %d of %s: %w", i, in.Name, err)
			}
			l.cols = append(l.cols, l.outs.pack(v))
		}
	}
	if l.ins.total() > maxBits || l.outs.total() > maxBits {
		return Layout{}, fmt.Errorf("more than %d bits", maxBits)
	}
	return l, nil
}

func checkVector(v []int, outs []Dim) error {
	if len(v) != len(outs) {
		return fmt.Errorf("%d entries for %d dimensions", len(v), len(outs))
	}
	for i, x := range v {
		if x < 0 || x >= outs[i].Size {
			return fmt.Errorf("%d is outside of %s, whose size is %d", x, outs[i].Name, outs[i].Size)
		}
	}
	return nil
}

// NewSurjective makes a layout of its basis vectors, with output dimensions just large enough for them. It
// is an error if then not every coordinate is reached.
func NewSurjective(ins []Bases, outNames []string) (Layout, error) {
	outs := make([]Dim, len(outNames))
	for i, name := range outNames {
		outs[i] = Dim{name, 1}
	}
	for _, in := range ins {
		for _, v := range in.Vectors {
			for i := range min(len(v), len(outs)) {
				if v[i] > 0 {
					outs[i].Size = max(outs[i].Size, 1<<bits.Len64(uint64(v[i])))
				}
			}
		}
	}
	l, err := New(ins, outs)
	if err == nil && !l.IsSurjective() {
		err = errors.New("not every coordinate is reached")
	}
	return l, err
}

// Must is for layouts that cannot be wrong: it panics on an error.
func Must(l Layout, err error) Layout {
	if err != nil {
		panic("layout: " + err.Error())
	}
	return l
}

// Identity1D maps 0 … size-1 of one dimension to the same of another.
func Identity1D(size int, in, out string) Layout { return Strided1D(size, 1, in, out) }

// Strided1D maps i of one dimension to i*stride of another, whose size is size*stride. Both are powers of
// two.
func Strided1D(size, stride int, in, out string) Layout {
	n, shift := log2(size), log2(stride)
	l := Layout{ins: space{{in, n}}, outs: space{{out, n + shift}}, cols: make([]uint64, n)}
	for i := range l.cols {
		l.cols[i] = 1 << (i + shift)
	}
	return l
}

// Zeros1D maps all of one dimension to 0 of another, of size outSize (1, usually): the same element over
// and over.
func Zeros1D(size int, in, out string, outSize int) Layout {
	n := log2(size)
	return Layout{ins: space{{in, n}}, outs: space{{out, log2(outSize)}}, cols: make([]uint64, n)}
}

// InDims and OutDims are the dimensions, the most minor first.
func (l Layout) InDims() []Dim  { return l.ins.dims() }
func (l Layout) OutDims() []Dim { return l.outs.dims() }

// InNames and OutNames are the dimensions' names.
func (l Layout) InNames() []string  { return l.ins.names() }
func (l Layout) OutNames() []string { return l.outs.names() }

// HasIn and HasOut report whether there is a dimension of that name.
func (l Layout) HasIn(name string) bool  { return l.ins.has(name) }
func (l Layout) HasOut(name string) bool { return l.outs.has(name) }

// InBits and OutBits are the logarithms of a dimension's size, InSize and OutSize the sizes.
func (l Layout) InBits(name string) int  { i, _ := l.in(name); return l.ins[i].bits }
func (l Layout) OutBits(name string) int { i, _ := l.out(name); return l.outs[i].bits }
func (l Layout) InSize(name string) int  { return 1 << l.InBits(name) }
func (l Layout) OutSize(name string) int { return 1 << l.OutBits(name) }

// TotalInBits and TotalOutBits are the dimensions of the two vector spaces.
func (l Layout) TotalInBits() int  { return l.ins.total() }
func (l Layout) TotalOutBits() int { return l.outs.total() }

// TotalInSize and TotalOutSize are the numbers of their points.
func (l Layout) TotalInSize() int  { return 1 << l.ins.total() }
func (l Layout) TotalOutSize() int { return 1 << l.outs.total() }

func (l Layout) in(name string) (i, start int) {
	if i, start = l.ins.find(name); i < 0 {
		panic(fmt.Sprintf("layout: no input dimension %q in%s", name, l))
	}
	return i, start
}

func (l Layout) out(name string) (i, start int) {
	if i, start = l.outs.find(name); i < 0 {
		panic(fmt.Sprintf("layout: no output dimension %q in%s", name, l))
	}
	return i, start
}

// columns are the packed basis vectors of an input dimension. The slice must not be changed.
func (l Layout) columns(in string) []uint64 {
	i, start := l.in(in)
	return l.cols[start : start+l.ins[i].bits]
}

// Basis is the image of 1<<i of an input dimension, an entry for each output dimension.
func (l Layout) Basis(in string, i int) []int { return l.outs.unpack(l.columns(in)[i]) }

// BasisAlong is one entry of a basis vector.
func (l Layout) BasisAlong(in string, i int, out string) int {
	o, start := l.out(out)
	return int(l.columns(in)[i] >> start & (1<<l.outs[o].bits - 1))
}

// Bases are the basis vectors of an input dimension.
func (l Layout) Bases(in string) [][]int {
	cols := l.columns(in)
	out := make([][]int, len(cols))
	for i, c := range cols {
		out[i] = l.outs.unpack(c)
	}
	return out
}

// FlatBases are the basis vectors of an input dimension, each as one number: the output coordinates
// flattened, the first dimension the most minor.
func (l Layout) FlatBases(in string) []int {
	cols := l.columns(in)
	out := make([]int, len(cols))
	for i, c := range cols {
		out[i] = int(c)
	}
	return out
}

// AllBases are the basis vectors of all input dimensions: with OutDims, what New takes.
func (l Layout) AllBases() []Bases {
	out := make([]Bases, len(l.ins))
	for i, a := range l.ins {
		out[i] = Bases{a.name, l.Bases(a.name)}
	}
	return out
}

// Apply gives the output coordinates of a point, given by its input coordinates in the order of InDims.
func (l Layout) Apply(coords ...int) []int {
	if len(coords) != len(l.ins) {
		panic(fmt.Sprintf("layout: %d coordinates for%s", len(coords), l))
	}
	for i, a := range l.ins {
		if coords[i] < 0 || coords[i] >= 1<<a.bits {
			panic(fmt.Sprintf("layout: %d is outside of %s in%s", coords[i], a.name, l))
		}
	}
	return l.outs.unpack(l.image(l.ins.pack(coords)))
}

// ApplyFlat is Apply on flattened coordinates, the first dimension the most minor.
func (l Layout) ApplyFlat(point int) int { return int(l.image(uint64(point))) }

// image is the packed image of a packed point.
func (l Layout) image(point uint64) uint64 {
	v := uint64(0)
	for ; point != 0; point &= point - 1 {
		v ^= l.cols[bits.TrailingZeros64(point)]
	}
	return v
}

// Equal reports whether two layouts have the same dimensions, in the same order, and the same basis vectors.
func (l Layout) Equal(m Layout) bool {
	return slices.Equal(l.ins, m.ins) && slices.Equal(l.outs, m.outs) && slices.Equal(l.cols, m.cols)
}

// EqualIgnoringOutSizes is Equal for layouts whose output dimensions may differ in size.
func (l Layout) EqualIgnoringOutSizes(m Layout) bool {
	if !slices.Equal(l.ins, m.ins) || !slices.Equal(l.OutNames(), m.OutNames()) {
		return false
	}
	for i := range l.cols {
		if !slices.Equal(l.outs.unpack(l.cols[i]), m.outs.unpack(m.cols[i])) {
			return false
		}
	}
	return true
}

// Equivalent reports whether two layouts are the same map, whatever the order of their dimensions.
func (l Layout) Equivalent(m Layout) bool {
	return sameNames(l.InNames(), m.InNames()) && sameNames(l.OutNames(), m.OutNames()) &&
		m.TransposeIns(l.InNames()...).TransposeOuts(l.OutNames()...).Equal(l)
}

func sameNames(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for _, n := range a {
		if !slices.Contains(b, n) {
			return false
		}
	}
	return true
}

// Key is a text that is equal for equal layouts and no others, for use in maps.
func (l Layout) Key() string {
	var b strings.Builder
	for _, s := range []space{l.ins, l.outs} {
		for _, a := range s {
			fmt.Fprintf(&b, "%s:%d,", a.name, a.bits)
		}
		b.WriteByte('>')
	}
	for _, c := range l.cols {
		fmt.Fprintf(&b, "%x,", c)
	}
	return b.String()
}

// String is the layout as Triton writes it: a line for each basis vector.
func (l Layout) String() string {
	if len(l.ins) == 0 {
		if len(l.outs) == 0 {
			return "\n(empty layout)"
		}
		return "\n(empty layout with out-dims " + l.outs.String() + ")"
	}
	var b strings.Builder
	b.WriteByte('\n')
	for _, a := range l.ins {
		if a.bits == 0 {
			fmt.Fprintf(&b, " - %s is a size 1 dimension\n", a.name)
		}
		for i, v := range l.Bases(a.name) {
			fmt.Fprintf(&b, " %s %s=%d -> (%s)\n", [2]string{"-", " "}[min(i, 1)], a.name, 1<<i, joinInts(v))
		}
	}
	b.WriteString("where out dims are: " + l.outs.String())
	return b.String()
}

func joinInts(v []int) string {
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i] = fmt.Sprint(x)
	}
	return strings.Join(parts, ", ")
}
