package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// A tensor of which the command line says no shape is as large as the arguments that bound it allow, so
// that a missing mask is seen. Two ways tell how large:
//
//   - the text: where an index e is compared with n, tensors accessed at e hold n elements;
//   - a trial run in the interpreter, on tensors with room to spare: the end of the accesses under masks, or,
//     without any, of all accesses, less what an integer argument shows to be too much.
//
// Integers known at compile time are the sizes of blocks, and those that multiply an index are strides:
// neither is the size of a tensor. A trial run that goes one element past a size that masks compare with, as
// i <= n or x_ptr + i + 1 do, shows a fault: the tensor gets that size, and a note says so.

// maxTrial bounds the elements of a tensor in a trial run.
const maxTrial = 1 << 24

// sizer finds the sizes of tensors without a shape.
type sizer struct {
	ctx  context.Context
	k    *nereid.Kernel
	in   *inputs
	opts nereid.Options
	fill func(*inputs) error // allocates tensors that have a shape

	strides  map[string]bool // integer arguments that multiply an index
	compared map[string]bool // and those that one is compared with
}

// sizes gives every tensor a shape; open lists those that have none.
func (z *sizer) sizes(grid string, open []*tensorArg) error {
	room := roomFor(z.in)
	setShapes(open, room)
	if err := z.fill(z.in); err != nil {
		return err
	}
	g, err := z.in.grid(grid)
	if err != nil {
		return err
	}
	bounds := z.bounds()
	left := 0
	for _, t := range open {
		if n := bounds[t.name]; n > 0 {
			t.shape = []int{n}
		} else {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	var touched map[string]*interp.Touched
	for n := room; n <= max(room, maxTrial); n *= 16 {
		var err error
		if touched, err = z.trial(g, open, n); err != nil {
			continue // out of bounds, perhaps: with more room
		}
		for _, t := range open {
			if bounds[t.name] <= 0 {
				z.fit(t, touched[t.name])
			}
		}
		return nil
	}
	for _, t := range open { // the run itself shows the fault
		if bounds[t.name] > 0 {
			continue
		}
		t.shape = []int{room}
		if x := touched[t.name]; x != nil && x.MaskedEnd+x.PlainEnd > 0 {
			z.fit(t, x)
		}
	}
	return nil
}

func setShapes(list []*tensorArg, n int) {
	for _, t := range list {
		t.shape = []int{n}
	}
}

// fit gives a tensor the shape that it needs after what a trial run did with it.
func (z *sizer) fit(t *tensorArg, x *interp.Touched) {
	n, note := z.size(x, t.dtype.Size())
	t.shape = []int{n}
	if note != "" {
		t.note = fmt.Sprintf("%s needed %d elements, %s: if that is meant, write %[1]s=%[4]s[%[2]d]",
			t.name, n+1, note, t.dtype)
	}
}

// size returns the elements that a tensor needs after what a trial run did with it, and where one more was
// accessed the size that is exceeded.
func (z *sizer) size(t *interp.Touched, elem int) (n int, note string) {
	switch {
	case t == nil:
		return 1, ""
	case t.MaskedEnd > 0:
		n := t.MaskedEnd / elem
		if text := z.extent(n - 1); text != "" && z.extent(n) == "" {
			return n - 1, text
		}
		return n, ""
	}
	end, most := t.PlainEnd/elem, t.PlainRun/elem
	best := 0
	for name, v := range z.lengths() {
		if v < end && v > end-most && v > best && !z.strides[name] {
			best = v // the last access begins before v and ends after it
		}
	}
	if best > 0 {
		return best, ""
	}
	return max(end, 1), ""
}

// lengths returns the integer arguments that are known at launch only.
func (z *sizer) lengths() map[string]int {
	out := map[string]int{}
	for _, p := range z.k.Params() {
		if n, ok := z.in.values[p.Name].(int64); ok && !p.Constexpr && n > 0 && n <= math.MaxInt32 {
			out[p.Name] = int(n)
		}
	}
	return out
}

// extent says which size a number of elements is: an integer that an index is compared with, or the product
// of two. It is "" if it is none.
func (z *sizer) extent(n int) string {
	all := z.lengths()
	names := slices.Sorted(maps.Keys(all))
	for _, a := range names {
		if z.compared[a] && all[a] == n {
			return fmt.Sprintf("%s is %d", a, n)
		}
	}
	for _, a := range names {
		for _, b := range names {
			if a < b && z.compared[a] && z.compared[b] && all[a]*all[b] == n {
				return fmt.Sprintf("%s times %s is %d", a, b, n)
			}
		}
	}
	return ""
}

// trial runs the kernel with room for so many elements in each open tensor. What it touched before a fault is
// returned with the error.
func (z *sizer) trial(g nereid.Grid, open []*tensorArg, room int) (map[string]*interp.Touched, error) {
	saved := map[*tensorArg][]int{}
	for _, t := range open {
		saved[t] = t.shape
	}
	setShapes(open, room)
	defer func() {
		for t, s := range saved {
			t.shape = s
		}
	}()
	if err := z.fill(z.in); err != nil {
		return nil, err
	}
	out := map[string]*interp.Touched{}
	err := tracked(func(dev *nereid.Device, touch *interp.Touch) error {
		args, tensors, err := z.in.on(dev)
		if err != nil {
			return err
		}
		defer closeAll(tensors)
		s, err := dev.NewStream(z.ctx)
		if err != nil {
			return err
		}
		defer s.Close()
		err = z.k.Launch(s, g, append(args, z.opts)...)
		for name, t := range tensors {
			out[name] = touch.At(t.Addr())
		}
		return err
	})
	return out, err
}

// tracked calls f with an interpreter that records accesses.
func tracked(f func(*nereid.Device, *interp.Touch) error) error {
	d := interp.NewDevice(interp.DeviceOptions{Stdout: io.Discard})
	touch := d.Track()
	return f(core.NewDevice(d), touch)
}

// bounds returns the sizes that the kernel's comparisons show, by parameter.
func (z *sizer) bounds() map[string]int {
	interp, err := nereid.OpenDevice("interp")
	if err != nil {
		return nil
	}
	args, tensors, err := z.in.on(interp)
	if err != nil {
		return nil
	}
	defer closeAll(tensors)
	text, err := z.k.Source(z.ctx, append(args, z.opts)...)
	if err != nil {
		return nil
	}
	m, err := ir.ParseWith(diag.NewFileSet(), "source", text, ir.ParseOptions{})
	if err != nil || pass.Run(&pass.Context{}, m, pass.TTIR(pass.TTIRFor(chip.CUDA(90)))) != nil {
		return nil
	}
	z.roles(m)
	limits := z.limits(m)
	out := map[string]int{}
	for op := range m.Ops() {
		switch op.Def {
		case tt.Load, tt.Store, tt.AtomicRMW, tt.AtomicCAS:
		default:
			continue
		}
		name, index := elementOf(op.Operand(0))
		n, ok := limits[index]
		switch {
		case name == "":
		case !ok || n <= 0:
			out[name] = -1 // accessed in a way that no comparison bounds
		case out[name] >= 0:
			out[name] = max(out[name], n)
		}
	}
	return out
}

// roles finds out which integer arguments are strides, and which are compared with indices.
func (z *sizer) roles(m *ir.Module) {
	z.strides, z.compared = map[string]bool{}, map[string]bool{}
	for op := range m.Ops() {
		for _, role := range []struct {
			def *ir.OpDef
			in  map[string]bool
		}{{arith.MulI, z.strides}, {arith.CmpI, z.compared}} {
			if op.Def != role.def {
				continue
			}
			for _, v := range op.Operands() {
				if arg := argument(v); arg != nil {
					role.in[arg.Name] = true
				}
			}
		}
	}
}

// argument returns the kernel's argument that a value is, spread over a tensor or widened; nil if it is none.
func argument(v *ir.Value) *ir.Value {
	for v.Def() != nil {
		switch v.Def().Def {
		case tt.Splat, arith.ExtSI, arith.ExtUI:
			v = v.Def().Operand(0)
		default:
			return nil
		}
	}
	if !v.IsArg() {
		return nil
	}
	return v
}

// limits returns the values that are compared with a number, e < n, and the largest such n.
func (z *sizer) limits(m *ir.Module) map[*ir.Value]int {
	out := map[*ir.Value]int{}
	for op := range m.Ops() {
		if op.Def != arith.CmpI {
			continue
		}
		less, more := op.Operand(0), op.Operand(1)
		p, _ := op.Int("predicate")
		word, _ := arith.CmpIPredicate.Word(p)
		switch word {
		case "slt", "ult":
		case "sgt", "ugt":
			less, more = more, less
		default:
			continue
		}
		if n, ok := z.number(more); ok && n <= math.MaxInt32 {
			out[less] = max(out[less], int(n))
		}
	}
	return out
}

// number returns the value of an integer argument of the launch, or of a constant, spread over a tensor or
// not.
func (z *sizer) number(v *ir.Value) (int64, bool) {
	if n, ok := arith.IntOf(v); ok {
		return n, true
	}
	arg := argument(v)
	if arg == nil {
		return 0, false
	}
	n, ok := z.in.values[arg.Name].(int64)
	return n, ok
}

// elementOf returns the parameter and the index of a one-dimensional address, param + index. The name is ""
// if the address has no known parameter, the index nil if it is no plain sum.
func elementOf(ptr *ir.Value) (param string, index *ir.Value) {
	sums := 0
	for ptr.Def() != nil {
		switch op := ptr.Def(); op.Def {
		case tt.AddPtr:
			sums++
			index, ptr = op.Operand(1), op.Operand(0)
		case tt.Splat, tt.Broadcast, tt.ExpandDims:
			ptr = op.Operand(0)
		default:
			return "", nil
		}
	}
	if !ptr.IsArg() {
		return "", nil
	}
	if sums != 1 {
		index = nil
	}
	return ptr.Name, index
}
