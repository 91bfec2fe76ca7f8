package python

import (
	"sync"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Node is any node of the tree. The span is that of CPython's lineno, col_offset, end_lineno and
// end_col_offset; a node to which CPython gives no position (Module, Arguments, Comprehension, WithItem,
// MatchCase) has one here too.
type Node interface {
	Span() diag.Span
	fields(v fieldVisitor)
}

// Expr is an expression.
type Expr interface {
	Node
	exprNode()
}

// Stmt is a statement.
type Stmt interface {
	Node
	stmtNode()
}

// Pattern is the text between case and its colon, or a part of it.
type Pattern interface {
	Node
	patternNode()
}

// TypeParam is one parameter of a list in square brackets after the name of a function, class or type alias.
type TypeParam interface {
	Node
	typeParamNode()
}

// Range is the place of a node, embedded in each of them. End is exclusive.
type Range struct{ Start, End diag.Pos }

// Span returns the range in the form of package diag.
func (r Range) Span() diag.Span { return diag.Span{Start: r.Start, End: r.End} }

// Module is a whole file.
type Module struct {
	Range
	File *diag.File // the text as read: without byte order mark, decoded to UTF-8
	Body []Stmt

	memos sync.Map
}

// Memo returns the result of find, which it calls the first time that the key is asked for: other packages
// keep what they find out about a file with it. A key is a type of that package's own.
func (m *Module) Memo(key any, find func() any) any {
	if v, ok := m.memos.Load(key); ok {
		return v
	}
	v, _ := m.memos.LoadOrStore(key, find())
	return v
}

// Expressions.
type (
	// BoolOp is a chain of one operator: a and b and c has three values.
	BoolOp struct {
		Range
		Op     BoolOperator
		Values []Expr
	}
	// NamedExpr is target := value.
	NamedExpr struct {
		Range
		Target *Name
		Value  Expr
	}
	// BinOp is left op right.
	BinOp struct {
		Range
		Left  Expr
		Op    Operator
		Right Expr
	}
	// UnaryOp is op operand.
	UnaryOp struct {
		Range
		Op      UnaryOperator
		Operand Expr
	}
	// Lambda is lambda args: body.
	Lambda struct {
		Range
		Args *Arguments
		Body Expr
	}
	// IfExp is body if test else orelse.
	IfExp struct {
		Range
		Test, Body, Orelse Expr
	}
	// Dict is a dictionary display. A nil key stands for **value.
	Dict struct {
		Range
		Keys   []Expr
		Values []Expr
	}
	// Set is a set display.
	Set struct {
		Range
		Elts []Expr
	}
	// ListComp is [elt for …].
	ListComp struct {
		Range
		Elt        Expr
		Generators []*Comprehension
	}
	// SetComp is {elt for …}.
	SetComp struct {
		Range
		Elt        Expr
		Generators []*Comprehension
	}
	// DictComp is {key: value for …}.
	DictComp struct {
		Range
		Key, Value Expr
		Generators []*Comprehension
	}
	// GeneratorExp is (elt for …).
	GeneratorExp struct {
		Range
		Elt        Expr
		Generators []*Comprehension
	}
	// Await is await value.
	Await struct {
		Range
		Value Expr
	}
	// Yield is yield value; Value may be nil.
	Yield struct {
		Range
		Value Expr
	}
	// YieldFrom is yield from value.
	YieldFrom struct {
		Range
		Value Expr
	}
	// Compare is left ops[0] comparators[0] ops[1] comparators[1] …
	Compare struct {
		Range
		Left        Expr
		Ops         []CmpOperator
		Comparators []Expr
	}
	// Call is func(args, keywords).
	Call struct {
		Range
		Func     Expr
		Args     []Expr // may hold *Starred
		Keywords []*Keyword
	}
	// FormattedValue is one {…} of an f-string.
	FormattedValue struct {
		Range
		Value      Expr
		Conversion rune       // 's', 'r', 'a', or -1
		FormatSpec *JoinedStr // nil when there is none

		literal Range // the one literal, of several side by side, that it stands in (see fstring311)
	}
	// JoinedStr is an f-string: *Constant (str) and *FormattedValue in turn. In a format spec too.
	JoinedStr struct {
		Range
		Values []Expr
	}
	// Constant is a literal. Value is one of
	//
	//	nil         None
	//	bool        True, False
	//	*big.Int    an integer, never negative; shared between nodes, so not to be changed
	//	float64     a float; a literal too large is +Inf, as in Python
	//	complex128  an imaginary literal, real part 0
	//	string      a str, in UTF-8; a surrogate code point ("\ud800") is its three bytes of generalised
	//	            UTF-8, which Go's own decoder reads as three errors (see DecodeRune)
	//	Bytes       a bytes literal
	//	Ellipsis    ...
	Constant struct {
		Range
		Value any
		Kind  string // "u" for a string that began with u"", otherwise empty
	}
	// Attribute is value.attr.
	Attribute struct {
		Range
		Value Expr
		Attr  string
		Ctx   Ctx
	}
	// Subscript is value[slice].
	Subscript struct {
		Range
		Value Expr
		Slice Expr
		Ctx   Ctx
	}
	// Starred is *value, in a call, a display or a target.
	Starred struct {
		Range
		Value Expr
		Ctx   Ctx
	}
	// Name is an identifier, in NFKC.
	Name struct {
		Range
		ID  string
		Ctx Ctx
	}
	// List is a list display, or a target in square brackets.
	List struct {
		Range
		Elts []Expr
		Ctx  Ctx
	}
	// Tuple is a, b or (a, b); the span takes in the parentheses where there are any.
	Tuple struct {
		Range
		Elts []Expr
		Ctx  Ctx
	}
	// Slice is lower:upper:step in a subscript; each may be nil.
	Slice struct {
		Range
		Lower, Upper, Step Expr
	}
	// BadExpr stands where no expression could be read. It occurs only in the tree of a file with errors.
	BadExpr struct{ Range }
)

// Parts of expressions.
type (
	// Comprehension is one for … in … if … clause.
	Comprehension struct {
		Range
		Target, Iter Expr
		Ifs          []Expr
		IsAsync      bool
	}
	// Arguments are the parameters of a function or lambda.
	Arguments struct {
		Range
		PosOnlyArgs []*Arg
		Args        []*Arg
		Vararg      *Arg // nil when there is none
		KwOnlyArgs  []*Arg
		KwDefaults  []Expr // as long as KwOnlyArgs; nil where there is no default
		Kwarg       *Arg   // nil when there is none
		Defaults    []Expr // of the last parameters of PosOnlyArgs and Args together
	}
	// Arg is one parameter.
	Arg struct {
		Range
		Arg        string
		Annotation Expr // nil when there is none
	}
	// Keyword is arg=value in a call or class header; Arg is empty for **value.
	Keyword struct {
		Range
		Arg   string
		Value Expr
	}
)

// Bytes is the value of a bytes literal.
type Bytes string

// Ellipsis is the value of the literal "...".
type Ellipsis struct{}

func (*BoolOp) exprNode()         {}
func (*NamedExpr) exprNode()      {}
func (*BinOp) exprNode()          {}
func (*UnaryOp) exprNode()        {}
func (*Lambda) exprNode()         {}
func (*IfExp) exprNode()          {}
func (*Dict) exprNode()           {}
func (*Set) exprNode()            {}
func (*ListComp) exprNode()       {}
func (*SetComp) exprNode()        {}
func (*DictComp) exprNode()       {}
func (*GeneratorExp) exprNode()   {}
func (*Await) exprNode()          {}
func (*Yield) exprNode()          {}
func (*YieldFrom) exprNode()      {}
func (*Compare) exprNode()        {}
func (*Call) exprNode()           {}
func (*FormattedValue) exprNode() {}
func (*JoinedStr) exprNode()      {}
func (*Constant) exprNode()       {}
func (*Attribute) exprNode()      {}
func (*Subscript) exprNode()      {}
func (*Starred) exprNode()        {}
func (*Name) exprNode()           {}
func (*List) exprNode()           {}
func (*Tuple) exprNode()          {}
func (*Slice) exprNode()          {}
func (*BadExpr) exprNode()        {}
