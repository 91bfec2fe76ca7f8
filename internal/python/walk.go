package python

import "reflect"

// Visitor is called by Walk for each node. When Visit returns a visitor, that one sees the children of the
// node and at last nil; when it returns nil, the children are passed over.
type Visitor interface {
	Visit(n Node) Visitor
}

// Walk shows a tree to a visitor, parents before children, in the order of CPython's fields. (For a function
// that is name, parameters, body, decorators, result; not quite the order of the source.)
func Walk(v Visitor, n Node) {
	if v = v.Visit(n); v == nil {
		return
	}
	n.fields(walker{v})
	v.Visit(nil)
}

// Inspect calls f for each node of a tree as Walk does; where f returns false the children are passed over.
// After the children of a node, f is called with nil.
func Inspect(n Node, f func(Node) bool) { Walk(inspector(f), n) }

type inspector func(Node) bool

func (f inspector) Visit(n Node) Visitor {
	if f(n) {
		return f
	}
	return nil
}

type walker struct{ v Visitor }

func (w walker) node(_ string, n Node) { w.item(n) }

func (w walker) item(n Node) {
	if n != nil {
		Walk(w.v, n)
	}
}

func (walker) begin(string)      {}
func (walker) end()              {}
func (walker) value(string, any) {}
func (walker) text(_, _ string)  {}
func (walker) since(int)         {}

// KindOf returns the name of a node's type as CPython spells it: "BinOp", "arguments", "Expr".
func KindOf(n Node) string {
	name := reflect.TypeOf(n).Elem().Name()
	if s, ok := spelling[name]; ok {
		return s
	}
	return name
}

// spelling lists the nodes whose name in Go is not that of CPython.
var spelling = map[string]string{
	"ExprStmt": "Expr", "Arguments": "arguments", "Arg": "arg", "Keyword": "keyword", "Alias": "alias",
	"WithItem": "withitem", "Comprehension": "comprehension", "MatchCase": "match_case",
}
