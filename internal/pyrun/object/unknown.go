package object

import (
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Unknown stands for a value that comes from a package of which nothing is known. Its attributes, items and
// results are Unknown in turn; a use that needs to know the value is an error that names the package.
type Unknown struct {
	Package string    // whose import failed
	Span    diag.Span // of that import
	Path    string    // the expression that gave the value, "foo.bar(...)"
	Reason  string    // why nothing is known; may be empty
	// where the package was looked for, and how to have it looked for elsewhere; may be empty
	Looked string
	// Args are the arguments of the call that gave the value: with one, it may be a decorated function.
	Args []Value

	plain bool // Path is made of attributes only, so it names one object
}

// TypeName returns "unknown".
func (*Unknown) TypeName() string { return "unknown" }

// NewUnknown returns the module of a package of which nothing is known.
func NewUnknown(pkg string, span diag.Span) *Unknown {
	return &Unknown{Package: pkg, Span: span, Path: pkg, plain: true}
}

// Repr shows where it comes from.
func (u *Unknown) Repr() string { return fmt.Sprintf("<unknown %s>", u.Path) }

// Wrapped returns the function that was handed to an unknown decorator: the one argument of the call that
// gave u.
func (u *Unknown) Wrapped() (Value, bool) {
	if len(u.Args) != 1 {
		return nil, false
	}
	return u.Args[0], true
}

// maxPath bounds how much of an expression an Unknown remembers.
const maxPath = 120

// Derive returns the value of the expression u followed by suffix. plain says that suffix names an attribute.
func (u *Unknown) Derive(suffix string, plain bool) *Unknown {
	path := u.Path + suffix
	if len(path) > maxPath {
		path, plain = "…"+path[len(path)-maxPath:], false
	}
	return &Unknown{Package: u.Package, Span: u.Span, Path: path, Reason: u.Reason, Looked: u.Looked,
		plain: u.plain && plain}
}

// Attribute returns u.name.
func (u *Unknown) Attribute(name string) *Unknown { return u.Derive("."+name, true) }

func (u *Unknown) call(args []Value) *Unknown {
	v := u.Derive("(…)", false)
	v.Args = args
	return v
}

// Element returns u[i] for any i.
func (u *Unknown) Element() *Unknown { return u.Derive("[…]", false) }

// HashKey returns the path where that names one object, or else u itself.
func (u *Unknown) HashKey() (any, error) {
	if u.plain {
		return unknownKey(u.Path), nil
	}
	return u, nil
}

type unknownKey string

// isModule reports whether u is the package itself, not something in it.
func (u *Unknown) isModule() bool { return u.Path == u.Package }

// Need returns the error of a use that needs to know u: "the value", "the type".
func (u *Unknown) Need(use string) error {
	e := Errorf(TypeError, "%s of '%s' is not known here: it comes from package '%s'", use, u.Path, u.Package)
	if u.Reason != "" {
		e = Errorf(TypeError, "%s of '%s' is not known here: %s", use, u.Path, u.Reason)
	}
	e.Code = unknownPackage
	looked := u.Looked
	if looked == "" {
		looked = "add its folder to the search path"
	}
	e.Hint = fmt.Sprintf("package '%s' is not among the modules given; %s, or do not use it at compile time",
		u.Package, looked)
	if u.Reason != "" {
		e.Hint = ""
	}
	if u.Span.Start.IsValid() {
		e.Notes = append(e.Notes,
			diag.Note{Span: u.Span, Msg: "package '" + u.Package + "' is imported here"})
	}
	return e
}

// unknownPackage is the code of errors that Need returns.
const unknownPackage = "unknown-package"

// IsUnknown reports whether err says that a value comes from a package that is not here.
func IsUnknown(err error) bool {
	var e *Exception
	return errors.As(err, &e) && e.Code == unknownPackage
}

// UnknownOf returns the first Unknown among values, or nil.
func UnknownOf(values ...Value) *Unknown {
	for _, v := range values {
		if u, ok := v.(*Unknown); ok {
			return u
		}
	}
	return nil
}
