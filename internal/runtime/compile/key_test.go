package compile

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/target"
)

// keyed is a device that keeps code.
type keyed struct {
	target.Backend
	target.Keeper
	chip string
}

func (d keyed) Target() lang.Target { return lang.Target{Chip: d.chip} }
func (keyed) Located() bool         { return false }

// keyJob is a compilation of a small kernel with all that its code can depend on.
func keyJob(t *testing.T, text string) *job {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), "k.ttir", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &job{k: &Kernel{Name: "k", Set: &Settings{}}, out: &code.Result{},
		dev: &args.Device{Backend: keyed{chip: "one"}},
		in:  &target.Input{Module: m, Kernel: "k", Way: device.AnyLaunch, Hosted: true}}
}

const keyText1 = "module { tt.func public @k(%n: i32) { tt.return } }"

// notInKey has the fields of target.Input that are no part of the cache's key, with the reason.
var notInKey = map[string]string{
	"Kernel":    "the key names the kernel besides",
	"Params":    "the module's function has the types of its arguments",
	"Constants": "values that are compiled in are constants of the module",
	"Stages":    "it watches", "Dump": "it watches", "Passes": "it watches", "Watch": "it watches",
	"Budget":   "it ends compilations",
	"Until":    "code that is kept is whole",
	"Override": "replaced stages are not kept", "Edit": "replaced stages are not kept",
	"Given":  "given stages are not kept",
	"Hosted": "all code that is kept for launches is hosted",
	"Launch": "the code serves every launch of its way",
}

// keyChanges has, for each other field, inputs that differ in it from the one before.
var keyChanges = map[string][]func(in *target.Input){
	"Options": {
		func(in *target.Input) { in.Options.NumWarps = 8 },
		func(in *target.Input) { in.Options.NumStages = 7 },
		func(in *target.Input) { in.Options.NumCTAs = 2 },
		func(in *target.Input) { in.Options.Check = true },
	},
	"Libs": {func(in *target.Input) { in.Libs = []target.Lib{{Name: "libdevice"}} }},
	"Way":  wayChanges(),
}

// wayChanges returns inputs that differ in one field of their way each.
func wayChanges() (list []func(in *target.Input)) {
	typ := reflect.TypeFor[device.Way]()
	for i := range typ.NumField() {
		if typ.Field(i).Type.Kind() == reflect.Bool {
			list = append(list, func(in *target.Input) {
				f := reflect.ValueOf(&in.Way).Elem().Field(i)
				f.SetBool(!f.Bool())
			})
			continue
		}
		for _, n := range []int64{-1, 1, 2} {
			list = append(list, func(in *target.Input) { reflect.ValueOf(&in.Way).Elem().Field(i).SetInt(n) })
		}
	}
	return list
}

// TestKey changes everything that a compilation depends on, field by field: each change gives another key.
func TestKey(t *testing.T) {
	seen := map[string]string{}
	add := func(what string, j *job) {
		key := fmt.Sprint(j.key(j.dev.Backend.(target.Keeper), "llvm 22"))
		if other, ok := seen[key]; ok {
			t.Errorf("%s has the key of %s", what, other)
		}
		seen[key] = what
	}
	add("nothing", keyJob(t, keyText1))
	if j := keyJob(t, keyText1); seen[fmt.Sprint(j.key(keyed{}, "llvm 22"))] != "nothing" {
		t.Error("equal compilations have different keys")
	}
	for i, typ := 0, reflect.TypeFor[target.Input](); i < typ.NumField(); i++ {
		name := typ.Field(i).Name
		if name == "Module" || notInKey[name] != "" {
			continue
		}
		if len(keyChanges[name]) == 0 {
			t.Errorf("target.Input.%s is new: say how the key depends on it", name)
		}
		for n, change := range keyChanges[name] {
			j := keyJob(t, keyText1)
			change(j.in)
			add(fmt.Sprintf("%s %d", name, n), j)
		}
	}
	add("another module", keyJob(t, "module { tt.func public @k(%n: i64) { tt.return } }"))
	other := keyJob(t, keyText1)
	other.dev = &args.Device{Backend: keyed{chip: "two"}}
	add("another chip", other)
	j := keyJob(t, keyText1)
	if key := fmt.Sprint(j.key(keyed{}, "llvm 21")); seen[key] != "" {
		t.Error("another code generator has the same key")
	}
}
