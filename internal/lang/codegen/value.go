package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// shape is the type of a value as control flow and calls see it: the IR values that it is made of, and the
// part of it that is known at compile time. Exactly one of dev, desc, block, tuple (elems), object and known
// describes it.
type shape struct {
	dev    sem.Type           // type of a tensor
	desc   *descShape         // what is known of a tensor descriptor
	block  *sem.BlockPointer  // block pointer of this kind; its parts have the shapes elems
	elems  []shape            // elements of a tuple or object, with isTuple
	class  *object.NamedTuple // class of a named tuple
	object *world.Class       // the object of an aggregate
	known  object.Value       // the value, if it is known at compile time
	tuple  bool
}

type descShape struct {
	t              *sem.DescType
	shape, strides []shape
	like           *sem.Descriptor
}

// shapeOf returns the shape of a value.
func shapeOf(v object.Value) shape {
	switch v := v.(type) {
	case *sem.Tensor:
		return shape{dev: v.Type}
	case *sem.Descriptor:
		return shape{desc: &descShape{t: v.Type, shape: tensorShapes(v.Shape),
			strides: tensorShapes(v.Strides), like: v}}
	case *sem.BlockPointer:
		return shape{block: v, elems: tensorShapes(v.Parts())}
	case *object.Tuple:
		return shape{tuple: true, class: v.Class, elems: shapesOf(v.Items)}
	case *world.Object:
		return shape{object: v.Class, elems: shapesOf(v.Fields)}
	}
	return shape{known: v}
}

func shapesOf(vs []object.Value) []shape {
	out := make([]shape, len(vs))
	for i, v := range vs {
		out[i] = shapeOf(v)
	}
	return out
}

func tensorShapes(ts []*sem.Tensor) []shape {
	out := make([]shape, len(ts))
	for i, t := range ts {
		out[i] = shape{dev: t.Type}
	}
	return out
}

// isDevice reports whether the shape has IR values, or is of a kind that could have.
func (s shape) isDevice() bool { return s.known == nil }

// equal reports whether two values of these shapes can be joined where control flow meets.
func (s shape) equal(t shape) bool {
	switch {
	case s.known != nil || t.known != nil:
		return s.known != nil && t.known != nil && world.Equal(s.known, t.known)
	case s.desc != nil || t.desc != nil:
		return s.desc != nil && t.desc != nil && s.desc.t == t.desc.t &&
			equalShapes(s.desc.shape, t.desc.shape) && equalShapes(s.desc.strides, t.desc.strides)
	case s.dev != nil || t.dev != nil:
		return s.dev == t.dev
	case s.block != nil || t.block != nil:
		return s.block != nil && t.block != nil && slices.Equal(s.block.Block, t.block.Block) &&
			slices.Equal(s.block.Order, t.block.Order) && equalShapes(s.elems, t.elems)
	}
	return s.tuple == t.tuple && s.class == t.class && s.object == t.object && equalShapes(s.elems, t.elems)
}

func equalShapes(a, b []shape) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].equal(b[i]) {
			return false
		}
	}
	return true
}

// String returns the type as messages name it.
func (s shape) String() string {
	switch {
	case s.known != nil:
		return "constexpr[" + world.Text(s.known) + "]"
	case s.dev != nil:
		return sem.TypeText(s.dev)
	case s.desc != nil:
		return sem.TypeText(s.desc.t)
	}
	parts := make([]string, len(s.elems))
	for i, e := range s.elems {
		parts[i] = e.String()
	}
	if s.block != nil {
		return s.block.TypeName() + "(" + strings.Join(parts, ", ") + ")"
	}
	if s.object != nil {
		return s.object.Name + "(" + strings.Join(parts, ", ") + ")"
	}
	return "tuple[" + strings.Join(parts, ", ") + "]"
}

// mangle returns the shape's part in the name of a specialised function.
func (s shape) mangle() string {
	switch {
	case s.dev != nil:
		return s.dev.Mangle()
	case s.desc != nil:
		return s.desc.t.Mangle()
	case s.known != nil:
		return "constexpr_type[" + world.Text(s.known) + "]"
	}
	parts := make([]string, len(s.elems))
	for i, e := range s.elems {
		parts[i] = e.mangle()
	}
	if s.block != nil {
		return s.mangleBlock(parts)
	}
	if s.object != nil {
		return s.object.FullName() + "<" + strings.Join(parts, ", ") + ">"
	}
	return "T" + strings.Join(parts, "_") + "T"
}

