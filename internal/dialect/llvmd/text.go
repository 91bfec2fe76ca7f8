package llvmd

import (
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
)

// Ptr is `!llvm.ptr`.
var Ptr = ir.Opaque("!llvm.ptr")

func printInsert(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	p.Value(op.Operand(1))
	p.Text(", ")
	p.Value(op.Operand(0))
	p.Ints(op.Attr("position").(*ir.DenseArrayAttr).Values)
	p.AttrDict(op, "position")
	p.Text(" : ")
	p.Type(op.Operand(0).Type)
}

// parseInsert reads `%value, %struct[0, 1] : type` of the struct, from which the value's type follows.
func parseInsert(p *ir.Parser, s *ir.State) bool {
	value, ok := p.Operand()
	if !ok || !p.Literal(",") {
		return false
	}
	container, ok := p.Operand()
	if !ok {
		return false
	}
	position, ok := p.IntList()
	if !ok || !p.AttrDict(s) || !p.Literal(":") {
		return false
	}
	pos := p.Pos()
	t, ok := p.Type()
	if !ok {
		return false
	}
	field := fieldType(t, position)
	if field == nil {
		return p.Errorf(pos, "%s has no field that this compiler knows at %v", t, position)
	}
	s.Attrs = append(s.Attrs, ir.A("position", ir.DenseArray(ir.I64, position...)))
	s.Results = append(s.Results, t)
	return p.Resolve(s, container, t) && p.Resolve(s, value, field)
}

// fieldType is the type of a field of a struct of pointers, integers and arrays, or nil.
func fieldType(t ir.Type, position []int64) ir.Type {
	o, ok := t.(*ir.OpaqueType)
	if !ok {
		return nil
	}
	text, ok := strings.CutPrefix(o.Text, "!llvm.")
	for _, at := range position {
		if !ok {
			return nil
		}
		text, ok = element(text, at)
	}
	if !ok {
		return nil
	}
	if text == "ptr" {
		return Ptr
	}
	if width, found := strings.CutPrefix(text, "i"); found {
		if n, err := strconv.Atoi(width); err == nil && n > 0 && n <= 64 {
			return ir.Int(n)
		}
	}
	return nil
}

// element is an element of an aggregate, as text without "!llvm.".
func element(text string, at int64) (string, bool) {
	if body, ok := between(text, "array<", ">"); ok {
		n, elem, found := strings.Cut(body, " x ")
		size, err := strconv.ParseInt(n, 10, 64)
		return elem, found && err == nil && at >= 0 && at < size
	}
	body, ok := between(text, "struct<(", ")>")
	if !ok {
		return "", false
	}
	depth, start := 0, 0
	for i, r := range body + "," {
		switch {
		case r == '<' || r == '(':
			depth++
		case r == '>' || r == ')':
			depth--
		case r == ',' && depth == 0:
			if at == 0 {
				return strings.TrimSpace(body[start:i]), true
			}
			at--
			start = i + 1
		}
	}
	return "", false
}

func between(s, open, close string) (string, bool) {
	s, ok1 := strings.CutPrefix(s, open)
	s, ok2 := strings.CutSuffix(s, close)
	return s, ok1 && ok2
}
