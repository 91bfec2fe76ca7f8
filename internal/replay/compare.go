package replay

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/num"
)

// element is how the elements of a tensor are read.
type element struct {
	size   int
	format *num.Format // of a float; nil for integers
}

// elementOf returns how elements of a type are read, by any of its names; the size is 0 for what is no type.
func elementOf(name string) element {
	t, _ := dtype.Parse(name)
	return element{t.Size(), t.Row().Format}
}

// What two correct devices may differ by. An element may be off by rel times its own magnitude plus rel times
// a part of the root mean square of its tensor: sums are taken in another order, so what cancels leaves an
// error in proportion to the summands, not to the sum. Integers are equal.
//
// rel is, for what is stored in a format of p bits, about two units in the last place: both devices round
// once, from values that differ a little. For fp32 it allows for reductions of a few thousand elements and
// for a GPU's approximate exp, log, division and square root (errors up to 2^-21); for fp64, for a few steps
// in fp32, which kernels take where no fp64 function exists. The result of a kernel that also has tensors of
// fewer bits may depend on values that were rounded to those on the way, of which some fall to the other
// side; so it gets the error of one such rounding, averaged over a sum. Integers among a kernel's tensors
// become fp32 in divisions and functions.
var relative = func() map[*num.Format]float64 {
	m := map[*num.Format]float64{}
	for t := range dtype.All() {
		if r := t.Row(); r.Format != nil {
			m[r.Format] = r.Tolerance
		}
	}
	return m
}()

// tf32Relative is for results that were fp32 and went through a dot in tf32, whose products have 11 bits.
const tf32Relative = 1e-2

// shortSums is how many times the tolerance of a format results get that were summed in it: each step rounds,
// and two devices take the steps in different orders.
const shortSums = 4

// otherOrders is how many times the spread of a few orders of summation results may differ by. Five orders of
// random errors differ by less than half their deviation once in a hundred times; three deviations are
// allowed then.
const otherOrders = 6

// ofTensor is the part of a tensor's root mean square that counts as an element's magnitude: a small sum has
// the errors of its large terms.
const ofTensor = 1.0 / 4

// viaSmaller is the part of a smaller format's tolerance that wider results of the same kernel get.
const viaSmaller = 1.0 / 2

var (
	// tf32Dot is a product of fp32 tensors in tf32.
	tf32Dot = regexp.MustCompile(`tt\.dot .*inputPrecision = tf32 .*tensor<[0-9x]+xf32>`)
	// shortSum is a product that is summed in fp16, or a sum of two scalars, as a reduction has it.
	shortSum = regexp.MustCompile(`(?m)tt\.dot .*-> tensor<[0-9x]+xb?f16>|arith\.addf [^<>]* : b?f16\b`)
	// reorder is a concatenation, whose elements a compiler may put in any order.
	reorder = regexp.MustCompile(`\btt\.cat `)
)

// LessPrecise sets TF32, ShortSums and AnyOrder from the IR of the kernel and reports whether any applies.
func (c *Case) LessPrecise(ir []byte) bool {
	c.TF32, c.ShortSums, c.AnyOrder = tf32Dot.Match(ir), shortSum.Match(ir), reorder.Match(ir)
	return c.TF32 || c.ShortSums || c.AnyOrder
}

// Compare compares memory after a launch, by storage, with what was recorded: storages that the recorded
// launch did not change must be unchanged. It returns the largest difference, in proportion to the element or
// its tensor's root mean square, and an error that says where a difference is too large.
func (c *Case) Compare(got map[string][]byte) (float64, error) {
	worst := 0.0
	for _, s := range slices.Sorted(maps.Keys(c.Before)) {
		want, ok := c.After[s]
		if !ok {
			want = c.Before[s]
		}
		g, ok := got[s]
		if !ok || len(g) != len(want) {
			return worst, fmt.Errorf("storage %s has %d bytes, expected %d", s, len(g), len(want))
		}
		e, err := c.compareStorage(s, g, want)
		worst = max(worst, e)
		if err != nil {
			return worst, err
		}
	}
	return worst, nil
}

