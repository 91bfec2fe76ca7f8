package knob

// Where things come from.
var (
	LLVM = text(Row{
		Group: "Libraries", Name: "NEREID_LLVM", Default: "searched for", Form: "a path",
		Doc: "The LLVM library to use, and no other.",
	})
	CUDA = text(Row{
		Group: "Libraries", Name: "NEREID_CUDA", Triton: "TRITON_LIBCUDA_PATH", Also: tritonCUDA,
		Default: "searched for", Form: "a path", Doc: "The CUDA driver library to use, and no other.",
	})
	HIP = text(Row{
		Group: "Libraries", Name: "NEREID_HIP", Triton: "TRITON_LIBHIP_PATH",
		Also: same("TRITON_LIBHIP_PATH"), Default: "searched for", Form: "a path",
		Doc: "AMD's runtime library (libamdhip64) to use, and no other.",
	})
	NCCL = text(Row{
		Group: "Libraries", Name: "NEREID_NCCL", Default: "searched for", Form: "a path",
		Doc: "The NCCL library (libnccl.so.2) that package `collective` uses, and no other " +
			"([DISTRIBUTED.md](DISTRIBUTED.md)).",
	})
	RCCL = text(Row{
		Group: "Libraries", Name: "NEREID_RCCL", Default: "searched for", Form: "a path",
		Doc: "AMD's RCCL library (librccl.so.1) that package `collective` uses, and no other.",
	})
	PTXAS = text(Row{
		Group: "Libraries", Name: "NEREID_PTXAS", Triton: "TRITON_PTXAS_PATH",
		Also: same("TRITON_PTXAS_PATH"), Default: "searched for", Form: "a path", Doc: "The assembler that " +
			"`nereid compile --emit cubin` uses. Launches need none, but use one that is named here.",
	})
)

// What kernels are written in.
var (
	Triton = text(Row{
		Group: "Language", Name: "NEREID_TRITON", Default: "3.6", Form: "a release",
		Doc: "The release of the Triton language that kernels are written in, `3.6` to `3.9`, or " +
			"`3.9+block_ptr`, whatever a line `# nereid: triton 3.8` at the top of a file says " +
			"([VERSIONS.md](VERSIONS.md)). `Config.Triton` and the option `Triton` of `Load` say it for a module.",
	})
)

