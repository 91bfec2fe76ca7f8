package codegen

import (
	"fmt"
	"regexp"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/signature"
)

// specializationProxy is what a function under repr= is given.
var specializationProxy = &object.NamedTuple{Name: "SpecializationProxy",
	Fields: []string{"constants", "signature"}}

// symbolName is what the assemblers of GPUs take for the name of a function.
var symbolName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// entryName returns the name that a kernel has in its code: the function's, or what @triton.jit(repr=...)
// makes of the specialization.
func (u *unit) entryName(fn *world.JITFunction, args []signature.Arg) string {
	if fn.Repr == nil {
		return fn.Func.Name
	}
	constants, types := object.NewDict(), object.NewDict()
	for i, p := range fn.Params {
		types.SetStr(p.Name, typeWord(&args[i]))
		if args[i].Constant() {
			constants.SetStr(p.Name, u.constant(ValueOf(args[i].Const)))
		}
	}
	proxy := object.NewTuple(constants, types)
	proxy.Class = specializationProxy
	v, err := object.Call(u.world.In, fn.Repr, []object.Value{proxy}, nil)
	if err != nil {
		panic(&failure{d: object.Diagnostic(err, u.entry)})
	}
	name, ok := world.Unwrap(v).(object.Str)
	if !ok || !symbolName.MatchString(string(name)) {
		panic(&failure{d: diag.Diagnostic{Code: "bad-arguments", Span: u.entry,
			Hint: "letters, digits and underscores make a name that every target takes",
			Msg: fmt.Sprintf("repr= of %s returns %s, which is no name of a function", fn.Func.Name,
				world.Repr(v))}})
	}
	return string(name)
}

// typeWord returns the type of an argument as Triton's specializations have it: a word, or a tuple of words.
func typeWord(a *signature.Arg) object.Value {
	switch {
	case a.Tuple:
		items := make([]object.Value, len(a.Items))
		for i := range a.Items {
			items[i] = typeWord(&a.Items[i])
		}
		return object.NewTuple(items...)
	case a.Constant():
		return object.Str("constexpr")
	}
	plain := *a
	plain.Div16, plain.Small = false, false
	return object.Str(plain.String())
}
