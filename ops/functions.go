package ops

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid"
)

// function is a function of elements, or a reduction of them.
type function struct {
	name   string
	text   string // in Triton's language; of a reduction, the function that combines two values
	short  string // the same for floats of 16 bits and less, if that is faster: not exact to fp32
	rule   typeRule
	params []string // names of the operands, for errors
	fused  *Fused   // the function alone

	reduces  bool
	identity identity // of a reduction: the value that combines with any other to that other
	index    bool     // of a reduction: its result is the index of the value that was combined last
}

// typeRule says which types a function takes and returns. Operands meet in their common type first.
type typeRule uint8

const (
	sameRule     typeRule = iota // numbers of the common type; bools count as i32
	realRule                     // real numbers: integers become fp32
	testRule                     // the same, and the result is a bool
	compareRule                  // any type; the result is a bool
	bitsRule                     // integers or bools
	integersRule                 // integers; bools count as i32
	whereRule                    // a bool, then two of the common type
	sumRule                      // sums of integers and bools are i64
	indexRule                    // any number; the result is i64
	logicRule                    // bools: what is not 0 is true
	castRule                     // to the type of the node
	sizeRule                     // an i32 without operands
	randomRule                   // fp32 of a seed and a position
)

// identity is the neutral value of a reduction.
type identity uint8

const (
	zeroIdentity identity = iota
	oneIdentity
	lowest
	highest
)

// row returns a function of elements, and the op that is the function alone.
func row(name, text string, rule typeRule, params ...string) *function {
	fn := &function{name: name, text: text, rule: rule, params: params}
	fn.fused = alone(name, fn, params)
	return fn
}

// alone returns the op of a function whose operands are the inputs.
func alone(name string, fn *function, params []string) *Fused {
	n := &node{fn: fn}
	for i := range params {
		n.args = append(n.args, &node{input: i})
	}
	return newFused(name, params, n)
}

// orShort returns the function with another text for floats of 16 bits and less.
func (fn *function) orShort(text string) *function {
	fn.short = text
	return fn
}

// reduction returns a function that combines the elements along dimensions.
func reduction(name, combine string, rule typeRule, id identity) *function {
	fn := &function{name: name, text: combine, rule: rule, reduces: true, identity: id}
	fn.fused = alone(name, fn, []string{"x"})
	return fn
}

var castFunction = &function{name: "Cast", text: "$0", rule: castRule, params: []string{"x"}}

// types returns the type in which a function takes its operands, and that of its result.
func (n *node) types(common nereid.DType) (operand, result nereid.DType, err error) {
	number := common
	if common == nereid.Bool {
		number = nereid.Int32
	}
	switch n.fn.rule {
	case sameRule:
		return number, number, nil
	case realRule:
		return real(common), real(common), nil
	case testRule:
		return real(common), nereid.Bool, nil
	case compareRule:
		return common, nereid.Bool, nil
	case sumRule:
		if !common.IsFloat() {
			return nereid.Int64, nereid.Int64, nil
		}
		return common, common, nil
	case indexRule:
		return number, nereid.Int64, nil
	case logicRule:
		return nereid.Bool, nereid.Bool, nil
	case castRule:
		return common, n.dt, nil
	case sizeRule:
		return nereid.Int32, nereid.Int32, nil
	case randomRule:
		return nereid.Int64, nereid.Float32, nil
	case whereRule:
		return common, common, nil
	}
	if n.fn.rule == integersRule {
		common = number
	}
	if common.IsFloat() {
		return 0, 0, fmt.Errorf("%s is of integers, not of %s", n.fn.name, common)
	}
	return common, common, nil
}

// typing assigns types to the nodes of a formula.
type typing map[*node]nereid.DType

// infer returns the types of all nodes. inputs has the type of each input; a number has Invalid and is in
// numbers.
func infer(roots []*node, inputs []nereid.DType, numbers []*number) (typing, error) {
	ty := typing{}
	var err error
	seen := map[*node]bool{}
	for _, r := range roots {
		r.walk(seen, func(n *node) {
			if e := ty.assign(n, inputs, numbers); err == nil {
				err = e
			}
		})
	}
	return ty, err
}