// Where kernels run.
var (
	Device = text(Row{
		Group: "Devices", Name: "NEREID_DEVICE", Triton: "TRITON_DEFAULT_BACKEND", Also: tritonDevice,
		Default: "the best that is here", Form: "a device's name",
		Doc: "The device of launches that name none: `interp`, `cpu`, `cuda:1`.",
	})
	Interpret = flag(Row{
		Group: "Devices", Name: "NEREID_INTERPRET", Triton: "TRITON_INTERPRET",
		Also: same("TRITON_INTERPRET"), Doc: "Launches that name no device run in the interpreter, which " +
			"checks every access.",
	})
	Debug = flag(Row{
		Group: "Devices", Name: "NEREID_DEBUG", Triton: "TRITON_DEBUG", Also: same("TRITON_DEBUG"),
		Doc: "Kernels are compiled with `debug=True`: `tl.device_assert` is checked.",
	})
	Checked = flag(Row{
		Group: "Devices", Name: "NEREID_CHECK", Triton: instrumentation,
		Doc: "Every launch is checked, on every device: an access outside of the tensor that it goes " +
			"through, or an index computed in int32 that overflows, is an error that names the line and " +
			"the program ([CPU.md](CPU.md), [GPU.md](GPU.md)); `Config.Check` and `Options.Check` are the " +
			"same for a module and for a launch.",
	})
	CheckRaces = flag(Row{
		Group: "Devices", Name: "NEREID_CHECK_RACES",
		Doc: "On the device `sim`, different values that one store writes to one place are an error, too. " +
			"That other accesses of a program to global memory are in order is always checked there. On `interp`, " +
			"different values that two programs store to one place are an error, and so is a load of what another " +
			"program has stored, unless atomics order the two.",
	})
	CheckUninit = flag(Row{
		Group: "Devices", Name: "NEREID_CHECK_UNINIT",
		Doc: "On the device `interp`, a load of memory that nobody has written is an error: of tensors that it " +
			"allocated, and of words of 8 bytes in the caller's memory that are `0x9e6d57a3c1f8b42d`, by which " +
			"`pytest --nereid-device interp` marks what `torch.empty` returns.",
	})
	SimOrder = simOrder(Row{
		Group: "Devices", Name: "NEREID_SIM_ORDER",
		Doc: "On the simulators, when copies and products that run on their own do their work (`earliest`, " +
			"`latest`), and which warp runs next: `random:SEED`, or `adversarial:SEED`, with one warp far ahead " +
			"and another far behind; both let copies and products end at random. `all:STATES` visits all " +
			"orders of the synchronizing instructions ([SIMULATORS.md](SIMULATORS.md)).",
	})
	CodeSize = size(Row{
		Group: "Devices", Name: "NEREID_CODE_SIZE", Default: "256MiB",
		Doc: "How much native code of kernels the device `cpu` holds in memory. Code that was not " +
			"launched for longest goes first, and is linked again, in about a millisecond, by the next " +
			"launch of its kernel.",
	}, 256<<20)
	Pin = flag(Row{
		Group: "Devices", Name: "NEREID_PIN",
		Doc: "On Linux, each worker thread of the device `cpu` stays on a processor of its own, of " +
			"those that the process may use ([CPU.md](CPU.md)).",
	})
	Isolate = flag(Row{
		Group: "Devices", Name: "NEREID_ISOLATE",
		Doc: "Launches on the device `cpu` run in child processes: one that crashes is an error that " +
			"names the kernel, and the program lives on ([CPU.md](CPU.md)).",
	})
	Profile = flag(Row{
		Group: "Devices", Name: "NEREID_PROFILE",
		Doc: "Launches carry labels for Go's CPU profiler, `kernel` and `device`: `go tool pprof " +
			"-tagfocus kernel=NAME`. It costs a launch some 300 ns. In execution traces (`go tool trace`) " +
			"launches and compilations are regions that name their kernel in any case.",
	})
	Trace = text(Row{
		Group: "Devices", Name: "NEREID_TRACE", Default: "none", Form: "a file",
		Doc: "What the process does is recorded in this file, as a timeline for Perfetto and Chrome: kernels, " +
			"launches, compilations, tunings, copies, graphs. `nereid profile -- PROGRAM` sets it, and makes a " +
			"table of what was recorded ([PROFILING.md](PROFILING.md)). A program calls `StartProfile` instead.",
	})
	TraceScopes = flag(Row{
		Group: "Devices", Name: "NEREID_TRACE_SCOPES", Default: "off",
		Doc: "With `NEREID_TRACE`, the scopes of kernels (`pl.scope` of `triton.profiler.language`) are " +
			"recorded too: kernels that have some are compiled with them, and each of their launches is " +
			"waited for. `nereid profile --scopes` sets it ([PROFILING.md](PROFILING.md)).",
	})
	TraceLines = flag(Row{
		Group: "Devices", Name: "NEREID_TRACE_LINES", Default: "off",
		Doc: "With `NEREID_TRACE`, it is recorded in which lines of kernels the threads of the process are, on " +
			"the device `cpu` under Linux. `nereid profile --lines` sets it, and `NEREID_LINES` beside it " +
			"([PROFILING.md](PROFILING.md)).",
	})
	Lines = flag(Row{
		Group: "Devices", Name: "NEREID_LINES", Triton: "TRITON_DISABLE_LINE_INFO",
		Also: negated("TRITON_DISABLE_LINE_INFO"), Default: "on for GPUs, off for `cpu`",
		Doc: "Whether kernels carry the lines of their source, for profilers and debuggers: `gdb` and " +
			"`perf` are told of them on the device `cpu`. Without lines, a kernel that is moved in its " +
			"file, or with it, is still found in the cache.",
	})
)

