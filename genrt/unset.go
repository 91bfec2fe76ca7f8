package genrt

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
)

// unset adds to an error of the compiler the compile-time arguments that the caller has probably forgotten:
// the field is zero, and the kernel has no default.
func (s *constSet) unset(err error) error {
	if !errors.As(err, new(*nereid.CompileError)) {
		return err
	}
	var names []string
	for _, p := range jit.Params(s.k).List {
		if p.Constexpr && p.Default == nil && s.zero(p.Name) {
			names = append(names, p.Name)
		}
	}
	if names == nil {
		return err
	}
	return fmt.Errorf("%w\n    note: not set in %s, and without a default in the kernel: %s", err, s.of,
		strings.Join(names, ", "))
}

// zero reports whether an argument is given as its type's zero value.
func (s *constSet) zero(name string) bool {
	return slices.ContainsFunc(s.args, func(a any) bool {
		n, ok := a.(nereid.Named)
		return ok && n.Name == name && (n.Value == nil || reflect.ValueOf(n.Value).IsZero())
	})
}
