package python

// Statements. The asynchronous forms and try … except* embed their plain form, so they share its fields and
// are still types of their own: a switch that does not name them does not take them by mistake.
type (
	// FunctionDef is a def. Its span begins at def, after the decorators.
	FunctionDef struct {
		Range
		Name          string
		NamePos       Range // of the name alone
		Args          *Arguments
		Body          []Stmt
		DecoratorList []Expr
		Returns       Expr // nil when there is none
		TypeParams    []TypeParam
	}
	// AsyncFunctionDef is an async def.
	AsyncFunctionDef struct{ FunctionDef }
	// ClassDef is a class. Its span begins at class, after the decorators.
	ClassDef struct {
		Range
		Name          string
		NamePos       Range // of the name alone
		Bases         []Expr
		Keywords      []*Keyword
		Body          []Stmt
		DecoratorList []Expr
		TypeParams    []TypeParam
	}
	// Return is return value; Value may be nil.
	Return struct {
		Range
		Value Expr
	}
	// Delete is del targets.
	Delete struct {
		Range
		Targets []Expr
	}
	// Assign is a = b = value.
	Assign struct {
		Range
		Targets []Expr
		Value   Expr
	}
	// TypeAlias is type name[params] = value.
	TypeAlias struct {
		Range
		Name       *Name
		TypeParams []TypeParam
		Value      Expr
	}
	// AugAssign is target op= value.
	AugAssign struct {
		Range
		Target Expr
		Op     Operator
		Value  Expr
	}
	// AnnAssign is target: annotation = value; Value may be nil. Simple is true for a bare name.
	AnnAssign struct {
		Range
		Target     Expr
		Annotation Expr
		Value      Expr
		Simple     bool
	}
	// For is for target in iter: body, else: orelse.
	For struct {
		Range
		Target, Iter Expr
		Body, Orelse []Stmt
	}
	// AsyncFor is an async for.
	AsyncFor struct{ For }
	// While is while test: body, else: orelse.
	While struct {
		Range
		Test         Expr
		Body, Orelse []Stmt
	}
	// If is if test: body, else: orelse. An elif is an If alone in the orelse of the one before.
	If struct {
		Range
		Test         Expr
		Body, Orelse []Stmt
	}
	// With is with items: body.
	With struct {
		Range
		Items []*WithItem
		Body  []Stmt
	}
	// AsyncWith is an async with.
	AsyncWith struct{ With }
	// Match is match subject: cases.
	Match struct {
		Range
		Subject Expr
		Cases   []*MatchCase
	}
	// Raise is raise exc from cause; both may be nil.
	Raise struct {
		Range
		Exc, Cause Expr
	}
	// Try is try: body, except …, else: orelse, finally: finalbody.
	Try struct {
		Range
		Body      []Stmt
		Handlers  []*ExceptHandler
		Orelse    []Stmt
		Finalbody []Stmt
	}
	// TryStar is a try whose handlers are except*.
	TryStar struct{ Try }
	// Assert is assert test, msg; Msg may be nil.
	Assert struct {
		Range
		Test, Msg Expr
	}
	// Import is import names.
	Import struct {
		Range
		Names []*Alias
	}
	// ImportFrom is from ..module import names. Level counts the dots; Module may be empty when there are
	// some.
	ImportFrom struct {
		Range
		Module string
		Names  []*Alias
		Level  int
	}
	// Global is global names.
	Global struct {
		Range
		Names []string
	}
	// Nonlocal is nonlocal names.
	Nonlocal struct {
		Range
		Names []string
	}
	// ExprStmt is an expression as a statement, CPython's ast.Expr.
	ExprStmt struct {
		Range
		Value Expr
	}
	// Pass is pass.
	Pass struct{ Range }
	// Break is break.
	Break struct{ Range }
	// Continue is continue.
	Continue struct{ Range }
	// BadStmt stands where no statement could be read. It occurs only in the tree of a file with errors.
	BadStmt struct{ Range }
)

