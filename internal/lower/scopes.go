package lower

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/dialect/proton"
	"github.com/nereid-lang/nereid/internal/ir"
)

// scopesText defines the variable that records of scopes lie in.
var scopesText = fmt.Sprintf("@%s = addrspace(1) global [%d x i8] zeroinitializer, align 16\n",
	gpucode.ScopesVar, gpucode.ScopesSize)

// wholeNumber is the number of gpucode.WholeScope.
const wholeNumber = 0

// recordWhole has a kernel with scopes record the one that is all of it, too.
func (l *lowering) recordWhole(start bool) {
	if l.whole {
		l.vendor.record(l, wholeNumber, start)
	}
}

// hasScopes reports whether one of several functions records scopes.
func hasScopes(list []*ir.Op) bool {
	for _, fn := range list {
		for op := range fn.Ops() {
			if op.Def == proton.Record {
				return true
			}
		}
	}
	return false
}

// scopeNumber returns the number of a scope's name.
func (g *program) scopeNumber(op *ir.Op) int {
	name := op.Text("name")
	i := slices.Index(g.scopes, name)
	if i < 0 {
		i = len(g.scopes)
		g.scopes = append(g.scopes, name)
	}
	if i >= gpucode.MaxScopes {
		fail(op, "a kernel records %d scopes at most", gpucode.MaxScopes)
	}
	return i
}