// What is seen of a compilation.
var (
	Dump = flag(Row{
		Group: "Compilation", Name: "NEREID_DUMP", Triton: "TRITON_KERNEL_DUMP",
		Also: same("TRITON_KERNEL_DUMP"), Doc: "Every stage of every kernel that is compiled is written " +
			"to a file below `NEREID_DUMP_DIR`.",
	})
	DumpDir = text(Row{
		Group: "Compilation", Name: "NEREID_DUMP_DIR", Triton: "TRITON_DUMP_DIR",
		Also:    append(only("TRITON_KERNEL_DUMP", "TRITON_DUMP_DIR"), home("dump", "TRITON_KERNEL_DUMP")),
		Default: "`nereid-dump` in the current folder",
		Form:    "a folder",
		Doc:     "Where dumped stages go: one folder for each specialisation, one file for each stage.",
	})
	DumpPasses = text(Row{
		Group: "Compilation", Name: "NEREID_DUMP_PASSES", Triton: "MLIR_ENABLE_DUMP", Also: tritonPasses,
		Default: "none", Form: "names of passes, or `all`",
		Doc: "The IR after these passes of each compilation is printed to standard error. What is found " +
			"in the cache has none: `NEREID_ALWAYS_COMPILE`.",
	})
	PrintStages = text(Row{
		Group: "Compilation", Name: "NEREID_PRINT_STAGES",
		Triton: "LLVM_IR_ENABLE_DUMP, NVPTX_ENABLE_DUMP, AMDGCN_ENABLE_DUMP", Also: tritonStages(),
		Default: "none", Form: "names of stages: `ttgir,llir,ptx`",
		Doc: "The text of these stages of each compilation is printed to standard error. What is found in " +
			"the cache has none: `NEREID_ALWAYS_COMPILE`.",
	})
	Log = choice(Row{
		Group: "Compilation", Name: "NEREID_LOG",
		Doc: "What is logged to standard error: compilations and hits in the cache (`debug`), long tunings " +
			"(`info`), what failed or ran general code (`warn`). `off` leaves it to `Config.Logger` and " +
			"`slog`'s default logger.",
	}, "off", "debug", "info", "warn", "error")
	Verify = flag(Row{
		Group: "Compilation", Name: "NEREID_VERIFY",
		Doc: "The IR of each compilation is verified before the first pass and after each.",
	})
	Reproducers = text(Row{
		Group: "Compilation", Name: "NEREID_REPRODUCER_DIR", Triton: "TRITON_REPRODUCER_PATH",
		Also: tritonReproducer, Default: "none", Form: "a folder",
		Doc: "Where a pass that fails leaves what `nereid opt --run-reproducer` needs to fail again.",
	})
	OverrideDir = text(Row{
		Group: "Compilation", Name: "NEREID_OVERRIDE_DIR",
		Triton: "TRITON_KERNEL_OVERRIDE, TRITON_OVERRIDE_DIR",
		Also: append(only("TRITON_KERNEL_OVERRIDE", "TRITON_OVERRIDE_DIR"),
			home("override", "TRITON_KERNEL_OVERRIDE")),
		Default: "none", Form: "a folder",
		Doc: "A file of the form that `NEREID_DUMP` writes, found at the same place below this folder, " +
			"takes the place of that stage.",
	})
	AlwaysCompile = flag(Row{
		Group: "Compilation", Name: "NEREID_ALWAYS_COMPILE", Triton: "TRITON_ALWAYS_COMPILE",
		Also: same("TRITON_ALWAYS_COMPILE"), Doc: "Kernels are compiled even if the cache on disk has them.",
	})
	NoFPFusion = flag(Row{
		Group: "Compilation", Name: "NEREID_DISABLE_FP_FUSION",
		Triton: "TRITON_FORCE_DISABLE_FP_FUSION, TRITON_DEFAULT_FP_FUSION",
		Also:   append(whenOn("TRITON_FORCE_DISABLE_FP_FUSION"), unless("TRITON_DEFAULT_FP_FUSION")...),
		Doc: "Kernels are compiled with `enable_fp_fusion=False`: a product and the sum that it goes " +
			"into are rounded each. Triton announces it as the default of 3.10; " +
			"`TRITON_DEFAULT_FP_FUSION=0` asks for it now.",
	})
	NoWarpGroups = flag(Row{
		Group: "Compilation", Name: "NEREID_DISABLE_WGMMA", Triton: "DISABLE_MMA_V3",
		Also: same("DISABLE_MMA_V3"), Doc: "On sm_90, products of matrices use the instructions of older " +
			"GPUs (`mma.sync`) instead of those of warp groups (`wgmma`).",
	})
	CopyFences = flag(Row{
		Group: "Compilation", Name: "NEREID_COPY_FENCES",
		Doc: "On sm_90, a proxy fence lies between `cp.async` and the products of warp groups (`wgmma`) " +
			"that read what it brought, as the letter of the PTX manual wants it; the simulator then " +
			"reports where it is missing. CUTLASS and Triton have none ([GPU.md](GPU.md)).",
	})
	NoTMA = flag(Row{
		Group: "Compilation", Name: "NEREID_DISABLE_TMA",
		Doc: "On sm_90, kernels access memory through tensor descriptors by pointers instead of the " +
			"hardware that copies blocks (TMA).",
	})
	NoPingPong = flag(Row{
		Group: "Compilation", Name: "NEREID_DISABLE_PING_PONG",
		Doc: "On sm_90, the warp groups of a program run in step in all loops, no branch skips selects, " +
			"and loops and programs stay as they are written. Otherwise groups ping-pong on the tensor " +
			"cores in loops like that of attention ([GPU.md](GPU.md)).",
	})
	NoDeeper = flag(Row{
		Group: "Compilation", Name: "NEREID_DISABLE_DEEPER",
		Doc: "On sm_90, loops of products have as many stages as `num_stages` says. Otherwise a launch " +
			"with few programs runs code with more, which fill the shared memory, and its loops without " +
			"products ask for the memory of their next iteration ([GPU.md](GPU.md)).",
	})
	NoUniform = flag(Row{
		Group: "Compilation", Name: "NEREID_DISABLE_UNIFORM",
		Doc: "On NVIDIA's GPUs, programs compute all numbers themselves. Otherwise the host computes, at " +
			"the launch, what depends on the kernel's arguments alone, and programs divide by such numbers " +
			"without a division ([GPU.md](GPU.md)).",
	})
	Rules = ruleSet(Row{
		Group: "Compilation", Name: "NEREID_RULES",
		Doc: "Thresholds by which the GPU compiler chooses, such as `early-words=64,most-merged=off`; " +
			"`nereid rules` lists them ([RULES.md](RULES.md)).",
	})
	NoPersist = flag(Row{
		Group: "Compilation", Name: "NEREID_DISABLE_PERSIST",
		Doc: "On sm_90, every program of a launch starts anew. Otherwise, large products of tiles, and " +
			"launches with short loops of kernels whose warp groups take turns, have a program for each " +
			"SM, which does the work of many ([GPU.md](GPU.md)).",
	})
	Tiles = choice(Row{
		Group: "Compilation", Name: "NEREID_TILE_LOADS",
		Doc: "On sm_90, which loads by pointers the hardware that copies blocks (TMA) executes: with " +
			"`auto` those of operands in loops like that of attention, of products with large results, and " +
			"of products in a loop over tiles, where all are known to be tiles; with `all` " +
			"every load that is known to be one, for tests; with `off` none ([GPU.md](GPU.md)).",
	}, "auto", "all", "off")
	TileStores = choice(Row{
		Group: "Compilation", Name: "NEREID_TILE_STORES",
		Doc: "On sm_90, which stores by pointers the hardware that copies blocks (TMA) executes: with " +
			"`auto` those of large products whose operands it loads; with `all` every store that is known " +
			"to be a tile, for tests; with `off` none ([GPU.md](GPU.md)).",
	}, "auto", "all", "off")
	Merge = choice(Row{
		Group: "Compilation", Name: "NEREID_MERGE_PROGRAMS",
		Doc: "Whether one program of a GPU does the work of several where programs move few bytes: with " +
			"`auto` in large launches; with `all` in all launches with a multiple of as many programs, for " +
			"tests; with `2`, `4` or `8` the same for so many programs, whatever they move; with `off` " +
			"never ([GPU.md](GPU.md)).",
	}, "auto", "all", "2", "4", "8", "off")
	MaxSource = size(Row{
		Group: "Compilation", Name: "NEREID_MAX_SOURCE", Default: "4MiB",
		Doc: "The most source text that a module may have, imported files included. More is an error, as " +
			"with the other limits of a compilation.",
	}, 0)
	MaxOps = number(Row{
		Group: "Compilation", Name: "NEREID_MAX_OPS", Default: "500000",
		Doc: "The most operations that a kernel may have with all that it calls, after unrolling and " +
			"inlining. `-1` is no limit.",
	})
	MaxTime = duration(Row{
		Group: "Compilation", Name: "NEREID_MAX_COMPILE_TIME", Default: "5m",
		Doc: "The most time that a compilation may take.",
	})
	MaxMemory = size(Row{
		Group: "Compilation", Name: "NEREID_MAX_COMPILE_MEMORY", Default: "1GiB",
		Doc: "The most memory that the compile-time values of a kernel, its IR and what LLVM makes of it " +
			"may take, each for itself, as estimated.",
	}, 0)
	Timing = flag(Row{
		Group: "Compilation", Name: "NEREID_TIMING", Triton: "MLIR_ENABLE_TIMING, LLVM_ENABLE_TIMING",
		Also: same("MLIR_ENABLE_TIMING", "LLVM_ENABLE_TIMING"),
		Doc:  "The time of each stage of each compilation is printed to standard error.",
	})
)

