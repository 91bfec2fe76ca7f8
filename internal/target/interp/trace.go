package interp

import (
	"bytes"
	endian "encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Trace is the execution of one program of a grid, operation by operation, with the values of its named
// values: what a debugger walks through, in both directions.
type Trace struct {
	Program int64 // number in the grid, x fastest
	Events  []TraceEvent
	// Accesses are those to memory, in order.
	Accesses []TraceAccess
	Fault    *Fault // that ended the program, or nil
	Cut      bool   // the program went on beyond what a trace holds
	bytes    int
}

// TraceAccess is neighbouring elements of memory that an operation of the program accessed.
type TraceAccess struct {
	Event int    // the last one before it, the beginning of the operation
	What  string // "load", "store" or "atomic"
	Addr  uint64
	Bytes int
}

// TraceEvent is the beginning of an operation (Values is nil) or its end.
type TraceEvent struct {
	Loc    ir.Loc
	Func   string
	Calls  []ir.Loc // of the calls around it, outermost first
	End    bool
	Values []TraceValue // named values that exist since
}

// TraceValue is the value of a variable.
type TraceValue struct {
	Name  string
	Type  string
	Shape []int64 // nil for a scalar
	// Points is the size in bytes of what a pointer, or each of a block of pointers, points to; 0 for others.
	Points int
	data   []byte
	kind   kind
	n      int // elements that data stands for
}

// A trace holds at most so many events and bytes of values.
const (
	maxEvents     = 1 << 20
	maxTraceBytes = 512 << 20
)

// Trace records the execution of one program of each launch from now on. Kernels run as the front end made
// them, so that each line and each variable is there.
func (d *Device) Trace(program int64) *Trace {
	d.trace = &Trace{Program: program}
	return d.trace
}

// Len returns the number of elements.
func (v TraceValue) Len() int { return v.n }

// At returns an element as text.
func (v TraceValue) At(i int) string {
	if x, ok := v.Number(i); ok {
		return strconv.FormatFloat(x, 'g', 7, 64)
	}
	return strconv.FormatInt(v.Int(i), 10)
}

// Number returns an element of a tensor of floats.
func (v TraceValue) Number(i int) (x float64, ok bool) {
	d := v.elem(i)
	switch v.kind {
	case kF32:
		return float64(math.Float32frombits(endian.LittleEndian.Uint32(d))), true
	case kF64:
		return math.Float64frombits(endian.LittleEndian.Uint64(d)), true
	}
	return 0, false
}

// Int returns an element of a tensor of integers or pointers.
func (v TraceValue) Int(i int) int64 {
	switch d := v.elem(i); v.kind {
	case kI1:
		return int64(d[0])
	case kI8:
		return int64(int8(d[0]))
	case kI16:
		return int64(int16(endian.LittleEndian.Uint16(d)))
	case kI32:
		return int64(int32(endian.LittleEndian.Uint32(d)))
	default:
		return int64(endian.LittleEndian.Uint64(d))
	}
}

// elem returns the bytes of an element; one element stands for all of a tensor of equal ones.
func (v TraceValue) elem(i int) []byte {
	size := v.kind.bytes()
	if len(v.data) == size {
		i = 0
	}
	return v.data[i*size : (i+1)*size]
}

// begins records the beginning of an operation.
func (w *worker) begins(f *frame, in *instr) {
	t := w.opts.Trace
	if t == nil || w.id != t.Program || in.op == nil {
		return
	}
	e := TraceEvent{Loc: in.op.Loc, Func: f.fn.name, Calls: w.callLocs()}
	if b := in.op.Block(); b != nil && b.First() == in.op {
		for _, a := range b.Args() {
			e.Values = f.keep(e.Values, a)
		}
	}
	t.add(e)
}

// ended records the end of an operation, with its results.
func (w *worker) ended(f *frame, in *instr) {
	t := w.opts.Trace
	if t == nil || w.id != t.Program || in.op == nil {
		return
	}
	e := TraceEvent{Loc: in.op.Loc, Func: f.fn.name, Calls: w.callLocs(), End: true}
	for _, r := range in.op.Results() {
		e.Values = f.keep(e.Values, r)
	}
	if e.Values != nil {
		t.add(e)
	}
}

func (w *worker) callLocs() (out []ir.Loc) {
	for _, c := range w.calls {
		out = append(out, c.Loc)
	}
	return out
}

func (t *Trace) add(e TraceEvent) {
	for _, v := range e.Values {
		t.bytes += len(v.data)
	}
	if len(t.Events) == maxEvents || t.bytes > maxTraceBytes {
		t.Cut = true
		return
	}
	t.Events = append(t.Events, e)
}

// accessed records an access to memory.
func (w *worker) accessed(what string, addr uint64, n int) {
	t := w.opts.Trace
	if t == nil || w.id != t.Program || len(t.Accesses) == maxEvents || t.Cut {
		return
	}
	t.Accesses = append(t.Accesses, TraceAccess{len(t.Events) - 1, what, addr, n})
}

// keep adds the value of v, if it has a name and lies in a register.
func (f *frame) keep(list []TraceValue, v *ir.Value) []TraceValue {
	x, ok := f.fn.vals[v]
	if !ok || v.Name == "" || x.kind == kNone || x.kind == kObj {
		return list
	}
	return append(list, TraceValue{Name: v.Name, Type: fmt.Sprint(v.Type), Shape: ir.ShapeOf(v.Type),
		Points: pointsTo(v.Type), data: bytes.Clone(f.bytes(x.reg, x.kind)), kind: x.kind, n: x.n})
}

// pointsTo returns the bytes that a pointer of a type points to.
func pointsTo(t ir.Type) int {
	pointee, _, ok := tt.AsPtr(ir.ElemOf(t))
	if !ok {
		return 0
	}
	l, err := layoutOf(pointee)
	if err != nil {
		return 0
	}
	return l.memBytes()
}
