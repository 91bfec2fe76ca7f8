package device_test

import (
	"reflect"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
)

// TestWayString: ways that differ in any field are different text, since keys of the cache hold the text.
func TestWayString(t *testing.T) {
	seen := map[string]device.Way{}
	add := func(w device.Way) {
		if other, ok := seen[w.String()]; ok && other != w {
			t.Errorf("%+v and %+v are both %q", w, other, w)
		}
		seen[w.String()] = w
	}
	add(device.Way{})
	for _, from := range []device.Way{{}, device.AnyLaunch, {Merge: 4}} {
		typ := reflect.TypeFor[device.Way]()
		for i := range typ.NumField() {
			for _, n := range []int64{-1, 1, 2} {
				w := from
				if f := reflect.ValueOf(&w).Elem().Field(i); f.Kind() == reflect.Bool {
					f.SetBool(true)
				} else {
					f.SetInt(n)
				}
				add(w)
			}
		}
	}
	if got := (device.Way{Merge: 4, Unit: true}).String(); got != "merge=4 unit" {
		t.Error(got)
	}
	if !(device.Way{}).IsGeneral() || device.AnyLaunch.IsGeneral() {
		t.Error("only the zero way is general")
	}
	if w := (device.Way{Fallback: true, BlocksPerSM: 2}); w.AnyGrid() != device.AnyLaunch {
		t.Error(w.AnyGrid())
	}
}
