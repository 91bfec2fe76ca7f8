// Package middle turns Triton IR into linalg on tensors, with memref where tensors meet memory: the layer
// that back ends other than GPUs start from. It follows the design of triton-shared, whose passes have the
// same names.
//
// A kernel comes in as a tt.func (TTIR before or after its passes); a func.func goes out. Pointers are
// arguments of type memref<*xT>, and the program's place in the grid is the six trailing arguments: three
// numbers of programs, three ids.
//
//	%p = tt.splat %a : !tt.ptr<f32> -> …        %m = memref.reinterpret_cast %a to
//	%q = tt.addptr %p, %offsets            =>     offset: [%o], sizes: [64], strides: [1]
//	%x = tt.load %q                             memref.copy %m, %buffer
//	                                            %x = bufferization.to_tensor %buffer restrict writable
//
// First the input is brought into a simpler form (prepare.go): calls are inlined, blocks that branch to one
// another become branches (structure.go), inline assembly becomes operations (asm.go), block pointers and
// descriptors become pointers. Then come three analyses. They look at the input alone and change nothing:
//
//   - pointer analysis (state.go, pointer.go, split.go) describes tensors of integers and pointers as a
//     start and a step along each dimension, with wrap-around where a remainder was taken, in pieces where
//     indices were clamped or chosen by a bound, or as data where they have no such form;
//   - mask analysis (mask.go) describes masks as bounds along each dimension, and what is no bound as data;
//   - use analysis (use.go) finds the tensors that are needed as data. The rest was address arithmetic, and
//     is gone.
//
// Descriptions are made of symbolic scalars (expr.go), and flow.go carries them through loops and branches:
// the parts that change become values that the loop carries. Then the conversion (convert.go and the files
// that its tables name) writes the new function in one walk over the old one.
//
// The steps can also be taken one by one, on text that other compilers read and write. They rewrite a
// function where it stands (converter.here):
//
//   - triton-to-structured (structured.go) writes descriptions as operations of the dialect tts;
//   - triton-to-unstructured (unstructured.go) writes other pointers as a base and offsets;
//   - triton-arith-to-linalg (arith.go) converts operations on tensors, one by one;
//   - structured-to-memref (memref.go) converts what is left, tts included, as the conversion as a whole
//     does.
//
// What always holds of the conversion: no tt operation is left; every load copies its block, so a later store
// cannot change what was loaded; an access touches no address that its mask excludes. Address arithmetic is
// done in 64 bits, on the assumption, which Triton shares, that the offsets of one access do not overflow
// their own type; all other arithmetic keeps its type, so it wraps as in Triton.
//
// The files:
//
//	middle.go        the passes; a func.func in the place of each tt.func
//	blockarg.go      arguments that are tensors of pointers, as blocks of memory
//	prepare.go       the input in a simpler form; tidying the output
//	structure.go     branches between blocks as structured control flow
//	asm.go           inline assembly: asm_ops.go instructions, asm_packed.go pairs, asm_memory.go memory
//	expr.go          symbolic scalars of type index
//	state.go         descriptions of integers and pointers; split.go those that change at a bound
//	pointer.go       pointer analysis
//	mask.go          mask analysis
//	use.go           use analysis
//	flow.go          descriptions through loops and branches
//	convert.go       the walk that writes the new function, and the table of conversions
//	build.go         building blocks of the output
//	emit.go          symbolic scalars as operations
//	access.go        an access of a block: its pieces and its bounds
//	source.go        the buffers that pointers point into
//	memory.go        loads and stores
//	atomic.go        atomics
//	control.go       loops, branches, returns
//	elementwise.go   operations on elements; scalar.go Triton's own, extern.go device libraries
//	shape.go         operations that make or reshape tensors
//	reduce.go        reductions and scans
//	pick.go          gather and histogram
//	dot.go           matrix products; scaled.go dot_scaled
//	program.go       the program's position in the grid, assertions
//	structured.go    triton-to-structured; structured_flow.go what its loops and branches carry
//	unstructured.go  triton-to-unstructured
//	arith.go         triton-arith-to-linalg
//	described.go     accesses of the dialect tts
//	memref.go        structured-to-memref
//	print.go         device_print
package middle