// What is kept.
var (
	Cache = choice(Row{
		Group: "The cache", Name: "NEREID_CACHE",
		Doc: "Whether compiled kernels are kept on disk. `readonly` uses what is there and writes nothing.",
	}, "on", "off", "readonly")
	CacheDir = text(Row{
		Group: "The cache", Name: "NEREID_CACHE_DIR", Triton: "TRITON_CACHE_DIR",
		Also:    append(within("TRITON_CACHE_DIR"), home("cache/nereid", "")),
		Default: "`nereid` in the user's cache folder", Form: "a folder",
		Doc: "Where they are kept. The folder may be shared by processes and machines, moved and copied. " +
			"It must belong to the user or to root, and nobody else may write to it: `SECURITY.md`.",
	})
	CacheSize = size(Row{
		Group: "The cache", Name: "NEREID_CACHE_SIZE", Default: "4GiB",
		Doc: "How large the folder may grow; what was used longest ago goes first. `0` is no limit.",
	}, 4<<30)
	CacheRedis = text(Row{
		Group: "The cache", Name: "NEREID_CACHE_REDIS",
		Triton: "TRITON_REMOTE_CACHE_BACKEND, TRITON_REDIS_HOST, TRITON_REDIS_PORT", Also: tritonRedis,
		Default: "none", Form: "`redis://host:6379/0`",
		Doc: "A Redis server that machines share as a second level, for compiled kernels and for timings. " +
			"That it is slow or down costs compilations and tunings, nothing else. The command needs " +
			"`-tags redis` when it is built; a program of one's own imports the package `nereid/redis`.",
	})
	CacheKey = text(Row{
		Group: "The cache", Name: "NEREID_CACHE_KEY", Default: "none",
		Form: "a secret, as `openssl rand -hex 32` prints one",
		Doc: "Signs what is written to Redis and to `nereid cache export`; what comes from there without " +
			"a valid signature is refused.",
	})
)

