package world

import (
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// Projects choose kernels by the machine they find: through Triton's list of back ends, or NVIDIA's
// management library.

// backends returns triton.backends.backends: one for each vendor, of which the target's has an active driver.
func (w *World) backends() object.Value {
	d := object.NewDict()
	for name, kind := range map[string]string{"nvidia": "cuda", "amd": "hip"} {
		driver := &record{"type",
			map[string]object.Value{"is_active": answer(object.Bool(w.target.Backend == kind)),
				"__name__": object.Str(name + "Driver")}}
		d.SetStr(name, &record{"Backend",
			map[string]object.Value{"driver": driver, "compiler": unusable(name + "Backend")}})
	}
	return d
}

// capability returns the target's compute capability as a pair, (9, 0).
func (w *World) capability() object.Value {
	return object.NewTuple(object.MakeInt(int64(w.target.Arch/10)), object.MakeInt(int64(w.target.Arch%10)))
}

// driverProperties returns the properties of a device as Triton's driver lists them.
func (w *World) driverProperties() object.Value {
	d := object.NewDict()
	for _, p := range []struct {
		name  string
		value int64
	}{
		{"max_shared_mem", int64(w.target.Row().SharedPerBlock)}, {"max_num_regs", 65536},
		{"multiprocessor_count", int64(w.target.Row().Multiprocessors)},
		{"warpSize", int64(w.target.WarpSize)}, {"sm_clock_rate", 1980000}, {"mem_clock_rate", 3201000},
		{"mem_bus_width", 6144},
	} {
		d.SetStr(p.name, object.MakeInt(p.value))
	}
	return d
}

// torchProperties returns torch.cuda.get_device_properties().
func (w *World) torchProperties() object.Value {
	attrs := map[string]object.Value{"name": object.Str(w.target.Name()),
		"gcnArchName": object.Str(w.target.Chip)}
	for name, n := range map[string]int64{
		"major": int64(w.target.Arch / 10), "minor": int64(w.target.Arch % 10),
		"multi_processor_count": int64(w.target.Row().Multiprocessors),
		"total_memory":          141 << 30, "warp_size": int64(w.target.WarpSize),
		"shared_memory_per_block":          49152,
		"shared_memory_per_block_optin":    int64(w.target.Row().SharedPerBlock),
		"shared_memory_per_multiprocessor": int64(w.target.Row().SharedPerBlock) + 1024,
		"max_threads_per_multi_processor":  2048, "max_threads_per_block": 1024,
		"regs_per_multiprocessor": 65536, "L2_cache_size": 60 << 20,
	} {
		attrs[name] = object.MakeInt(n)
	}
	return &record{"_CudaDeviceProperties", attrs}
}

// nvml returns the module pynvml, under whatever name a project carries it: it shows one GPU, the target.
func (w *World) nvml() *pyrun.Module {
	vars := map[string]object.Value{
		"nvmlInit":                           native("nvmlInit", w.nvmlInit),
		"nvmlShutdown":                       native("nvmlShutdown", nothing),
		"nvmlDeviceGetCount":                 answer(object.MakeInt(1)),
		"nvmlSystemGetCudaDriverVersion":     answer(object.MakeInt(13000)),
		"nvmlDeviceGetHandleByIndex":         answer(&record{"nvmlDevice_t", nil}),
		"nvmlDeviceGetCudaComputeCapability": answer(w.capability()),
		"nvmlDeviceGetName":                  answer(object.Str(w.target.Name())),
		"nvmlDeviceGetMemoryInfo": answer(&record{"nvmlMemory_t",
			map[string]object.Value{"total": object.MakeInt(141 << 30), "free": object.MakeInt(140 << 30),
				"used": object.MakeInt(1 << 30)}}),
		"nvmlDeviceGetUUID": answer(object.Str("GPU-0")),
		"NVMLError":         nvmlError,
	}
	return &pyrun.Module{Name: "pynvml", Vars: vars, Open: true}
}

var nvmlError = object.NewBuiltinClass("NVMLError", object.RuntimeError)

func (w *World) nvmlInit(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
	if _, ok := w.target.capability(); !ok {
		return nil, object.Errorf(nvmlError, "NVML Shared Library Not Found")
	}
	return object.None, nil
}
