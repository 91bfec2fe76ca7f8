package args

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// Covers reports whether code for the specialization general serves arguments of the specialization got: it
// knows no more of them. same reports that a launch passes the same words to both.
func Covers(params []lang.Param, general, got []lang.ArgSpec) (ok, same bool) {
	same = true
	for i := range got {
		ok, as := covers(params[i], general[i], got[i])
		if !ok {
			return false, false
		}
		same = same && as
	}
	return true, same
}

func covers(p lang.Param, general, got lang.ArgSpec) (ok, same bool) {
	switch {
	case fits(got, general):
		return true, true
	case p.Constexpr || p.Type != "" || general.Type == nil || general.Div16 || general.Small:
		return false, false
	case isOne(got):
		return isInt(general.Type, sem.Int32) || isInt(general.Type, sem.Int64), false
	}
	return got.Type != nil && isInt(got.Type, sem.Int32) && isInt(general.Type, sem.Int64), false
}

// isOne reports whether a number was specialized for being 1.
func isOne(s lang.ArgSpec) bool {
	return s.Const != nil && !s.Tuple && s.Desc == nil &&
		s.Const.TypeName() == object.MakeInt(1).TypeName() && lang.Repr(s.Const) == "1"
}

func isInt(t sem.Type, want *sem.DType) bool { return t != nil && t.String() == want.String() }

// For returns the parameters by which arguments are specialized no further than specs.
func (p *Params) For(specs []lang.ArgSpec) *Params {
	list := slices.Clone(p.List)
	for i, s := range specs {
		if list[i].Constexpr || s.Type == nil {
			continue
		}
		_, pointer := s.Type.(*sem.PtrType)
		list[i].NoAlign = list[i].NoAlign || !s.Div16
		if pointer {
			continue
		}
		list[i].NoSpecialize = true
		if list[i].Type == "" && isInt(s.Type, sem.Int64) {
			list[i].Type = "i64"
		}
	}
	return NewParams(list)
}

// Differences says, for each parameter that differs between two specializations, how got differs from before.
func Differences(params []lang.Param, before, got []lang.ArgSpec) (list []string) {
	for i := range got {
		var a, b strings.Builder
		writeSpec(&a, before[i])
		writeSpec(&b, got[i])
		if a.String() != b.String() {
			list = append(list, difference(params[i], before[i], got[i]))
		}
	}
	return list
}

func difference(p lang.Param, before, got lang.ArgSpec) string {
	both := before.Type != nil && got.Type != nil && sameType(before.Type, got.Type)
	what, pointer := "parameter "+p.Name, false
	if both {
		_, pointer = got.Type.(*sem.PtrType)
	}
	if pointer {
		what = "the address of " + p.Name
	}
	switch {
	case both && before.Div16 && !got.Div16:
		return what + " was 16-divisible before, and is not"
	case both && !before.Div16 && got.Div16:
		return what + " is 16-divisible, and was not before"
	case !p.Constexpr && isOne(got):
		return what + " is 1, and was " + specText(before) + " before"
	case !p.Constexpr && isOne(before):
		return what + " was 1 before, and is " + specText(got)
	}
	return fmt.Sprintf("%s is %s, and was %s before", what, specText(got), specText(before))
}

func specText(s lang.ArgSpec) string { return lang.FormatSignature([]lang.ArgSpec{s}) }
