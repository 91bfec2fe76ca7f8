package world

import (
	"math"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// torchDType is torch.float16 and the like, which module constants and conditions mention.
type torchDType struct {
	name   string
	format *num.Format // format of a float
	power  bool        // float8_e8m0fnu: powers of two, 8 bits, no sign
	bits   int         // bits of an integer
	signed bool
}

func (*torchDType) TypeName() string        { return "dtype" }
func (t *torchDType) Repr() string          { return "torch." + t.name }
func (t *torchDType) HashKey() (any, error) { return t, nil }

func (t *torchDType) Attr(in *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "is_floating_point":
		return object.Bool(t.format != nil || t.power), true, nil
	case "itemsize":
		if t.format != nil {
			return object.MakeInt(int64(t.format.Bits / 8)), true, nil
		}
		return object.MakeInt(int64(max(t.bits, 8) / 8)), true, nil
	}
	return nil, false, nil
}

var torchDTypes = func() map[string]*torchDType {
	m := map[string]*torchDType{}
	for t := range dtype.All() {
		if r := t.Row(); r.Torch != "" {
			m[r.Torch] = &torchDType{name: r.Torch, format: r.Format, bits: intBits(r),
				signed: r.Kind == dtype.Signed}
		}
	}
	m["float8_e8m0fnu"] = &torchDType{name: "float8_e8m0fnu", power: true}
	m["half"], m["float"], m["double"] = m["float16"], m["float32"], m["float64"]
	m["int"], m["long"], m["short"] = m["int32"], m["int64"], m["int16"]
	return m
}()

// intBits returns the width of an integer type, 0 for a float.
func intBits(r *dtype.Row) int {
	if r.Format != nil {
		return 0
	}
	return r.Bits
}

// registerTorch makes the parts of torch that code around kernels asks for when it is loaded. All else is
// unknown, which is an error only when a kernel depends on it.
func (w *World) registerTorch() {
	vars := map[string]object.Value{
		"finfo":  native("finfo", finfo),
		"iinfo":  native("iinfo", iinfo),
		"inf":    object.Float(math.Inf(1)),
		"nan":    object.Float(math.NaN()),
		"pi":     object.Float(math.Pi),
		"Tensor": unusable("Tensor"),

		"are_deterministic_algorithms_enabled": answer(object.Bool(false)),
		"dtype":                                unusable("dtype"),
	}
	for name, t := range torchDTypes {
		vars[name] = t
	}
	yes := answer(object.Bool(true))
	version := map[string]object.Value{"cuda": object.Str("13.0"), "hip": object.None}
	if rocm := w.target.Row().ROCm; rocm != "" {
		version["cuda"], version["hip"] = object.None, object.Str(rocm)
	}
	cuda := map[string]object.Value{
		"is_available":          yes,
		"device_count":          answer(object.MakeInt(1)),
		"current_device":        answer(object.MakeInt(0)),
		"get_device_name":       answer(object.Str(w.target.Name())),
		"get_device_capability": answer(w.capability()),
		"get_device_properties": answer(w.torchProperties()),
		"is_bf16_supported":     yes,
		"is_initialized":        yes,
	}
	hasTriton := map[string]object.Value{"has_triton": yes, "has_triton_package": yes}
	for _, m := range []*pyrun.Module{
		w.stdlibModule("torch.torch_version", "torch_version.py"),
		{Name: "torch.version", Vars: version, Lookup: w.torchVersion},
		{Name: "torch.cuda", Vars: cuda, Open: true},
		{Name: "torch.cpu", Vars: map[string]object.Value{"is_available": yes}, Open: true},
		{Name: "torch.utils", Open: true},
		{Name: "torch.utils._triton", Vars: hasTriton, Open: true},
		{Name: "torch", Vars: vars, Lookup: w.torchVersion, Open: true, Lacks: func(name string) bool {
			return otherAccelerators[name]
		}},
	} {
		w.known[m.Name] = m
	}
	w.link("torch", "version", "cuda", "cpu", "utils", "torch_version")
	w.link("torch.utils", "_triton")
}

// torchInTriton has the modules of torch that are written in Triton: kernels that Inductor generates call
// their functions. They are read where torch's source is among the folders of modules.
var torchInTriton = map[string]bool{
	"torch._inductor.runtime.triton_compat": true, "torch._inductor.runtime.triton_helpers": true,
}

// torchVersion looks up torch.__version__, which is a text and compares as a version.
func (w *World) torchVersion(in *object.Interp, name string) (object.Value, bool, error) {
	if name != "__version__" {
		return nil, false, nil
	}
	return w.known["torch.torch_version"].Get(in, name)
}

// otherAccelerators has the attributes that packages of other vendors give torch. Projects ask for them to
// find out where they run. Other attributes that they ask for are in a recent torch.
var otherAccelerators = map[string]bool{
	"npu": true, "mlu": true, "gcu": true, "__hcu_version__": true, "corex": true, "musa": true, "ptpu": true,
	"txda": true, "aipu": true,
	"hpu": true, "xla": true, "sdaa": true, "supa": true, "xmlir": true, "maca": true, "mcpu": true,
}

func answer(v object.Value) object.Value {
	return native("answer", func(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
		return v, nil
	})
}

func torchArg(args []object.Value) *torchDType {
	if len(args) == 0 {
		return torchDTypes["float32"]
	}
	t, _ := Unwrap(args[0]).(*torchDType)
	return t
}

func finfo(_ *object.Interp, args []object.Value, _ []object.Keyword) (object.Value, error) {
	t := torchArg(args)
	if t != nil && t.power {
		lo := object.Float(0x1p-127)
		return &record{"finfo",
			map[string]object.Value{"max": object.Float(0x1p127), "min": lo, "eps": object.Float(1),
				"tiny": lo, "smallest_normal": lo,
				"bits": object.MakeInt(8), "resolution": object.Float(1), "dtype": object.Str(t.name)}}, nil
	}
	if t == nil || t.format == nil {
		return nil, object.Errorf(object.TypeError, "torch.finfo() requires a floating point dtype")
	}
	f := t.format
	digits := int(float64(f.Man) * math.Log10(2)) // that survive in a decimal number
	largest := f.Decode(f.Max())
	tiny := math.Ldexp(1, 1-f.Bias)
	eps := math.Ldexp(1, -f.Man)
	return &record{"finfo", map[string]object.Value{
		"max": object.Float(largest), "min": object.Float(-largest), "eps": object.Float(eps),
		"tiny":            object.Float(tiny),
		"smallest_normal": object.Float(tiny), "bits": object.MakeInt(int64(f.Bits)),
		"resolution": object.Float(math.Pow10(-digits)), "dtype": object.Str(t.name),
	}}, nil
}

func iinfo(_ *object.Interp, args []object.Value, _ []object.Keyword) (object.Value, error) {
	t := torchArg(args)
	if t == nil || t.bits == 0 {
		return nil, object.Errorf(object.TypeError, "torch.iinfo() requires an integer dtype")
	}
	lo, hi := bigBounds(t.bits, t.signed)
	return &record{"iinfo",
		map[string]object.Value{"min": lo, "max": hi, "bits": object.MakeInt(int64(t.bits)),
			"dtype": object.Str(t.name)}}, nil
}
