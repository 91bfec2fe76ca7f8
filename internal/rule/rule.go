package rule

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/python"
)

// Step is a step of a rule: Push has a value, Load the name of one.
type Step struct {
	Op    Op
	Name  string
	Value float64
}

// Rule is a compiled expression: steps in the order in which they run. The zero rule has no value.
type Rule []Step

// Depth bounds the values that a rule keeps at a time, and maxSteps its length.
const (
	Depth    = 32
	maxSteps = 1000
)

// Compile compiles an expression. Names that constants has are replaced by their values; others must be among
// names.
func Compile(text string, constants map[string]float64, names []string) (Rule, error) {
	x, err := python.ParseExpr(diag.NewFileSet(), "rule", []byte(text))
	if err != nil {
		return nil, fmt.Errorf("%q is no expression: %s", text, message(err))
	}
	c := &compiler{constants: constants, names: names}
	if err := c.expr(x); err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	if len(c.out) > maxSteps || c.out.depth() > Depth {
		return nil, fmt.Errorf("%q is too long", text)
	}
	return c.out, nil
}

// message returns a parser's error without its place.
func message(err error) string {
	var list *diag.List
	if errors.As(err, &list) && len(list.Diags) > 0 {
		return list.Diags[0].Msg
	}
	return err.Error()
}

type compiler struct {
	constants map[string]float64
	names     []string
	out       Rule
}

func (c *compiler) add(s Step) error {
	c.out = append(c.out, s)
	return nil
}

// expr adds the steps of an expression.
func (c *compiler) expr(x python.Expr) error {
	switch x := x.(type) {
	case *python.Constant:
		return c.constant(x)
	case *python.Name:
		return c.name(x.ID)
	case *python.BinOp:
		if op, ok := binary[x.Op]; ok {
			return c.all(op, x.Left, x.Right)
		}
		return fmt.Errorf("the operator %s is none of a rule's", x.Op)
	case *python.UnaryOp:
		return c.unary(x)
	case *python.BoolOp:
		return c.chain(map[python.BoolOperator]Op{python.And: And, python.Or: Or}[x.Op], x.Values)
	case *python.Compare:
		return c.compare(x)
	case *python.IfExp:
		return c.all(Select, x.Test, x.Body, x.Orelse)
	case *python.Call:
		return c.call(x)
	}
	return errors.New("a rule has numbers, names, operators, comparisons, if-else and calls alone")
}

// all adds the operands of a step, and the step.
func (c *compiler) all(op Op, operands ...python.Expr) error {
	for _, x := range operands {
		if err := c.expr(x); err != nil {
			return err
		}
	}
	return c.add(Step{Op: op})
}

// chain adds a step between each two operands.
func (c *compiler) chain(op Op, operands []python.Expr) error {
	for i, x := range operands {
		if err := c.expr(x); err != nil {
			return err
		}
		if i > 0 {
			c.add(Step{Op: op})
		}
	}
	return nil
}

func (c *compiler) constant(x *python.Constant) error {
	s := Step{Op: Push}
	switch v := x.Value.(type) {
	case bool:
		s.Value = truth(v)
	case float64:
		s.Value = v
	case *big.Int:
		s.Value, _ = new(big.Float).SetInt(v).Float64()
	default:
		return fmt.Errorf("%v is no number", x.Value)
	}
	return c.add(s)
}

func (c *compiler) name(id string) error {
	if v, ok := c.constants[id]; ok {
		return c.add(Step{Op: Push, Value: v})
	}
	if slices.Contains(c.names, id) {
		return c.add(Step{Op: Load, Name: id})
	}
	known := append(slices.Collect(maps.Keys(c.constants)), c.names...)
	slices.Sort(known)
	if best := diag.Nearest(id, known); best != "" {
		return fmt.Errorf("there is no %s: did you mean %s?", id, best)
	}
	return fmt.Errorf("there is no %s: there are %s", id, strings.Join(known, ", "))
}

func (c *compiler) unary(x *python.UnaryOp) error {
	switch x.Op {
	case python.Not:
		return c.all(Not, x.Operand)
	case python.USub:
		return c.all(Neg, x.Operand)
	case python.UAdd:
		return c.expr(x.Operand)
	}
	return fmt.Errorf("the operator %s is none of a rule's", x.Op)
}

// compare adds a comparison; a < b < c is a < b and b < c.
func (c *compiler) compare(x *python.Compare) error {
	left := x.Left
	for i, right := range x.Comparators {
		op, ok := compare[x.Ops[i]]
		if !ok {
			return fmt.Errorf("the operator %s is none of a rule's", x.Ops[i])
		}
		if err := c.all(op, left, right); err != nil {
			return err
		}
		if i > 0 {
			c.add(Step{Op: And})
		}
		left = right
	}
	return nil
}

func (c *compiler) call(x *python.Call) error {
	name, ok := x.Func.(*python.Name)
	if !ok || len(x.Keywords) > 0 {
		return errors.New("a rule calls functions by their names, without keywords")
	}
	f, ok := calls[name.ID]
	switch {
	case !ok:
		return fmt.Errorf("there is no function %s: there are %s", name.ID,
			strings.Join(slices.Sorted(maps.Keys(calls)), ", "))
	case (f.op == Min || f.op == Max) && len(x.Args) > f.n:
		return c.chain(f.op, x.Args)
	case len(x.Args) != f.n:
		return fmt.Errorf("%s takes %d arguments, not %d", name.ID, f.n, len(x.Args))
	}
	return c.all(f.op, x.Args...)
}

// depth returns the values that a rule keeps at most.
func (r Rule) depth() int {
	n, most := 0, 0
	for _, s := range r {
		switch {
		case s.Op == Push || s.Op == Load:
			n++
		case s.Op == Select:
			n -= 2
		case table[s.Op].two != nil:
			n--
		}
		most = max(most, n)
	}
	return most
}

// Names returns the names that a rule loads.
func (r Rule) Names() []string {
	var out []string
	for _, s := range r {
		if s.Op == Load && !slices.Contains(out, s.Name) {
			out = append(out, s.Name)
		}
	}
	return out
}

// Eval returns the value of a rule; values has those of its names.
func (r Rule) Eval(values map[string]float64) float64 {
	var stack []float64
	for _, s := range r {
		top := len(stack) - 1
		switch {
		case s.Op == Push:
			stack = append(stack, s.Value)
		case s.Op == Load:
			stack = append(stack, values[s.Name])
		case s.Op == Select:
			if stack[top-2] != 0 {
				stack[top-2] = stack[top-1]
			} else {
				stack[top-2] = stack[top]
			}
			stack = stack[:top-1]
		case table[s.Op].one != nil:
			stack[top] = table[s.Op].one(stack[top])
		default:
			stack[top-1] = table[s.Op].two(stack[top-1], stack[top])
			stack = stack[:top]
		}
	}
	if len(stack) == 0 {
		return 0
	}
	return stack[len(stack)-1]
}
