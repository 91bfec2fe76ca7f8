package python

func (n *FunctionDef) fields(v fieldVisitor) {
	v.text("name", n.Name)
	v.node("args", n.Args)
	list(v, "body", n.Body)
	list(v, "decorator_list", n.DecoratorList)
	v.node("returns", n.Returns)
	v.since(12)
	list(v, "type_params", n.TypeParams)
}

func (n *ClassDef) fields(v fieldVisitor) {
	v.text("name", n.Name)
	list(v, "bases", n.Bases)
	list(v, "keywords", n.Keywords)
	list(v, "body", n.Body)
	list(v, "decorator_list", n.DecoratorList)
	v.since(12)
	list(v, "type_params", n.TypeParams)
}

func (n *Return) fields(v fieldVisitor) { v.node("value", n.Value) }
func (n *Delete) fields(v fieldVisitor) { list(v, "targets", n.Targets) }

func (n *Assign) fields(v fieldVisitor) {
	list(v, "targets", n.Targets)
	v.node("value", n.Value)
}

func (n *TypeAlias) fields(v fieldVisitor) {
	v.node("name", n.Name)
	list(v, "type_params", n.TypeParams)
	v.node("value", n.Value)
}

func (n *AugAssign) fields(v fieldVisitor) {
	v.node("target", n.Target)
	v.value("op", n.Op)
	v.node("value", n.Value)
}

func (n *AnnAssign) fields(v fieldVisitor) {
	v.node("target", n.Target)
	v.node("annotation", n.Annotation)
	v.node("value", n.Value)
	v.value("simple", flag(n.Simple))
}

func (n *For) fields(v fieldVisitor) {
	v.node("target", n.Target)
	v.node("iter", n.Iter)
	list(v, "body", n.Body)
	list(v, "orelse", n.Orelse)
}

func (n *While) fields(v fieldVisitor) {
	v.node("test", n.Test)
	list(v, "body", n.Body)
	list(v, "orelse", n.Orelse)
}

func (n *If) fields(v fieldVisitor) {
	v.node("test", n.Test)
	list(v, "body", n.Body)
	list(v, "orelse", n.Orelse)
}

func (n *With) fields(v fieldVisitor) {
	list(v, "items", n.Items)
	list(v, "body", n.Body)
}

func (n *Match) fields(v fieldVisitor) {
	v.node("subject", n.Subject)
	list(v, "cases", n.Cases)
}

func (n *Raise) fields(v fieldVisitor) {
	v.node("exc", n.Exc)
	v.node("cause", n.Cause)
}

func (n *Try) fields(v fieldVisitor) {
	list(v, "body", n.Body)
	list(v, "handlers", n.Handlers)
	list(v, "orelse", n.Orelse)
	list(v, "finalbody", n.Finalbody)
}

func (n *Assert) fields(v fieldVisitor) {
	v.node("test", n.Test)
	v.node("msg", n.Msg)
}

func (n *Import) fields(v fieldVisitor) { list(v, "names", n.Names) }

func (n *ImportFrom) fields(v fieldVisitor) {
	v.text("module", n.Module)
	list(v, "names", n.Names)
	v.value("level", n.Level)
}

func (n *Global) fields(v fieldVisitor)   { v.value("names", names(n.Names)) }
func (n *Nonlocal) fields(v fieldVisitor) { v.value("names", names(n.Names)) }
func (n *ExprStmt) fields(v fieldVisitor) { v.node("value", n.Value) }
func (n *Pass) fields(fieldVisitor)       {}
func (n *Break) fields(fieldVisitor)      {}
func (n *Continue) fields(fieldVisitor)   {}
func (n *BadStmt) fields(fieldVisitor)    {}

func (n *ExceptHandler) fields(v fieldVisitor) {
	v.node("type", n.Type)
	v.text("name", n.Name)
	list(v, "body", n.Body)
}

func (n *Alias) fields(v fieldVisitor) {
	v.text("name", n.Name)
	v.text("asname", n.AsName)
}

func (n *WithItem) fields(v fieldVisitor) {
	v.node("context_expr", n.ContextExpr)
	v.node("optional_vars", n.OptionalVars)
}

func (n *MatchCase) fields(v fieldVisitor) {
	v.node("pattern", n.Pattern)
	v.node("guard", n.Guard)
	list(v, "body", n.Body)
}

func (n *MatchValue) fields(v fieldVisitor)     { v.node("value", n.Value) }
func (n *MatchSingleton) fields(v fieldVisitor) { v.value("value", constant{n.Value}) }
func (n *MatchSequence) fields(v fieldVisitor)  { list(v, "patterns", n.Patterns) }

func (n *MatchMapping) fields(v fieldVisitor) {
	list(v, "keys", n.Keys)
	list(v, "patterns", n.Patterns)
	v.text("rest", n.Rest)
}

func (n *MatchClass) fields(v fieldVisitor) {
	v.node("cls", n.Cls)
	list(v, "patterns", n.Patterns)
	v.value("kwd_attrs", names(n.KwdAttrs))
	list(v, "kwd_patterns", n.KwdPatterns)
}

func (n *MatchStar) fields(v fieldVisitor) { v.text("name", n.Name) }

func (n *MatchAs) fields(v fieldVisitor) {
	v.node("pattern", n.Pattern)
	v.text("name", n.Name)
}

func (n *MatchOr) fields(v fieldVisitor) { list(v, "patterns", n.Patterns) }

func (n *TypeVar) fields(v fieldVisitor) {
	v.text("name", n.Name)
	v.node("bound", n.Bound)
}

func (n *ParamSpec) fields(v fieldVisitor)    { v.text("name", n.Name) }
func (n *TypeVarTuple) fields(v fieldVisitor) { v.text("name", n.Name) }
