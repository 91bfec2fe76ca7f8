package lang

import "github.com/nereid-lang/nereid/internal/host"

// Projects choose kernels by the machine they find: through Triton's list of back ends, or NVIDIA's management library.

// backends is triton.backends.backends: one for each vendor, of which the target's has an active driver.
func (w *world) backends() host.Value {
	d := host.NewDict()
	for name, kind := range map[string]string{"nvidia": "cuda", "amd": "hip"} {
		driver := &record{"type", map[string]host.Value{"is_active": answer(host.Bool(w.target.Backend == kind)), "__name__": host.Str(name + "Driver")}}
		d.SetStr(name, &record{"Backend", map[string]host.Value{"driver": driver, "compiler": unusable(name + "Backend")}})
	}
	return d
}

// nvml is the module pynvml, under whatever name a project carries it: one GPU, the target.
func (w *world) nvml() *host.Module {
	vars := map[string]host.Value{
		"nvmlInit":                           native("nvmlInit", w.nvmlInit),
		"nvmlShutdown":                       native("nvmlShutdown", nothing),
		"nvmlDeviceGetCount":                 answer(host.MakeInt(1)),
		"nvmlSystemGetCudaDriverVersion":     answer(host.MakeInt(12080)),
		"nvmlDeviceGetHandleByIndex":         answer(&record{"nvmlDevice_t", nil}),
		"nvmlDeviceGetCudaComputeCapability": answer(host.NewTuple(host.MakeInt(int64(w.target.Arch/10)), host.MakeInt(int64(w.target.Arch%10)))),
		"nvmlDeviceGetName":                  answer(host.Str(w.target.Name())),
		"nvmlDeviceGetMemoryInfo":            answer(&record{"nvmlMemory_t", map[string]host.Value{"total": host.MakeInt(141 << 30), "free": host.MakeInt(140 << 30), "used": host.MakeInt(1 << 30)}}),
		"nvmlDeviceGetUUID":                  answer(host.Str("GPU-0")),
		"NVMLError":                          nvmlError,
	}
	return &host.Module{Name: "pynvml", Vars: vars, Open: true}
}

var nvmlError = host.NewExceptionClass("NVMLError", host.RuntimeError)

func (w *world) nvmlInit(*host.Interp, []host.Value, []host.Keyword) (host.Value, error) {
	if w.target.Backend != "cuda" {
		return nil, host.Errorf(nvmlError, "NVML Shared Library Not Found")
	}
	return host.None, nil
}
