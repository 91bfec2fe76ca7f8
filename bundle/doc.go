// Package bundle runs kernels that were compiled ahead of time. A bundle is one file with many variants of
// kernels, each for several targets; nereid aot makes it. A program that runs one needs no LLVM, no Python
// and no compiler:
//
//	//go:embed softmax.nrb
//	var data []byte
//
//	b, err := bundle.OpenBytes(data)
//	dev, err := run.OpenDevice("")
//	stream, err := dev.NewStream(ctx)
//	v, err := b.Lookup("softmax_fp32_1024")
//	err = v.Launch(stream, run.Grid{rows}, out, x, rowStride, rowStride, cols)
//
// Opening reads the index alone. The code of a variant is read, checked and loaded when it is first asked for
// on a device, once however many goroutines ask, and launched through the same core as kernels that were
// compiled just now.
//
// A bundle is native code: open only what you trust. Checksums find damage, not forgery.
package bundle
