package ops

import (
	"github.com/nereid-lang/nereid"
)

// Expr is a formula of elements: what Fuse makes a kernel of. Its methods are the functions that tensors have
// under the same names; where they take an operand of type any, that is an Expr or a Go number.
type Expr struct{ n *node }

// node is a value of a formula. Formulas are graphs: a node may have several users.
type node struct {
	fn     *function    // nil for a leaf
	args   []*node      // operands of fn
	input  int          // of a leaf: position of the input
	number *number      // of a leaf that is a constant
	dt     nereid.DType // of a cast: its type
}

// number is a Go number.
type number struct {
	f     float64
	i     int64
	float bool
}

// numberOf returns a Go number of any type.
func numberOf(v any) (number, bool) {
	switch v := v.(type) {
	case int:
		return number{i: int64(v), f: float64(v)}, true
	case int32:
		return number{i: int64(v), f: float64(v)}, true
	case int64:
		return number{i: v, f: float64(v)}, true
	case float64:
		return number{f: v, i: int64(v), float: true}, true
	case float32:
		return number{f: float64(v), i: int64(v), float: true}, true
	}
	return number{}, false
}

// Number returns a constant: the value is part of the kernel's text.
func Number[N int | int32 | int64 | float32 | float64](v N) Expr {
	x, _ := numberOf(v)
	return Expr{&node{number: &x}}
}

// To returns x rounded to a type.
func (x Expr) To(dt nereid.DType) Expr {
	return Expr{&node{fn: castFunction, args: []*node{x.n}, dt: dt}}
}

// operand returns the node of an operand of a method. A wrong one makes a leaf that Fuse refuses.
func operandNode(v any) *node {
	if x, ok := v.(Expr); ok {
		return x.n
	}
	if x, ok := numberOf(v); ok {
		return &node{number: &x}
	}
	return nil
}

// apply returns the node of a function.
func apply(fn *function, args ...any) Expr {
	n := &node{fn: fn}
	for _, a := range args {
		n.args = append(n.args, operandNode(a))
	}
	return Expr{n}
}

// walk calls f for n and all below it, operands first, each once.
func (n *node) walk(seen map[*node]bool, f func(*node)) {
	if n == nil || seen[n] {
		return
	}
	seen[n] = true
	for _, a := range n.args {
		a.walk(seen, f)
	}
	f(n)
}
