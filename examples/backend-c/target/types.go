package target

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Dynamic is a size, stride or offset that is known only when the kernel runs; attributes write it as
// this number.
const Dynamic = math.MinInt64

// Kind tells the types apart that the emitter knows.
type Kind int

const (
	Scalar Kind = iota
	Tensor
	Memref
)

// Type is a type of the linalg stage, or of TTGIR, whose layouts are passed over.
type Type struct {
	Kind     Kind
	Elem     string  // "f32", "i1", "index"
	Shape    []int64 // of tensors and memrefs
	Unranked bool    // memref<*xf32>: an address
}

// ParseType reads a type. Layouts of memrefs are passed over, since the operations that make views say
// the same.
func ParseType(s string) (Type, error) {
	inner, shaped := s, false
	t := Type{}
	for kind, prefix := range map[Kind]string{Tensor: "tensor<", Memref: "memref<"} {
		if strings.HasPrefix(s, prefix) {
			t.Kind, inner, shaped = kind, strings.TrimSuffix(s[len(prefix):], ">"), true
		}
	}
	if !shaped {
		t.Elem = s
		return t, nil
	}
	inner, _, _ = strings.Cut(inner, ",")
	for {
		size, rest, ok := strings.Cut(inner, "x")
		n, err := strconv.ParseInt(size, 10, 64)
		switch {
		case ok && size == "*":
			t.Unranked = true
		case ok && size == "?":
			t.Shape = append(t.Shape, Dynamic)
		case ok && err == nil && n >= 0:
			t.Shape = append(t.Shape, n)
		default:
			t.Elem = strings.TrimSpace(inner)
			if t.Elem == "" || strings.ContainsAny(pointee(t.Elem), "<> ") {
				return t, fmt.Errorf("cannot read the type %s", s)
			}
			return t, nil
		}
		inner = rest
	}
}

// Static reports whether all sizes are known.
func (t Type) Static() bool {
	for _, n := range t.Shape {
		if n == Dynamic {
			return false
		}
	}
	return !t.Unranked
}

// Len returns the number of elements of a static type.
func (t Type) Len() int64 {
	n := int64(1)
	for _, s := range t.Shape {
		n *= s
	}
	return n
}

// ints returns the numbers of "array<i64: 1, 2>" or "[1, 2]"; an absent attribute has none.
func (op *Op) ints(name string) (list []int64, err error) {
	s := op.Attrs[name]
	if _, after, ok := strings.Cut(s, ":"); ok && strings.HasPrefix(s, "array<") {
		s = after
	}
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("[]<>, ", r) }) {
		if strings.HasPrefix(f, "array") {
			continue // array<i64> has no numbers
		}
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("attribute %s = %s: expected integers", name, op.Attrs[name])
		}
		list = append(list, n)
	}
	return list, nil
}

// integer returns the number of an attribute like "2 : i64".
func (op *Op) integer(name string) (int64, error) {
	s, _, _ := strings.Cut(op.Attrs[name], ":")
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("attribute %s = %q: expected an integer", name, op.Attrs[name])
	}
	return n, nil
}

// segments splits the operands by operandSegmentSizes into want groups.
func (op *Op) segments(want int) ([][]*Value, error) {
	sizes, err := op.ints("operandSegmentSizes")
	if err != nil {
		return nil, err
	}
	var groups [][]*Value
	rest := op.Operands
	for _, n := range sizes {
		if n < 0 || int(n) > len(rest) {
			break
		}
		groups, rest = append(groups, rest[:n]), rest[n:]
	}
	if len(groups) != want || len(rest) != 0 {
		return nil, fmt.Errorf("operandSegmentSizes = %v do not split %d operands into %d groups", sizes,
			len(op.Operands), want)
	}
	return groups, nil
}

// Map is an affine map: results as C expressions of the variables d0, d1, and so on.
type Map struct {
	Dims    int
	Results []string
}

// maps returns the affine maps of an attribute.
func (op *Op) maps(name string) (list []Map, err error) {
	for _, s := range strings.Split(op.Attrs[name], "affine_map<")[1:] {
		dims, results, ok := strings.Cut(s, "->")
		end := strings.LastIndex(results, ")")
		if !ok || end < 0 || strings.ContainsAny(dims, "[s") || strings.Contains(results, "mod") ||
			strings.Contains(results, "div") {
			return nil, fmt.Errorf("attribute %s: cannot read affine_map<%s", name, s)
		}
		list = append(list, Map{len(commas(dims)), commas(results[:end+1])})
	}
	return list, nil
}

// commas splits "(a, b + c)" into its parts.
func commas(s string) (parts []string) {
	s = strings.TrimSpace(s)
	s = strings.TrimSuffix(strings.TrimPrefix(s, "("), ")")
	for p := range strings.SplitSeq(s, ",") {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	return parts
}
