package rule

import (
	"math"

	"github.com/nereid-lang/nereid/internal/python"
)

// Op is the kind of a step. The C form has the same numbers, from Ops.
type Op int64

// The steps.
const (
	End Op = iota
	Push
	Load
	Select // test, a, b → a or b
	Not
	Neg
	Sqrt
	Pow2 // the next power of two
	Add
	Sub
	Mul
	Div
	FloorDiv
	Mod
	Pow
	Cdiv
	Min
	Max
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	And
	Or
	ops
)

// row describes a step: its name in C, and the function of its operands.
type row struct {
	name string
	one  func(a float64) float64
	two  func(a, b float64) float64
}

var table = [ops]row{
	End: {name: "END"}, Push: {name: "PUSH"}, Load: {name: "LOAD"}, Select: {name: "SELECT"},
	Not:      {name: "NOT", one: func(a float64) float64 { return truth(a == 0) }},
	Neg:      {name: "NEG", one: func(a float64) float64 { return -a }},
	Sqrt:     {name: "SQRT", one: func(a float64) float64 { return math.Sqrt(max(a, 0)) }},
	Pow2:     {name: "POW2", one: pow2},
	Add:      {name: "ADD", two: func(a, b float64) float64 { return a + b }},
	Sub:      {name: "SUB", two: func(a, b float64) float64 { return a - b }},
	Mul:      {name: "MUL", two: func(a, b float64) float64 { return a * b }},
	Div:      {name: "DIV", two: div},
	FloorDiv: {name: "FLOORDIV", two: func(a, b float64) float64 { return math.Floor(div(a, b)) }},
	Mod:      {name: "MOD", two: func(a, b float64) float64 { return a - b*math.Floor(div(a, b)) }},
	Pow:      {name: "POW", two: math.Pow},
	Cdiv:     {name: "CDIV", two: func(a, b float64) float64 { return math.Ceil(div(a, b)) }},
	Min:      {name: "MIN", two: func(a, b float64) float64 { return min(a, b) }},
	Max:      {name: "MAX", two: func(a, b float64) float64 { return max(a, b) }},
	Eq:       {name: "EQ", two: func(a, b float64) float64 { return truth(a == b) }},
	Ne:       {name: "NE", two: func(a, b float64) float64 { return truth(a != b) }},
	Lt:       {name: "LT", two: func(a, b float64) float64 { return truth(a < b) }},
	Le:       {name: "LE", two: func(a, b float64) float64 { return truth(a <= b) }},
	Gt:       {name: "GT", two: func(a, b float64) float64 { return truth(a > b) }},
	Ge:       {name: "GE", two: func(a, b float64) float64 { return truth(a >= b) }},
	And:      {name: "AND", two: func(a, b float64) float64 { return truth(a != 0 && b != 0) }},
	Or:       {name: "OR", two: func(a, b float64) float64 { return truth(a != 0 || b != 0) }},
}

// Ops returns the names of the steps in C, in the order of their numbers.
func Ops() []string {
	names := make([]string, ops)
	for i, r := range table {
		names[i] = r.name
	}
	return names
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func div(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func pow2(a float64) float64 {
	n := 1.0
	for n < a && n < 1<<52 {
		n *= 2
	}
	return n
}

var binary = map[python.Operator]Op{python.Add: Add, python.Sub: Sub, python.Mult: Mul, python.Div: Div,
	python.FloorDiv: FloorDiv, python.Mod: Mod, python.Pow: Pow}

var compare = map[python.CmpOperator]Op{python.Eq: Eq, python.NotEq: Ne, python.Lt: Lt, python.LtE: Le,
	python.Gt: Gt, python.GtE: Ge}

// calls holds the functions, with the number of their arguments; min and max take two or more.
var calls = map[string]struct {
	op Op
	n  int
}{
	"cdiv": {Cdiv, 2}, "sqrt": {Sqrt, 1}, "next_power_of_2": {Pow2, 1}, "min": {Min, 2}, "max": {Max, 2},
}
