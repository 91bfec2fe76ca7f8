package ttgir

import (
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/rules"
)

// Ruled returns the values of the rules for the module that op is in.
func Ruled(op *ir.Op) *rules.Set {
	for op.Parent() != nil {
		op = op.Parent()
	}
	return rules.Of(op.Text(rules.Attr))
}

// Satisfies reports whether n satisfies a rule in the module that op is in.
func Satisfies[T rules.Integer](op *ir.Op, r *rules.Rule, n T, also ...rules.Feature) bool {
	return rules.Holds(Ruled(op), r, n, also...)
}

// RulesOf returns the values of the rules of a module, nil for those of the table.
func RulesOf(m *ir.Module) *rules.Set { return Ruled(m.Op) }
