package args

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/signature"
)

// Covers reports whether code for the specialization general serves arguments of the specialization got: it
// knows no more of them. same reports that a launch passes the same words to both.
func Covers(params []signature.Param, general, got []signature.Arg) (ok, same bool) {
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

func covers(p signature.Param, general, got signature.Arg) (ok, same bool) {
	switch {
	case fits(got, general):
		return true, true
	case p.Constexpr || p.Type != "" || !general.Typed() || general.Div16 || general.Small:
		return false, false
	case got.IsOne():
		return general.Type == int32Type || general.Type == int64Type, false
	}
	return got.Type == int32Type && general.Type == int64Type, false
}

// The types of integers without an annotation.
var int32Type, int64Type = signature.Scalar(dtype.Int32), signature.Scalar(dtype.Int64)

// For returns the parameters by which arguments are specialized no further than specs.
func (p *Params) For(specs []signature.Arg) *Params {
	list := slices.Clone(p.List)
	for i, s := range specs {
		if list[i].Constexpr || !s.Typed() {
			continue
		}
		list[i].NoAlign = list[i].NoAlign || !s.Div16
		if s.Type.IsPointer() {
			continue
		}
		list[i].NoSpecialize = true
		if list[i].Type == "" && s.Type == int64Type {
			list[i].Type = "i64"
		}
	}
	return NewParams(list)
}

// Differences says, for each parameter that differs between two specializations, how got differs from before.
func Differences(params []signature.Param, before, got []signature.Arg) (list []string) {
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

func difference(p signature.Param, before, got signature.Arg) string {
	both := before.Typed() && got.Typed() && sameType(before.Type, got.Type)
	what := "parameter " + p.Name
	if both && got.Type.IsPointer() {
		what = "the address of " + p.Name
	}
	switch {
	case both && before.Div16 && !got.Div16:
		return what + " was 16-divisible before, and is not"
	case both && !before.Div16 && got.Div16:
		return what + " is 16-divisible, and was not before"
	case !p.Constexpr && got.IsOne():
		return what + " is 1, and was " + specText(before) + " before"
	case !p.Constexpr && before.IsOne():
		return what + " was 1 before, and is " + specText(got)
	}
	return fmt.Sprintf("%s is %s, and was %s before", what, specText(got), specText(before))
}

func specText(s signature.Arg) string { return signature.Format([]signature.Arg{s}) }
