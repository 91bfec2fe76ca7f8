package lower

import (
	"fmt"
	"slices"
	"strings"
)

// asmCall is inline assembly under construction.
type asmCall struct {
	types       []string // LLVM types of the results
	constraints []string
	args        []string
}

func newAsmCall(outs int, typ, reg string) *asmCall {
	return &asmCall{
		types:       slices.Repeat([]string{typ}, outs),
		constraints: slices.Repeat([]string{"=" + reg}, outs),
	}
}

// in adds an operand and returns its name.
func (c *asmCall) in(arg, constraint string) string {
	c.args, c.constraints = append(c.args, arg), append(c.constraints, constraint)
	return fmt.Sprintf("$%d", len(c.constraints)-1)
}

// outs returns the names of the results.
func (c *asmCall) outs() []string {
	out := make([]string, len(c.types))
	for i := range out {
		out[i] = fmt.Sprintf("$%d", i)
	}
	return out
}

func (c *asmCall) emit(l *lowering, code string) []string {
	ret := structOf(c.types)
	v := l.groupAsm(ret, code, strings.Join(c.constraints, ","), c.args...)
	if len(c.types) == 0 {
		return nil
	}
	return l.fields(ret, v, len(c.types))
}

// groupAsm emits assembly that all threads of a warp execute together.
func (l *lowering) groupAsm(ret, code, constraints string, args ...string) string {
	text := fmt.Sprintf("call %s asm sideeffect \"%s\", \"%s\"(%s) %s",
		ret, quote(code), constraints, strings.Join(args, ", "), convergent)
	if ret == "void" {
		l.do("%s", text)
		return ""
	}
	return l.val("%s", text)
}