// Parts of statements.
type (
	// ExceptHandler is except type as name: body; Type may be nil, Name empty.
	ExceptHandler struct {
		Range
		Type Expr
		Name string
		Body []Stmt
	}
	// Alias is name as asname in an import; Name is "*" in from m import *.
	Alias struct {
		Range
		Name   string
		AsName string // empty when there is none
	}
	// WithItem is context_expr as optional_vars; OptionalVars may be nil.
	WithItem struct {
		Range
		ContextExpr  Expr
		OptionalVars Expr
	}
	// MatchCase is case pattern if guard: body; Guard may be nil.
	MatchCase struct {
		Range
		Pattern Pattern
		Guard   Expr
		Body    []Stmt
	}
)

// Patterns.
type (
	// MatchValue is a literal or a dotted name.
	MatchValue struct {
		Range
		Value Expr
	}
	// MatchSingleton is None, True or False; Value is nil or a bool.
	MatchSingleton struct {
		Range
		Value any
	}
	// MatchSequence is [a, b], (a, b) or a, b.
	MatchSequence struct {
		Range
		Patterns []Pattern
	}
	// MatchMapping is {key: pattern, **rest}; Rest may be empty.
	MatchMapping struct {
		Range
		Keys     []Expr
		Patterns []Pattern
		Rest     string
	}
	// MatchClass is cls(patterns, attr=pattern).
	MatchClass struct {
		Range
		Cls         Expr
		Patterns    []Pattern
		KwdAttrs    []string
		KwdPatterns []Pattern
	}
	// MatchStar is *name in a sequence; Name is empty for *_.
	MatchStar struct {
		Range
		Name string
	}
	// MatchAs is pattern as name, or a bare name (Pattern nil), or _ (both empty).
	MatchAs struct {
		Range
		Pattern Pattern
		Name    string
	}
	// MatchOr is a | b | c.
	MatchOr struct {
		Range
		Patterns []Pattern
	}
)

// Type parameters.
type (
	// TypeVar is T or T: bound; Bound may be nil.
	TypeVar struct {
		Range
		Name  string
		Bound Expr
	}
	// ParamSpec is **P.
	ParamSpec struct {
		Range
		Name string
	}
	// TypeVarTuple is *Ts.
	TypeVarTuple struct {
		Range
		Name string
	}
)

func (*FunctionDef) stmtNode() {}
func (*ClassDef) stmtNode()    {}
func (*Return) stmtNode()      {}
func (*Delete) stmtNode()      {}
func (*Assign) stmtNode()      {}
func (*TypeAlias) stmtNode()   {}
func (*AugAssign) stmtNode()   {}
func (*AnnAssign) stmtNode()   {}
func (*For) stmtNode()         {}
func (*While) stmtNode()       {}
func (*If) stmtNode()          {}
func (*With) stmtNode()        {}
func (*Match) stmtNode()       {}
func (*Raise) stmtNode()       {}
func (*Try) stmtNode()         {}
func (*Assert) stmtNode()      {}
func (*Import) stmtNode()      {}
func (*ImportFrom) stmtNode()  {}
func (*Global) stmtNode()      {}
func (*Nonlocal) stmtNode()    {}
func (*ExprStmt) stmtNode()    {}
func (*Pass) stmtNode()        {}
func (*Break) stmtNode()       {}
func (*Continue) stmtNode()    {}
func (*BadStmt) stmtNode()     {}

func (*MatchValue) patternNode()     {}
func (*MatchSingleton) patternNode() {}
func (*MatchSequence) patternNode()  {}
func (*MatchMapping) patternNode()   {}
func (*MatchClass) patternNode()     {}
func (*MatchStar) patternNode()      {}
func (*MatchAs) patternNode()        {}
func (*MatchOr) patternNode()        {}

func (*TypeVar) typeParamNode()      {}
func (*ParamSpec) typeParamNode()    {}
func (*TypeVarTuple) typeParamNode() {}
