package sem

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestNamesOfTriton compares the table with Triton's names and parameters (peer/semantics.py --names), in
// both directions.
func TestNamesOfTriton(t *testing.T) {
	for _, v := range triton.Releases {
		t.Run(v.String(), func(t *testing.T) { compareNames(t, v) })
	}
}

// namesOf returns Triton's names and parameters of a release.
func namesOf(t *testing.T, v triton.Version) map[string]map[string]*string {
	t.Helper()
	file := "testdata/names.json"
	if v != triton.Default {
		file = "testdata/names-" + v.String() + ".json.gz"
	}
	return txtest.JSON[map[string]map[string]*string](t, file)
}

func compareNames(t *testing.T, v triton.Version) {
	want := namesOf(t, v)
	got := map[string]map[string]*Builtin{"": In(v).public, "members": {}}
	for _, bi := range In(v).All() {
		if bi.Member {
			got["members"][bi.Name] = bi
		}
		if got[bi.Module] == nil {
			got[bi.Module] = map[string]*Builtin{}
		}
		got[bi.Module][bi.Name] = bi
	}
	for home, names := range want {
		for name, params := range names {
			bi := got[home][name]
			switch {
			case bi == nil:
				t.Errorf("%s: no %s", home, name)
			case name == "PropagateNan": // how it is made differs
			case params != nil && *params != withoutSelf(home, strings.ReplaceAll(bi.Params, "*, ", "")):
				t.Errorf("%s: %s takes (%s), in Triton (%s)", home, name, bi.Params, *params)
			}
		}
		for name := range got[home] {
			if _, ok := names[name]; !ok {
				t.Errorf("%s: Triton has no %s", home, name)
			}
		}
	}
}

// withoutSelf drops the first parameter of methods.
func withoutSelf(home, params string) string {
	if home == InTensor || home == InDescriptor {
		_, params, _ = strings.Cut(params, ", ")
	}
	return params
}

// TestTableIsWhole checks what holds for every row.
func TestTableIsWhole(t *testing.T) {
	for _, v := range triton.Releases {
		checkTable(t, In(v))
	}
}

func checkTable(t *testing.T, names *Names) {
	for _, bi := range names.All() {
		if (bi.State == Primitive) && bi.Fn == nil || bi.State == Stdlib && bi.Fn != nil {
			t.Errorf("%s: state %d does not fit its function", bi.FullName(), bi.State)
		}
		if bi.State == Constant && bi.Value == nil {
			t.Errorf("%s has no value", bi.FullName())
		}
		if home := names.Lookup(bi.Module, bi.Name); home != bi {
			t.Errorf("%s is not found in its home %s", bi.FullName(), bi.Module)
		}
		if bi.Public && names.Lookup("", bi.Name) != bi {
			t.Errorf("%s is not found", bi.FullName())
		}
	}
}

// TestHostileArguments calls every builtin, operator and conversion with arguments of all kinds: no panic,
// and IR that verifies whenever there is no error.
func TestHostileArguments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 30
	if testing.Short() {
		rounds = 10
	}
	good := 0
	for _, v := range []triton.Version{triton.Default, triton.V39, triton.V39.KeepBlockPtr()} {
		good += hostile(t, v, rng, rounds)
	}
	t.Logf("%d calls without an error", good)
}

func hostile(t *testing.T, v triton.Version, rng *rand.Rand, rounds int) (good int) {
	for _, bi := range In(v).All() {
		if bi.Fn == nil {
			continue
		}
		for range rounds {
			opts := DefaultOptions("cuda", "90")
			opts.Triton = v
			f := newTestFunc(opts)
			w := &walker{testFunc: f}
			pool := f.pool()
			var args []object.Value
			for range rng.IntN(len(bi.params) + 2) {
				args = append(args, pool[rng.IntN(len(pool))])
			}
			if _, err := bi.Invoke(f.b, w, args, nil, rng.IntN(2) == 0); err != nil {
				continue
			}
			good++
			f.b.Op(tt.Return, nil, nil)
			if err := ir.Verify(f.module.Op); err != nil {
				t.Errorf("%s%s: %v", bi.FullName(), describeAll(args), err)
			}
		}
	}
	return good
}

func describeAll(vs []object.Value) string {
	var out []string
	for _, v := range vs {
		out = append(out, describe(v))
	}
	return "(" + strings.Join(out, ", ") + ")"
}

// pool is one value of each kind.
func (f *testFunc) pool() []object.Value {
	vs := []object.Value{object.None, object.Bool(true), object.MakeInt(0), object.MakeInt(1),
		object.MakeInt(-1), object.MakeInt(16), object.MakeInt(1 << 40), object.Float(1.5), object.Str(""),
		object.Str("e4m3"), object.Str("relaxed"), object.NewTuple(), object.NewTuple(object.MakeInt(16)),
		object.NewTuple(object.MakeInt(1), object.MakeInt(0)), object.NewTuple(object.None), &object.List{},
		jitName("fn"), NanAll, Float32, Int8, Ptr(Float32), Block(Int32, 4), &object.Slice{}}
	for _, t := range []Type{Int1, Int32, Uint8, Float32, Float16, BFloat16, Float8E5, Float8E4B15,
		Ptr(Float32), Ptr(Int1), Ptr(Block(Float32, 16))} {
		vs = append(vs, f.param(t))
		if !IsBlockPtr(t) {
			vs = append(vs, f.param(Block(t, 16)), f.param(Block(t, 32, 32)))
		}
	}
	d := Desc(Block(Float16, 16, 16))
	vs = append(vs, &Descriptor{V: f.param(d).V, Type: d, Shape: []*Tensor{f.param(Int32), f.param(Int32)},
		Strides: []*Tensor{f.param(Int64), f.param(Int64)}})
	tensors := slices.DeleteFunc(slices.Clone(vs), func(v object.Value) bool {
		_, ok := v.(*Tensor)
		return !ok
	})
	return append(vs, object.NewTuple(tensors[:2]...), object.NewTuple(tensors[4], tensors[4]))
}
