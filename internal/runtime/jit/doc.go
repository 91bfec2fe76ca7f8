// Package jit holds modules and kernels: files that are loaded, kernels that are compiled when they are
// launched. The root package shows its exported names to users (internal/arch: TestDoors), but for those of
// door.go, which packages of this module use.
//
//	module.go      Module, Kernel; parseir.go: modules of IR
//	config.go      Config; hooks.go: functions called around compilations and launches, print.go: the output
//	               of tl.static_print
//	targets.go     the devices and compilers of this machine; elsewhere.go: of others, interp.go:
//	               interpreters
//	launch.go      Kernel.Launch; overlap.go: arguments that share memory, general.go: code of more general
//	               specializations
//	bound.go       Kernel.Bind; freeze.go: launches of C
//	tune.go        launches that decorators complete
//	special.go     parameters for devices with rules of their own
//	stage.go       compilations that start from a stage
//	variant.go     Variant, Module.Warmup; enumerate.go: the specializations of a variant, recorder.go:
//	               manifests, warmmain.go: programs that warm up
//	cache.go       Cache
//	errors.go      errors; usable.go: of values that are nil, zero or closed
//	door.go        what packages of this module ask, and users do not see
package jit
