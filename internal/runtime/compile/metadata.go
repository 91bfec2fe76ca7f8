package compile

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// metadata returns a function that calls the one under launch_metadata= of the kernel's @triton.jit, as
// Triton does for the hooks of launches: with the grid, a description of the code and the arguments by name.
// It is nil if no hook can ask, or if the kernel has no such function.
func (k *Kernel) metadata(s Spec) func(code.Hooked) (map[string]any, error) {
	if k.Set.Around == nil || k.Source == nil {
		return nil
	}
	find := sync.OnceValues(func() (lang.HostFunc, error) {
		return k.Source.LaunchMetadata(k.Name, TargetOf(s.Dev))
	})
	return func(l code.Hooked) (map[string]any, error) {
		fn, err := find()
		if fn == nil || err != nil {
			return nil, err
		}
		grid := object.NewTuple()
		for _, n := range l.Work.Grid {
			grid.Items = append(grid.Items, object.MakeInt(int64(n)))
		}
		values := object.NewDict()
		for _, a := range l.Args() {
			values.SetStr(a.Name, hostValue(a.Value))
		}
		v, err := fn(grid, codeMetadata(l.Build, TargetOf(s.Dev)), values)
		if err != nil {
			return nil, err
		}
		out, ok := goValue(v).(map[string]any)
		if !ok {
			return nil, fmt.Errorf("launch_metadata= of %s returns %s, not a dict", k.Name, v.TypeName())
		}
		return out, nil
	}
}

// codeMetadata describes compiled code as Triton's KernelMetadata does.
func codeMetadata(b *code.Build, t lang.Target) object.Value {
	facts, o := device.FactsOf(b.Exec), b.Variant.Options
	arch := object.Value(object.MakeInt(int64(t.Arch)))
	if t.Chip != "" {
		arch = object.Str(t.Chip)
	}
	return namedTuple("KernelMetadata",
		"name", object.Str(b.Entry()),
		"num_ctas", object.MakeInt(int64(o.NumCTAs)),
		"num_stages", object.MakeInt(int64(o.NumStages)),
		"num_warps", object.MakeInt(int64(o.NumWarps)),
		"shared", object.MakeInt(int64(facts.Shared)),
		"target", namedTuple("GPUTarget", "backend", object.Str(t.Backend), "arch", arch,
			"warp_size", object.MakeInt(int64(t.WarpSize))))
}

// namedTuple returns a named tuple of alternating names and values.
func namedTuple(name string, list ...any) *object.Tuple {
	class, t := &object.NamedTuple{Name: name}, object.NewTuple()
	for i := 0; i < len(list); i += 2 {
		class.Fields = append(class.Fields, list[i].(string))
		t.Items = append(t.Items, list[i+1].(object.Value))
	}
	t.Class = class
	return t
}

// hostValue returns an argument of a launch as functions of the kernel's file see it.
func hostValue(v any) object.Value {
	switch v := v.(type) {
	case uintptr:
		return object.MakeInt(int64(v))
	case *args.Tensor:
		if v != nil {
			return tensorValue(v)
		}
		return object.None
	case args.Fields:
		var list []any
		for _, f := range v {
			list = append(list, f.Name, hostValue(f.Value))
		}
		return namedTuple("Fields", list...)
	case *args.Descriptor:
		if v != nil && v.Base != nil {
			return &lang.DescriptorValue{Base: tensorValue(v.Base), Shape: v.Shape, Strides: v.Strides,
				Block: v.Block, NaN: v.NaN}
		}
		return object.None
	}
	if list, ok := v.([]any); ok {
		t := object.NewTuple()
		for _, item := range list {
			t.Items = append(t.Items, hostValue(item))
		}
		return t
	}
	c, err := args.Constant(v)
	if err != nil {
		return object.None
	}
	return lang.ValueOf(c)
}

// tensorValue describes a tensor. Its elements are out of reach: the launch is under way.
func tensorValue(t *args.Tensor) *lang.TensorValue {
	v := &lang.TensorValue{DType: t.Elem.Row().Torch, Ptr: int64(t.Addr),
		Zero:  func() error { return errUnderWay },
		Bytes: func() ([]byte, error) { return nil, errUnderWay },
		Clone: func() (*lang.TensorValue, error) { return nil, errUnderWay },
		Copy:  func(*lang.TensorValue) error { return errUnderWay },
	}
	stride := int64(1)
	v.Shape, v.Strides = make([]int64, len(t.Shape)), make([]int64, len(t.Shape))
	for i := len(t.Shape) - 1; i >= 0; i-- {
		v.Shape[i], v.Strides[i] = int64(t.Shape[i]), stride
		stride *= int64(t.Shape[i])
	}
	for i, n := range t.Strides {
		v.Strides[i] = int64(n)
	}
	return v
}

var errUnderWay = fmt.Errorf("launch_metadata= may not touch the elements of tensors")

// goValue returns a value of Python as one of Go: numbers, strings, bools, nil, []any and map[string]any, or
// the text of any other.
func goValue(v object.Value) any {
	switch v := v.(type) {
	case object.Str:
		return string(v)
	case object.Bool:
		return bool(v)
	case object.Int:
		if n, ok := v.Int64(); ok {
			return n
		}
		f, _ := strconv.ParseFloat(lang.Repr(v), 64)
		return f
	case object.Float:
		return float64(v)
	case *object.Tuple:
		return goValues(v.Items)
	case *object.List:
		return goValues(v.Items)
	case *object.Dict:
		out := map[string]any{}
		for key, item := range v.All() {
			if s, ok := key.(object.Str); ok {
				out[string(s)] = goValue(item)
			} else {
				out[lang.Repr(key)] = goValue(item)
			}
		}
		return out
	}
	if v == object.None {
		return nil
	}
	return lang.Repr(v)
}

func goValues(items []object.Value) []any {
	out := make([]any, len(items))
	for i, v := range items {
		out[i] = goValue(v)
	}
	return out
}
