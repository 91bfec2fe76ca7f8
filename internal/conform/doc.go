// Package conform holds the tests that kernels mean what Triton says they mean.
//
// The cases are generated: for every builtin of the language, every operator and every pair of types there
// is a kernel, its arguments, and what it must leave in memory. What it must leave is computed here, on
// bits and in float64, by code that shares nothing with the compiler or with any device; see ref_test.go.
// Each case is checked three times:
//
//   - TestConform runs it on a device and compares memory. The device is the interpreter unless -device or
//     NEREID_TEST_DEVICE says otherwise. The test binary (go test -c) needs nothing but itself.
//   - TestLikeTriton compares the IR that the front end makes, before any pass, with what Triton's front
//     end makes of the same text: testdata/answers.txt.gz holds Triton's IR for each case, so this needs no
//     Python. Kernels that call the library are compared after the TTIR passes.
//   - TestAskTriton asks Triton again, where it is installed (peer/conform.py), and has it read our IR
//     before and after the passes.
//
// A case that Triton refuses must be refused by us, with an error and not a crash.
package conform
