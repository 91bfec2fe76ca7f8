// Package tune completes the arguments of a launch as the kernel's decorators say: @triton.heuristics
// computes arguments, @triton.autotune chooses a config, by measuring if it has to.
//
// Its input is the arguments that the caller gave (args.Matched) and the launch itself as Work, which can
// compile, launch and time with other arguments. Its output is the completed arguments.
//
//	kernel.go    Kernel, Options, Work: what a kernel's choices depend on, what package jit provides
//	decorate.go  the decorators, from the outside in
//	given.go     the arguments of a launch, with lookups by name
//	memo.go      what decorators added to equal arguments before
//	choose.go    the config for some arguments: chosen before, kept, or measured; pruning
//	configs.go   the configs as arguments of launches
//	all.go       the configs of a tuning, compiled beside each other and measured one after another
//	same.go      configs that give the same code, of which one is measured
//	measure.go   the times of one config
//	around.go    what the decorator wants before and after each run: hooks, tensors reset and restored
//	check.go     the results of configs compared (Options.Verify)
//	keep.go      timings saved while and after tuning; package autotune has the files
//	tell.go      what a program is told while a tuning takes long
//
// One tuning runs at a time in a process, because measurements would disturb each other.
package tune