func (ty typing) assign(n *node, inputs []nereid.DType, numbers []*number) error {
	if n.fn == nil {
		if n.number == nil {
			ty[n] = inputs[n.input] // Invalid for a number
		}
		return nil
	}
	if n.fn.rule == whereRule && ty[n.args[0]] != nereid.Bool {
		return fmt.Errorf("the condition of Where is of %s, not of bools", ty[n.args[0]])
	}
	var err error
	_, ty[n], err = n.types(ty.common(n, numbers))
	return err
}

// limit is the type of the integers that an operand is among which is a Go number.
type limit struct {
	operand int
	dt      nereid.DType
}

// limits returns them for the inputs that are numbers. A constant which its type does not have is an error.
func (ty typing) limits(roots []*node, numbers []*number) (list []limit, err error) {
	seen := map[*node]bool{}
	for _, r := range roots {
		r.walk(seen, func(n *node) {
			if n.fn == nil || n.fn.rule == castRule {
				return
			}
			dt, _, e := n.types(ty.common(n, numbers))
			if e != nil || dt.IsFloat() {
				return
			}
			for _, a := range n.args {
				v := a.value(numbers)
				switch {
				case v == nil || v.float:
				case a.number == nil:
					list = append(list, limit{a.input, dt})
				case !fits(v.i, dt) && err == nil:
					err = fmt.Errorf("%d, an operand of %s, is no %s", v.i, n.fn.name, dt)
				}
			}
		})
	}
	return list, err
}

// common returns the type in which the operands of a node meet.
func (ty typing) common(n *node, numbers []*number) nereid.DType {
	args := n.args
	if n.fn.rule == whereRule {
		args = args[1:]
	}
	dt := nereid.Invalid
	for _, a := range args {
		if t := ty[a]; t != nereid.Invalid {
			if dt == nereid.Invalid {
				dt = t
			}
			dt = promote(dt, t)
		}
	}
	for _, a := range args {
		if v := a.value(numbers); v != nil {
			dt = weak(dt, v.float)
		}
	}
	return dt
}

// value returns the number that a leaf is, or nil.
func (n *node) value(numbers []*number) *number {
	switch {
	case n.fn != nil:
		return nil
	case n.number != nil:
		return n.number
	}
	return numbers[n.input]
}

// depth returns the largest number of reductions on a way from n down, n included.
func (n *node) depth(memo map[*node]int) int {
	if d, ok := memo[n]; ok {
		return d
	}
	d := 0
	for _, a := range n.args {
		d = max(d, a.depth(memo))
	}
	if n.fn != nil && n.fn.reduces {
		d++
	}
	memo[n] = d
	return d
}

// reductions returns the reductions of formulas, operands first.
func reductions(roots []*node) (list []*node) {
	seen := map[*node]bool{}
	for _, r := range roots {
		r.walk(seen, func(n *node) {
			if n.fn != nil && n.fn.reduces {
				list = append(list, n)
			}
		})
	}
	return list
}

// uses reports whether a formula has an input.
func uses(roots []*node, input int) bool {
	seen, found := map[*node]bool{}, false
	for _, r := range roots {
		r.walk(seen, func(n *node) {
			found = found || n.fn == nil && n.number == nil && n.input == input
		})
	}
	return found
}

// wellFormed returns an error for formulas with operands that are neither Exprs nor numbers.
func wellFormed(roots []*node) (err error) {
	seen := map[*node]bool{}
	for _, r := range roots {
		if r == nil {
			return fmt.Errorf("the function returns no formula")
		}
		r.walk(seen, func(n *node) {
			if slices.Contains(n.args, nil) {
				err = fmt.Errorf("an operand of %s is neither an Expr nor a number", n.fn.name)
			}
		})
	}
	return err
}