// compareStorage compares the elements of a storage as the first tensor in it reads them.
func (c *Case) compareStorage(storage string, got, want []byte) (float64, error) {
	arg := c.view(storage)
	if arg == nil {
		return 0, fmt.Errorf("storage %s belongs to no argument", storage)
	}
	d := elementOf(arg.Dtype)
	start := int(arg.Offset) % d.size
	n := (len(want) - start) / d.size
	end := start + n*d.size
	if string(got[:start]) != string(want[:start]) || string(got[end:]) != string(want[end:]) {
		return 1, fmt.Errorf("%s: bytes outside whole elements of its storage differ", arg.Name)
	}
	got, want = got[start:end], want[start:end]
	spread := c.spread(storage, d, start, want)
	if _, changed := c.After[storage]; changed && c.AnyOrder {
		got, want = d.sorted(got), d.sorted(want)
	}
	if d.format == nil {
		return compareInts(arg, d, got, want)
	}
	return c.compareFloats(arg, d, got, want, spread)
}

// spread returns how much the orders of sums change each element: for an element at least as much as for the
// root mean square of all, since a few orders may agree by chance. It is nil without orders.
func (c *Case) spread(storage string, d element, start int, want []byte) []float64 {
	if d.format == nil || len(c.Orders) == 0 {
		return nil
	}
	out, sum := make([]float64, len(want)/d.size), 0.0
	for i := range out {
		w := d.format.Decode(d.bits(want, i))
		for _, o := range c.Orders {
			if diff := math.Abs(d.format.Decode(d.bits(o[storage][start:], i)) - w); diff > out[i] {
				out[i] = diff
			}
		}
		sum += out[i] * out[i]
	}
	least := math.Sqrt(sum / float64(max(len(out), 1)))
	for i := range out {
		out[i] = max(out[i], least)
	}
	return out
}

// view is the tensor by which a storage is read: the first with a float type, or the first.
func (c *Case) view(storage string) *Arg {
	var found *Arg
	c.tensors(func(a *Arg) {
		if a.Storage == storage &&
			(found == nil || elementOf(found.Dtype).format == nil && elementOf(a.Dtype).format != nil &&
				elementOf(a.Dtype).size == elementOf(found.Dtype).size) {
			found = a
		}
	})
	return found
}

// Elements returns the type by which a storage is read, and the byte at which its first element begins.
func (c *Case) Elements(storage string) (t dtype.Type, start int) {
	a := c.view(storage)
	if a == nil {
		t, _ = dtype.Parse("u8")
		return t, 0
	}
	t, _ = dtype.Parse(a.Dtype)
	return t, int(a.Offset) % t.Size()
}

// OtherElements names the types of tensors that share a storage if some are floats and they differ, or
// returns "".
func (c *Case) OtherElements(storage string) string {
	var names []string
	float := false
	c.tensors(func(a *Arg) {
		t, _ := dtype.Parse(a.Dtype)
		if a.Storage == storage && !slices.Contains(names, t.String()) {
			names, float = append(names, t.String()), float || t.IsFloat()
		}
	})
	if len(names) < 2 || !float {
		return ""
	}
	return strings.Join(names, " and ")
}

func (d element) bits(b []byte, i int) uint64 {
	var buf [8]byte
	copy(buf[:], b[i*d.size:(i+1)*d.size])
	return binary.LittleEndian.Uint64(buf[:])
}

// sorted is a copy of b with its elements in order: as numbers where they are floats, NaN first.
func (d element) sorted(b []byte) []byte {
	elems := make([]uint64, len(b)/d.size)
	for i := range elems {
		elems[i] = d.bits(b, i)
	}
	slices.SortFunc(elems, func(x, y uint64) int {
		if d.format != nil {
			if o := cmp.Compare(d.format.Decode(x), d.format.Decode(y)); o != 0 {
				return o
			}
		}
		return cmp.Compare(x, y)
	})
	out := make([]byte, 0, len(b))
	for _, e := range elems {
		out = append(out, binary.LittleEndian.AppendUint64(nil, e)[:d.size]...)
	}
	return out
}