// mangleBlock names a block pointer as Triton does: a class of tuples.
func (s shape) mangleBlock(parts []string) string {
	n := len(s.block.Block)
	fields := []string{parts[0]}
	for i := range 3 {
		fields = append(fields, "T"+strings.Join(parts[1+i*n:1+(i+1)*n], "_")+"T")
	}
	for _, list := range [][]int64{s.block.Block, s.block.Order} {
		var items []string
		for _, x := range list {
			items = append(items, fmt.Sprint("c", x))
		}
		fields = append(fields, "T"+strings.Join(items, "_")+"T")
	}
	return "triton.language.core._block_ptr<" + strings.Join(fields, ", ") + ">"
}

// irTypes appends the types of the IR values that make up a value of the shape.
func (s shape) irTypes(out []ir.Type) []ir.Type {
	switch {
	case s.dev != nil:
		return append(out, s.dev.IR())
	case s.desc != nil:
		out = append(out, s.desc.t.IR())
		for _, e := range append(append([]shape(nil), s.desc.shape...), s.desc.strides...) {
			out = e.irTypes(out)
		}
		return out
	}
	for _, e := range s.elems {
		out = e.irTypes(out)
	}
	return out
}

// flatten appends the IR values that make up v.
func flatten(v object.Value, out []*ir.Value) []*ir.Value {
	switch v := v.(type) {
	case *sem.Tensor:
		return append(out, v.V)
	case *sem.Descriptor:
		out = append(out, v.V)
		for _, t := range v.Shape {
			out = append(out, t.V)
		}
		for _, t := range v.Strides {
			out = append(out, t.V)
		}
	case *sem.BlockPointer:
		for _, t := range v.Parts() {
			out = append(out, t.V)
		}
	case *object.Tuple:
		for _, e := range v.Items {
			out = flatten(e, out)
		}
	case *world.Object:
		for _, e := range v.Fields {
			out = flatten(e, out)
		}
	}
	return out
}

// build makes a value of the shape from the IR values at the front of vs, and returns the rest.
func (s shape) build(vs []*ir.Value) (object.Value, []*ir.Value) {
	switch {
	case s.dev != nil:
		return &sem.Tensor{V: vs[0], Type: s.dev}, vs[1:]
	case s.known != nil:
		return s.known, vs
	case s.desc != nil:
		d := *s.desc.like
		d.V, vs = vs[0], vs[1:]
		d.Shape, vs = buildTensors(s.desc.shape, vs)
		d.Strides, vs = buildTensors(s.desc.strides, vs)
		return &d, vs
	case s.block != nil:
		parts, rest := buildTensors(s.elems, vs)
		return s.block.WithParts(parts), rest
	}
	items := make([]object.Value, len(s.elems))
	for i, e := range s.elems {
		items[i], vs = e.build(vs)
	}
	if s.object != nil {
		return &world.Object{Class: s.object, Fields: items}, vs
	}
	return &object.Tuple{Items: items, Class: s.class}, vs
}

func buildTensors(shapes []shape, vs []*ir.Value) ([]*sem.Tensor, []*ir.Value) {
	out := make([]*sem.Tensor, len(shapes))
	for i, s := range shapes {
		out[i] = &sem.Tensor{V: vs[0], Type: s.dev}
		vs = vs[1:]
	}
	return out, vs
}

// hasDevice reports whether any part of v lives on the device.
func hasDevice(v object.Value) bool {
	switch v := v.(type) {
	case *sem.Tensor, *sem.Descriptor, *sem.BlockPointer:
		return true
	case *object.Tuple:
		return anyDevice(v.Items)
	case *world.Object:
		return anyDevice(v.Fields)
	}
	return false
}

func anyDevice(vs []object.Value) bool {
	for _, v := range vs {
		if hasDevice(v) {
			return true
		}
	}
	return false
}

func sameValues(a, b []*ir.Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// argPath is the place of a value within nested argument tuples, as Triton writes it in mangled names: (1,)
// or (0, 2).
type argPath []int

func (p argPath) String() string {
	if len(p) == 1 {
		return fmt.Sprintf("(%d,)", p[0])
	}
	parts := make([]string, len(p))
	for i, n := range p {
		parts[i] = fmt.Sprint(n)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// leaves calls f for every value that is not a tuple, with its path.
func leaves(vs []object.Value, at argPath, f func(argPath, object.Value)) {
	for i, v := range vs {
		p := append(append(argPath(nil), at...), i)
		if t, ok := v.(*object.Tuple); ok {
			leaves(t.Items, p, f)
			continue
		}
		f(p, v)
	}
}
