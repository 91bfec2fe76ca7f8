package signature

import (
	"fmt"
	"strings"
)

// Format writes arguments as Parse reads them.
func Format(list []Arg) string {
	parts := make([]string, len(list))
	for i, a := range list {
		parts[i] = a.String()
	}
	return strings.Join(parts, ", ")
}

// String returns the argument's part of a signature.
func (a Arg) String() string {
	switch {
	case a.Tuple:
		list := Format(a.Items)
		if len(a.Names) > 0 {
			parts := make([]string, len(a.Items))
			for i, item := range a.Items {
				parts[i] = a.Names[i] + "=" + item.String()
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
		return fmt.Sprintf("tensordesc<%s[%s]>%s", Scalar(a.Desc.Elem), dims, suffix)
	case a.Typed():
		return a.Type.String() + a.ruleText()
	}
	return a.Const.Text()
}

// ruleText returns what is known of a value, behind its type: ":16", ":16S".
func (a Arg) ruleText() string {
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
