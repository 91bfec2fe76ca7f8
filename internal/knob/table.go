package knob

// Where things come from.
var (
	LLVM = text(Row{
		Group: "Libraries", Name: "NEREID_LLVM", Default: "searched for", Form: "a path",
		Doc: "The LLVM library to use, and no other.",
	})
	CUDA = text(Row{
		Group: "Libraries", Name: "NEREID_CUDA", Triton: "TRITON_LIBCUDA_PATH", Default: "searched for", Form: "a path",
		Doc: "The CUDA driver library to use, and no other.",
	})
)

// Where kernels run.
var (
	Device = text(Row{
		Group: "Devices", Name: "NEREID_DEVICE", Triton: "TRITON_DEFAULT_BACKEND", Default: "the best that is here", Form: "a device's name",
		Doc: "The device of launches that name none: `interp`, `cpu`, `cuda:1`.",
	})
	Interpret = flag(Row{
		Group: "Devices", Name: "NEREID_INTERPRET", Triton: "TRITON_INTERPRET",
		Doc: "Launches that name no device run in the interpreter, which checks every access.",
	})
	Debug = flag(Row{
		Group: "Devices", Name: "NEREID_DEBUG", Triton: "TRITON_DEBUG",
		Doc: "Kernels are compiled with `debug=True`: `tl.device_assert` is checked.",
	})
)

// What is seen of a compilation.
var (
	Dump = flag(Row{
		Group: "Compilation", Name: "NEREID_DUMP", Triton: "TRITON_KERNEL_DUMP",
		Doc: "Every stage of every kernel that is compiled is written to a file below `NEREID_DUMP_DIR`.",
	})
	DumpDir = text(Row{
		Group: "Compilation", Name: "NEREID_DUMP_DIR", Triton: "TRITON_DUMP_DIR", Default: "`nereid-dump` in the current folder", Form: "a folder",
		Doc: "Where dumped stages go: one folder for each specialisation, one file for each stage.",
	})
	OverrideDir = text(Row{
		Group: "Compilation", Name: "NEREID_OVERRIDE_DIR", Triton: "TRITON_KERNEL_OVERRIDE, TRITON_OVERRIDE_DIR", Default: "none", Form: "a folder",
		Doc: "A file of the form that `NEREID_DUMP` writes, found at the same place below this folder, takes the place of that stage.",
	})
	AlwaysCompile = flag(Row{
		Group: "Compilation", Name: "NEREID_ALWAYS_COMPILE", Triton: "TRITON_ALWAYS_COMPILE",
		Doc: "Kernels are compiled even if the cache on disk has them.",
	})
	Timing = flag(Row{
		Group: "Compilation", Name: "NEREID_TIMING", Triton: "MLIR_ENABLE_TIMING, LLVM_ENABLE_TIMING",
		Doc: "The time of each stage of each compilation is printed to standard error.",
	})
)
