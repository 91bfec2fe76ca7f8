package lower

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
)

// lowerInlineAsm runs a piece of PTX on each group of packed elements.
func lowerInlineAsm(l *lowering, op *ir.Op) {
	pack := int(op.IntOr("packed_element", 1))
	if pack != 1 {
		l.fail(op, "packed elements")
	}
	pure, _ := op.Int("pure")
	n := l.numRegs(op, op.Result(0).Type)
	outs := make([][]string, op.NumResults())
	types := make([]string, op.NumResults())
	for i, r := range op.Results() {
		types[i] = llvmType(r.Type)
	}
	ret := types[0]
	if len(types) > 1 {
		ret = "{ " + strings.Join(types, ", ") + " }"
	}
	for i := range n {
		var args []string
		for k := range op.NumOperands() {
			args = append(args, llvmType(op.Operand(k).Type)+" "+l.elementArgs(op, i)[k])
		}
		v := l.asm(ret, op.Text("asm_string"), op.Text("constraints"), pure == 0, args...)
		for k := range outs {
			if len(types) == 1 {
				outs[k] = append(outs[k], v)
			} else {
				outs[k] = append(outs[k], l.val("extractvalue %s %s, %d", ret, v, k))
			}
		}
	}
	for k, r := range op.Results() {
		l.set(r, outs[k])
	}
}
