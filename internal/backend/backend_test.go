package backend

import (
	"reflect"
	"testing"
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
