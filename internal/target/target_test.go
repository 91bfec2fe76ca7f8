package target

import (
	"reflect"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// Each option says whether code depends on it, and those on which it does change the key.
func TestOptionsKey(t *testing.T) {
	base := Options{}.Key()
	v := reflect.TypeFor[Options]()
	for i := range v.NumField() {
		f := v.Field(i)
		o := reflect.New(v).Elem()
		switch f.Type.Kind() {
		case reflect.Int:
			o.Field(i).SetInt(7)
		case reflect.Bool:
			o.Field(i).SetBool(true)
		case reflect.String:
			o.Field(i).SetString("x")
		case reflect.Uint8: // Debug
			o.Field(i).SetUint(1)
		default:
			t.Fatalf("%s: say here how a %s is set", f.Name, f.Type)
		}
		changed := o.Interface().(Options).Key() != base
		switch tag := f.Tag.Get("code"); {
		case tag != "yes" && tag != "no":
			t.Errorf("Options.%s has no tag `code`", f.Name)
		case changed != (tag == "yes"):
			t.Errorf("Options.%s: code %q, but the key changes: %v", f.Name, tag, changed)
		}
	}
}

// Around passes a compilation does what its input says: prints the passes that the pipeline has, verifies,
// and leaves a reproducer.
func TestRun(t *testing.T) {
	m, err := ir.Parse(diag.NewFileSet(), "k.ttir",
		[]byte("module {\n  tt.func public @k() {\n    tt.return\n  }\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	good := pass.Pass{Name: "good", Run: func(*pass.Context, *ir.Module) error { return nil }}
	bad := pass.Pass{Name: "bad", Run: func(*pass.Context, *ir.Module) error { panic("a bug") }}
	invalid := pass.Pass{Name: "invalid", Run: func(_ *pass.Context, m *ir.Module) error {
		for op := range m.Ops() {
			if op.Def == tt.Return {
				op.Erase()
			}
		}
		return nil
	}}
	var dump strings.Builder
	dir := t.TempDir()
	in := &Input{Module: m, Dump: &dump, Passes: pass.Options{DumpAfter: []string{"good",
		"of another pipeline"}, Verify: true, Reproducers: dir}}
	if err := in.Run([]pass.Pass{good}); err != nil || strings.Count(dump.String(), "IR after good") != 1 {
		t.Errorf("%v; printed %s", err, &dump)
	}
	if err := in.Run([]pass.Pass{bad}); err == nil ||
		!strings.Contains(err.Error(), "nereid opt --run-reproducer "+dir) {
		t.Errorf("error: %v", err)
	}
	if err := in.Run([]pass.Pass{invalid}); err == nil || !strings.Contains(err.Error(), "invalid") {
		t.Errorf("error: %v", err)
	}
}
