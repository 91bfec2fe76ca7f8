package codegen

import (
	"fmt"
	"math"
	"strings"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// FormatSignature writes arguments as ParseSignature reads them.
func FormatSignature(args []ArgSpec) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.format()
	}
	return strings.Join(parts, ", ")
}

func (a ArgSpec) format() string {
	switch {
	case a.Tuple:
		list := FormatSignature(a.Items)
		if len(a.Names) > 0 {
			parts := make([]string, len(a.Items))
			for i, item := range a.Items {
				parts[i] = a.Names[i] + "=" + item.format()
			}
			list = strings.Join(parts, ", ")
		}
		if len(a.Items) == 1 {
			list += ","
		}
		return "(" + list + ")"
	case a.Desc != nil:
		dims := strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Desc.Block), " ", ", "), "[]")
		suffix := ""
		if a.Desc.Pointer {
			suffix = pointerSuffix
		}
		return fmt.Sprintf("tensordesc<%s[%s]>%s", typeText(a.Desc.Elem), dims, suffix)
	case a.Type != nil:
		return typeText(a.Type) + a.ruleText()
	}
	return constText(orNone(a.Const))
}

// ruleText returns what is known of a value, behind its type: ":16", ":16S".
func (a ArgSpec) ruleText() string {
	switch {
	case a.Div16 && a.Small:
		return ":16S"
	case a.Div16:
		return ":16"
	case a.Small:
		return ":S"
	}
	return ""
}

// typeText returns a type as signatures write it.
func typeText(t sem.Type) string {
	if p, ok := t.(*sem.PtrType); ok {
		if p.Const {
			return "*k" + typeText(p.Elem)
		}
		return "*" + typeText(p.Elem)
	}
	if t, ok := dtype.Parse(t.String()); ok {
		return world.CanonicalName(t)
	}
	return t.String()
}

func constText(v object.Value) string {
	switch v := v.(type) {
	case *sem.DType:
		return typeText(v)
	case *FuncRef:
		return "@" + v.File + ":" + v.Name
	case object.Float:
		if f := float64(v); math.IsInf(f, 0) || math.IsNaN(f) {
			return "float('" + strings.TrimPrefix(strings.ToLower(fmt.Sprint(f)), "+") + "')"
		}
	case *object.Tuple:
		items := make([]string, len(v.Items))
		for i, e := range v.Items {
			items[i] = constText(e)
		}
		if len(items) == 1 {
			return "(" + items[0] + ",)"
		}
		return "(" + strings.Join(items, ", ") + ")"
	}
	return world.Repr(v)
}
