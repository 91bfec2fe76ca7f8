package python

// Operator is a binary operator, of an expression or an augmented assignment.
type Operator uint8

const (
	Add Operator = iota
	Sub
	Mult
	MatMult
	Div
	Mod
	Pow
	LShift
	RShift
	BitOr
	BitXor
	BitAnd
	FloorDiv
)

var operators = [...]struct{ name, symbol string }{
	Add: {"Add", "+"}, Sub: {"Sub", "-"}, Mult: {"Mult", "*"}, MatMult: {"MatMult", "@"}, Div: {"Div", "/"},
	Mod: {"Mod", "%"}, Pow: {"Pow", "**"}, LShift: {"LShift", "<<"}, RShift: {"RShift", ">>"},
	BitOr:  {"BitOr", "|"},
	BitXor: {"BitXor", "^"}, BitAnd: {"BitAnd", "&"}, FloorDiv: {"FloorDiv", "//"},
}

// String returns the operator as written, "+"; Name returns CPython's name for it, "Add".
func (op Operator) String() string { return operators[op].symbol }
func (op Operator) Name() string   { return operators[op].name }

// UnaryOperator is an operator with one operand.
type UnaryOperator uint8

const (
	Invert UnaryOperator = iota
	Not
	UAdd
	USub
)

var unaryOperators = [...]struct{ name, symbol string }{
	Invert: {"Invert", "~"}, Not: {"Not", "not"}, UAdd: {"UAdd", "+"}, USub: {"USub", "-"},
}

// String returns the operator as written, "not"; Name returns CPython's name for it, "Not".
func (op UnaryOperator) String() string { return unaryOperators[op].symbol }
func (op UnaryOperator) Name() string   { return unaryOperators[op].name }

// BoolOperator is and or or.
type BoolOperator uint8

const (
	And BoolOperator = iota
	Or
)

var boolOperators = [...]struct{ name, symbol string }{And: {"And", "and"}, Or: {"Or", "or"}}

// String returns the operator as written, "and"; Name returns CPython's name for it, "And".
func (op BoolOperator) String() string { return boolOperators[op].symbol }
func (op BoolOperator) Name() string   { return boolOperators[op].name }

// CmpOperator is an operator of comparison.
type CmpOperator uint8

const (
	Eq CmpOperator = iota
	NotEq
	Lt
	LtE
	Gt
	GtE
	Is
	IsNot
	In
	NotIn
)

var cmpOperators = [...]struct{ name, symbol string }{
	Eq: {"Eq", "=="}, NotEq: {"NotEq", "!="}, Lt: {"Lt", "<"}, LtE: {"LtE", "<="}, Gt: {"Gt", ">"},
	GtE: {"GtE", ">="},
	Is:  {"Is", "is"}, IsNot: {"IsNot", "is not"}, In: {"In", "in"}, NotIn: {"NotIn", "not in"},
}

// String returns the operator as written, "not in"; Name returns CPython's name for it, "NotIn".
func (op CmpOperator) String() string { return cmpOperators[op].symbol }
func (op CmpOperator) Name() string   { return cmpOperators[op].name }

// Ctx says whether an expression is read, assigned to or deleted.
type Ctx uint8

const (
	Load  Ctx = iota // its value is used
	Store            // it is assigned to
	Del              // it is deleted
)

// String returns CPython's name, "Load".
func (c Ctx) String() string { return [...]string{"Load", "Store", "Del"}[c] }