// What is known before.
var (
	Strict = flag(Row{
		Group: "Ahead of time", Name: "NEREID_STRICT",
		Doc: "A launch that would have to compile or to tune is an error that names the variant.",
	})
	Warm = text(Row{
		Group: "Ahead of time", Name: "NEREID_WARM", Default: "none", Form: "a file",
		Doc: "A program that calls `nereid.WarmMain` compiles the variants of this manifest and ends; " +
			"`nereid warm --program` sets it.",
	})
	Record = text(Row{
		Group: "Ahead of time", Name: "NEREID_RECORD", Default: "none", Form: "a file",
		Doc: "A manifest of the variants that are launched is kept in this file, for `nereid warm`.",
	})
)

// What is measured.
var (
	TuneDir = text(Row{
		Group: "Tuning", Name: "NEREID_TUNE_DIR", Triton: "TRITON_CACHE_AUTOTUNING",
		Default: "`tune` in the cache's folder", Form: "a folder",
		Doc: "Where the timings of configs are kept, for later and for other processes.",
	})
	TuneAgain = flag(Row{
		Group: "Tuning", Name: "NEREID_TUNE_AGAIN",
		Doc: "Configs are measured even if their timings are kept.",
	})
	PrintTuning = flag(Row{
		Group: "Tuning", Name: "NEREID_PRINT_AUTOTUNING", Triton: "TRITON_PRINT_AUTOTUNING",
		Also: same("TRITON_PRINT_AUTOTUNING"),
		Doc:  "Each config's time and each choice are printed to standard error.",
	})
)
