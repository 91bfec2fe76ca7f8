package tunable

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/nereid-lang/nereid/run"
)

// bounds of a search for tensors: parameters are small structs, not whole programs.
const (
	maxDepth = 6
	maxItems = 256
)

var (
	tensorType     = reflect.TypeFor[*run.Tensor]()
	descriptorType = reflect.TypeFor[run.Descriptor]()
)

// tensorsOf returns the tensors among parameters, each once: in fields, slices, arrays and interfaces, and
// those behind pointers to such.
func tensorsOf(p any) []found {
	w := &tensorWalk{seen: map[any]bool{}}
	w.walk(reflect.ValueOf(p), "", 0)
	return w.out
}

type tensorWalk struct {
	seen map[any]bool
	out  []found
}

func (w *tensorWalk) walk(v reflect.Value, name string, depth int) {
	if depth > maxDepth || !v.IsValid() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		w.pointer(v, name, depth)
	case reflect.Interface:
		w.walk(v.Elem(), name, depth)
	case reflect.Struct:
		for i := range v.NumField() {
			w.walk(v.Field(i), strings.TrimPrefix(name+"."+v.Type().Field(i).Name, "."), depth+1)
		}
	case reflect.Slice, reflect.Array:
		if plain(v.Type().Elem()) {
			return
		}
		for i := range min(v.Len(), maxItems) {
			w.walk(v.Index(i), fmt.Sprintf("%s[%d]", name, i), depth+1)
		}
	}
}

func (w *tensorWalk) pointer(v reflect.Value, name string, depth int) {
	if v.IsNil() || w.seen[v.UnsafePointer()] {
		return
	}
	w.seen[v.UnsafePointer()] = true
	if v.Type() == tensorType {
		if name == "" {
			name = "the tensor"
		}
		w.out = append(w.out, found{(*run.Tensor)(v.UnsafePointer()), name})
		return
	}
	if at := v.Type().Elem(); at.Kind() == reflect.Struct && (at == descriptorType || !ours(at)) {
		w.walk(v.Elem(), name, depth+1)
	}
}

// ours reports whether a type belongs to this module's packages, whose insides are no parameters, or to
// package sync.
func ours(t reflect.Type) bool {
	switch t.PkgPath() {
	case reflect.TypeFor[run.Tensor]().PkgPath(), reflect.TypeFor[Code]().PkgPath(), "sync", "context":
		return true
	}
	return false
}

// plain reports whether values of a type hold no pointers.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Struct, reflect.Slice, reflect.Array:
		return false
	}
	return true
}
