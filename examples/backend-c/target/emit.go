package target

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/backend"
)

// entry is the C function that runs a range of programs.
const entry = "nereid_run"

// operand is what C knows of a value: a scalar is an expression without effects; a tensor or memref is
// the address of its first element, with a size and a stride for each dimension, as expressions.
type operand struct {
	typ            Type
	c              string
	sizes, strides []string
	// slot is the field of the frame that holds the elements; "" for the caller's memory. A view shares
	// its slot.
	slot  string
	whole bool // the operand is all of its slot, in order
}

// handler writes an operation that has at least these operands, and these results; -1 stands for any
// number.
type handler struct {
	write             func(e *emitter, op *Op) error
	operands, results int
}

// emitter writes the C function of one kernel. Each tensor has a slot of its own in a frame that lives as
// long as a range of programs runs. A slot is written by one operation and read until that operation runs
// again; what a loop carries, or a branch returns, is copied. So a view needs no copy, and no slot is
// freed.
type emitter struct {
	kernel string
	ops    map[string]handler
	body   strings.Builder
	frame  strings.Builder // fields of struct frame
	bytes  int64           // of the frame
	values map[*Value]*operand
	names  int
	depth  int
	index  []string // the variables of the loops around, for linalg.index
}

// maxFrame bounds the memory of a thread.
const maxFrame = 1 << 30

// Emit returns a kernel at the linalg stage as a C file.
func Emit(k *backend.Kernel) (string, error) {
	return emit(k, "func.func", handlers(), (*emitter).arguments)
}