func compareInts(arg *Arg, d element, got, want []byte) (float64, error) {
	if string(got) == string(want) {
		return 0, nil
	}
	m := mismatches{arg: arg, total: len(want) / d.size}
	for i := range m.total {
		if g, w := d.bits(got, i), d.bits(want, i); g != w {
			shift := 64 - 8*d.size
			m.add(i, fmt.Sprint(int64(g)<<shift>>shift), fmt.Sprint(int64(w)<<shift>>shift))
		}
	}
	return 1, m.err()
}

func (c *Case) compareFloats(arg *Arg, d element, got, want []byte, spread []float64) (float64, error) {
	if string(got) == string(want) {
		return 0, nil
	}
	m := mismatches{arg: arg, total: len(want) / d.size}
	scale := rms(d, want)
	part := float64(ofTensor)
	if c.TF32 || c.ShortSums {
		part = 1
	}
	if c.ShortSums {
		scale = max(scale, c.largestInput())
	}
	rel, floor := c.tolerance(d.format), c.floor(d.format)
	worst := 0.0
	for i := range m.total {
		g, w := d.format.Decode(d.bits(got, i)), d.format.Decode(d.bits(want, i))
		if g == w || g != g && w != w {
			continue
		}
		diff := math.Abs(g - w)
		e := diff / max(math.Abs(w), scale)
		most := rel*(math.Abs(w)+scale*part) + floor
		if spread != nil {
			most += otherOrders * spread[i]
		}
		if !(diff <= most) || math.IsInf(w, 0) {
			m.add(i, fmt.Sprint(g), fmt.Sprint(w))
		}
		if e == e {
			worst = max(worst, e)
		}
	}
	return worst, m.err()
}

// tolerance is the relative error that elements of a format may have in this case.
func (c *Case) tolerance(f *num.Format) float64 {
	rel := relative[f]
	if c.TF32 {
		rel = max(rel, tf32Relative)
	}
	c.tensors(func(a *Arg) {
		switch g := elementOf(a.Dtype).format; {
		case g == nil && f == num.F64, g == num.F32 && f == num.F64:
			rel = max(rel, relative[num.F32])
		case g != nil && g.Bits < 32 && g.Bits < f.Bits:
			rel = max(rel, relative[g]*viaSmaller)
		}
		if g := elementOf(a.Dtype).format; c.ShortSums && g != nil && g.Bits == 16 {
			rel = max(rel, relative[g]*shortSums)
		}
	})
	return rel
}

// floor is what is left where everything cancels: some units in the last place of what comes in, computed in
// fp32 at least. The exponential of x has a relative error of x units.
func (c *Case) floor(f *num.Format) float64 {
	if f == num.F64 {
		return c.largestInput() * 0x1p-49
	}
	return c.largestInput() * 0x1p-20
}

// largestInput is the largest root mean square of the float tensors before the launch: what sums are made of.
// Of what the launch wrote it takes the smaller one of before and after, since what lay there before may be
// rubbish.
func (c *Case) largestInput() float64 {
	largest := 0.0
	c.tensors(func(a *Arg) {
		d := elementOf(a.Dtype)
		if d.format == nil {
			return
		}
		start := int(a.Offset) % d.size
		size := rms(d, c.Before[a.Storage][start:])
		if after, changed := c.After[a.Storage]; changed {
			size = min(size, rms(d, after[start:]))
		}
		largest = max(largest, size)
	})
	return largest
}

// rms is the root mean square of the finite elements.
func rms(d element, b []byte) float64 {
	sum, n := 0.0, 0
	for i := range len(b) / d.size {
		if x := d.format.Decode(d.bits(b, i)); !math.IsInf(x, 0) && x == x {
			sum += x * x
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return math.Sqrt(sum / float64(n))
}

// mismatches is a list of elements that differ too much, of which it remembers the first.
type mismatches struct {
	arg       *Arg
	total, n  int
	first     int
	got, want string
}

func (m *mismatches) add(i int, got, want string) {
	if m.n == 0 {
		m.first, m.got, m.want = i, got, want
	}
	m.n++
}

func (m *mismatches) err() error {
	if m.n == 0 {
		return nil
	}
	return fmt.Errorf("%s: %d of %d elements differ, first element %d: got %s, want %s", m.arg.Name, m.n,
		m.total, m.first, m.got, m.want)
}
