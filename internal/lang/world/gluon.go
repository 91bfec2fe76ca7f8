package world

import (
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
)

const (
	gluonPackage  = "triton.experimental.gluon"
	gluonLanguage = gluonPackage + ".language"
)

// gluonForwards has the names of gluon.language that mean what those of triton.language do.
var gluonForwards = strings.Fields(`constexpr tensor dtype void int1 int8 int16 int32 int64 uint8
	uint16 uint32
	uint64 float8e5 float8e4nv float16 bfloat16 float32 float64 pointer_type tuple
	program_id num_programs load store where maximum minimum add sub mul cast expand_dims broadcast static_range
	static_assert static_print device_assert device_print assume multiple_of max_contiguous max_constancy
	exp exp2 log log2 sin cos sqrt sqrt_rn rsqrt erf floor ceil abs fma fdiv div_rn umulhi cdiv`)

// registerGluon makes the modules of Gluon: a refusal, or, with "+gluon", the part that is compiled.
func (w *World) registerGluon() {
	if !w.version.Gluon() {
		w.known[gluonPackage] = &pyrun.Module{Name: gluonPackage, Open: true,
			Why: "Gluon is a language of its own; kernels with explicit layouts that copy and compute elementwise " +
				"are compiled as an experiment: " + triton.HowToChoose(w.version.WithGluon())}
		return
	}
	w.known[gluonPackage] = &pyrun.Module{Name: gluonPackage, Vars: map[string]object.Value{
		"jit": w.gluonJIT(), "constexpr_function": constexprDecorator,
	}}
	layouts := map[string]object.Value{
		"BlockedLayout": &ConstexprFunc{Fn: object.Native("BlockedLayout",
			"size_per_thread threads_per_warp warps_per_cta order", blockedLayout)},
		"SliceLayout": &ConstexprFunc{Fn: object.Native("SliceLayout", "dim parent", sliceLayout)},
	}
	w.known[gluonLanguage] = &pyrun.Module{Name: gluonLanguage, Lookup: w.gluon, Vars: layouts}
	w.link(gluonPackage, "language")
}

// gluonJIT returns @gluon.jit.
func (w *World) gluonJIT() object.Value {
	jit := w.jit().(*decorator)
	return &decorator{"jit", func(fn object.Value, opts []object.Keyword) (object.Value, error) {
		v, err := jit.apply(fn, opts)
		if j, ok := v.(*JITFunction); ok {
			j.Gluon = true
		}
		return v, err
	}}
}

// gluon looks up a name of gluon.language.
func (w *World) gluon(_ *object.Interp, name string) (object.Value, bool, error) {
	if bi := sem.Gluon(name); bi != nil {
		return bi, true, nil
	}
	if slices.Contains(gluonForwards, name) {
		return w.lookup("", name)
	}
	return nil, false, object.Errorf(object.AttributeError, "gl.%s is not compiled here: of Gluon there are "+
		"BlockedLayout, SliceLayout, arange, full, zeros, convert_layout and elementwise operations, "+
		"as an experiment", name)
}

func blockedLayout(_ *object.Interp, args []object.Value) (object.Value, error) {
	var lists [4][]int64
	for i, a := range args {
		items, ok := listItems(a)
		if !ok {
			return nil, object.Errorf(object.TypeError, "a BlockedLayout is made of lists of integers, not %s",
				Describe(a))
		}
		for _, item := range items {
			n, ok := object.AsInt64(Unwrap(item))
			if !ok {
				return nil, object.Errorf(object.TypeError,
					"a BlockedLayout is made of lists of integers, but one has %s", Describe(item))
			}
			lists[i] = append(lists[i], n)
		}
	}
	return sem.BlockedLayout(lists[0], lists[1], lists[2], lists[3])
}

func sliceLayout(_ *object.Interp, args []object.Value) (object.Value, error) {
	dim, isInt := object.AsInt64(Unwrap(args[0]))
	parent, ok := Unwrap(args[1]).(*sem.Layout)
	if !isInt || !ok {
		return nil, object.Errorf(object.TypeError,
			"a SliceLayout is made of a dimension and a layout, not %s and %s",
			Describe(args[0]), Describe(args[1]))
	}
	return sem.SliceLayout(dim, parent), nil
}

// listItems returns the items of a list or tuple.
func listItems(v object.Value) ([]object.Value, bool) {
	switch v := Unwrap(v).(type) {
	case *object.List:
		return v.Items, true
	case *object.Tuple:
		return v.Items, true
	}
	return nil, false
}