// emit returns a kernel as a C file: a function of some operation, whose operations the handlers write.
func emit(k *backend.Kernel, function string, ops map[string]handler,
	arguments func(*emitter, *backend.Kernel, *Block) error) (string, error) {
	list, err := Parse(string(k.IR))
	if err != nil {
		return "", fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	f := find(list, function, k.Name)
	if f == nil || len(f.Regions) != 1 || len(f.Regions[0]) != 1 {
		return "", fmt.Errorf("kernel %s: expected a %s of that name with one block", k.Name, function)
	}
	e := &emitter{kernel: k.Name, ops: ops, values: map[*Value]*operand{}, depth: 1}
	body := f.Regions[0][0]
	if err := arguments(e, k, body); err != nil {
		return "", fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	if _, err := e.block(body); err != nil {
		return "", fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	return fmt.Sprintf(file, e.frame.String(), e.body.String(), entry), nil
}

// file is the C file around a kernel.
const file = `#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct frame {
	_Alignas(64) char none;
%s};

static void program(struct frame *f, const uint64_t *words, const int32_t *grid, const int32_t *pid) {
%s}

// Runs the programs from begin up to end, counted with x fastest. Returns 1 where there is no memory for
// the frame.
int32_t %s(const uint64_t *words, const int32_t *grid, int64_t begin, int64_t end) {
	struct frame *f = aligned_alloc(_Alignof(struct frame), sizeof *f);
	if (!f) return 1;
	for (int64_t p = begin; p < end; p++) {
		int32_t pid[3] = {p %% grid[0], p / grid[0] %% grid[1], p / grid[0] / grid[1]};
		program(f, words, grid, pid);
	}
	free(f);
	return 0;
}
`

// find returns the function of a name, at any depth.
func find(ops []*Op, function, name string) *Op {
	for _, op := range ops {
		if op.Name == function && op.Attrs["sym_name"] == strconv.Quote(name) {
			return op
		}
		for _, r := range op.Regions {
			for _, b := range r {
				if f := find(b.Ops, function, name); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// arguments declares the function's arguments: those of the launch, then the grid and the program's place
// in it.
func (e *emitter) arguments(k *backend.Kernel, b *Block) error {
	n := len(k.Params)
	if len(b.Args) != n+6 {
		return fmt.Errorf("the function has %d arguments, expected %d of the launch and 6 of the grid",
			len(b.Args), n)
	}
	for i, v := range b.Args {
		c, err := ctype(v.Type.Elem)
		if err != nil {
			return fmt.Errorf("argument %s: %w", v.Name, err)
		}
		o := &operand{typ: v.Type, c: e.name("a")}
		switch {
		case i >= n:
			o.c = fmt.Sprintf("%s[%d]", []string{"grid", "pid"}[(i-n)/3], (i-n)%3)
		case v.Type.Unranked:
			e.line("%s *%s = (%s *)(uintptr_t)words[%d];", c, o.c, c, i)
		case v.Type.Kind == Scalar:
			e.line("%s %s;", c, o.c)
			e.line("memcpy(&%s, &words[%d], sizeof %s);", o.c, i, o.c)
		default:
			return fmt.Errorf("argument %s: expected a number or memref<*x%s>", v.Name, v.Type.Elem)
		}
		e.values[v] = o
	}
	return nil
}

// block writes the operations of a block but its terminator, which it returns.
func (e *emitter) block(b *Block) (*Op, error) {
	if len(b.Ops) == 0 {
		return nil, fmt.Errorf("a block has no terminator")
	}
	last := len(b.Ops) - 1
	for _, op := range b.Ops[:last] {
		if err := e.op(op); err != nil {
			return nil, fmt.Errorf("line %d of its IR: %s: %w", op.Line, op.Name, err)
		}
	}
	return b.Ops[last], nil
}

func (e *emitter) op(op *Op) error {
	if onElements(op.Name) && len(op.Results) == 1 && op.Results[0].Type.Kind == Tensor {
		return e.each(op, e.op)
	}
	if h, ok := e.ops[op.Name]; ok {
		if len(op.Operands) < h.operands || h.results >= 0 && len(op.Results) != h.results {
			return fmt.Errorf("found %d operands and %d results, expected %d and %d", len(op.Operands),
				len(op.Results),
				h.operands, h.results)
		}
		return h.write(e, op)
	}
	if t, ok := scalarOps[op.Name]; ok {
		return e.scalar(op, t)
	}
	if fn, ok := mathOps[op.Name]; ok {
		return e.math(op, fn)
	}
	return fmt.Errorf("this back end has no C for the operation")
}

// handlers returns how operations are written, apart from the scalar ones, by their names. It is no
// variable, since handlers write blocks, whose operations are found here.
func handlers() map[string]handler {
	return map[string]handler{
		"arith.constant": {(*emitter).constant, 0, 1},
		"arith.bitcast":  {(*emitter).bitcast, 1, 1},
		"arith.cmpi":     {compare(cmpi), 2, 1},
		"arith.cmpf":     {compare(cmpf), 2, 1},

		"scf.for":   {(*emitter).forLoop, 3, -1},
		"scf.if":    {(*emitter).ifElse, 1, -1},
		"scf.while": {(*emitter).whileLoop, 0, -1},

		"linalg.fill":      {(*emitter).fill, 2, -1},
		"linalg.generic":   {(*emitter).generic, 1, -1},
		"linalg.reduce":    {(*emitter).reduce, 2, -1},
		"linalg.broadcast": {(*emitter).broadcast, 2, -1},
		"linalg.transpose": {(*emitter).transpose, 2, -1},
		"linalg.index":     {(*emitter).loopIndex, 0, 1},

		"memref.alloc":            {(*emitter).alloc, 0, 1},
		"memref.reinterpret_cast": {(*emitter).reinterpret, 1, 1},
		"memref.subview":          {(*emitter).slice, 1, 1},
		"memref.cast":             {(*emitter).cast, 1, 1},
		"memref.load":             {(*emitter).load, 1, 1},
		"memref.store":            {(*emitter).store, 2, 0},
		"memref.copy":             {(*emitter).copyInto, 2, 0},
		"bufferization.to_tensor": {(*emitter).toTensor, 1, 1},
		"bufferization.materialize_in_destination": {(*emitter).copyInto, 2, 0},

		"tensor.empty":          {(*emitter).alloc, 0, 1},
		"tensor.extract":        {(*emitter).load, 1, 1},
		"tensor.extract_slice":  {(*emitter).slice, 1, 1},
		"tensor.insert_slice":   {(*emitter).insertSlice, 2, 1},
		"tensor.expand_shape":   {(*emitter).reshape, 1, 1},
		"tensor.collapse_shape": {(*emitter).reshape, 1, 1},
		"tensor.cast":           {(*emitter).cast, 1, 1},
	}
}

func (e *emitter) line(format string, args ...any) {
	e.body.WriteString(strings.Repeat("\t", e.depth))
	fmt.Fprintf(&e.body, format, args...)
	e.body.WriteByte('\n')
}

// open writes a line that begins a block of C, closed by close.
func (e *emitter) open(format string, args ...any) {
	e.line(format+" {", args...)
	e.depth++
}

func (e *emitter) close() {
	e.depth--
	e.line("}")
}

// name returns a name that C has not seen.
func (e *emitter) name(prefix string) string {
	e.names++
	return prefix + strconv.Itoa(e.names)
}

// declare writes a variable with a value and makes it the operand of v.
func (e *emitter) declare(v *Value, expr string) error {
	t, err := ctype(v.Type.Elem)
	if err != nil {
		return err
	}
	o := &operand{typ: v.Type, c: e.name("v")}
	e.line("%s %s = %s;", t, o.c, expr)
	e.values[v] = o
	return nil
}

// slot makes room in the frame for a tensor or memref.
func (e *emitter) slot(t Type) (*operand, error) {
	c, err := ctype(t.Elem)
	if err != nil {
		return nil, err
	}
	if !t.Static() {
		return nil, fmt.Errorf("room for a tensor whose size is not known when the kernel is compiled")
	}
	n := max(t.Len(), 1)
	if e.bytes += n*8 + 64; n > maxFrame || e.bytes > maxFrame {
		return nil, fmt.Errorf("the kernel's tensors need more than %d bytes: use smaller blocks", maxFrame)
	}
	name := e.name("s")
	fmt.Fprintf(&e.frame, "\t_Alignas(64) %s %s[%d];\n", c, name, n)
	o := &operand{typ: t, c: "f->" + name, slot: name, whole: true}
	o.sizes, o.strides = rowMajor(t.Shape)
	return o, nil
}

// rowMajor returns the sizes and strides of elements that lie one behind the other.
func rowMajor(shape []int64) (sizes, strides []string) {
	stride := int64(1)
	for _, n := range slices.Backward(shape) {
		sizes, strides = append(sizes, fmt.Sprint(n)), append(strides, fmt.Sprint(stride))
		stride *= n
	}
	slices.Reverse(sizes)
	slices.Reverse(strides)
	return sizes, strides
}

// loops opens a loop for each size and returns their variables; each is closed by close.
func (e *emitter) loops(sizes []string) (vars []string) {
	for _, n := range sizes {
		v := e.name("i")
		e.open("for (int64_t %s = 0; %s < %s; %s++)", v, v, n, v)
		vars = append(vars, v)
	}
	return vars
}

// at returns the element at a place as C.
func (o *operand) at(place []string) string {
	offset := "0"
	for i, p := range place {
		offset = plus(offset, times(p, o.strides[i]))
	}
	return fmt.Sprintf("%s[%s]", o.c, offset)
}

// copy writes loops that copy elements between operands of one shape.
func (e *emitter) copy(to, from *operand) error {
	if len(to.sizes) != len(from.sizes) {
		return fmt.Errorf("a copy between tensors of %d and %d dimensions", len(to.sizes), len(from.sizes))
	}
	sizes := slices.Clone(to.sizes)
	for i, s := range from.sizes {
		if isNumber(s) {
			sizes[i] = s
		}
	}
	vars := e.loops(sizes)
	e.line("%s = %s;", to.at(vars), from.at(vars))
	for range vars {
		e.close()
	}
	return nil
}

func isNumber(s string) bool { _, err := strconv.ParseInt(s, 10, 64); return err == nil }

// plus and times join C expressions and compute with numbers, so that C reads as a person would write it.
func plus(a, b string) string {
	switch {
	case a == "0":
		return b
	case b == "0":
		return a
	case isNumber(a) && isNumber(b):
		x, _ := strconv.ParseInt(a, 10, 64)
		y, _ := strconv.ParseInt(b, 10, 64)
		return fmt.Sprint(x + y)
	}
	return "(" + a + " + " + b + ")"
}

func times(a, b string) string {
	switch {
	case a == "0" || b == "0":
		return "0"
	case a == "1":
		return b
	case b == "1":
		return a
	case isNumber(a) && isNumber(b):
		x, _ := strconv.ParseInt(a, 10, 64)
		y, _ := strconv.ParseInt(b, 10, 64)
		return fmt.Sprint(x * y)
	}
	return "(" + a + " * " + b + ")"
}
