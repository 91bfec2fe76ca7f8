// Package run runs compiled kernels without a compiler: devices, streams, tensors and graphs, and the kernels
// that Compiled.Save wrote or that package bundle holds. A program that imports run and bundle alone links
// neither the front end nor LLVM's side of Nereid, and is some megabytes small.
//
//	dev, err := run.OpenDevice("")
//	s, err := dev.NewStream(ctx)
//	k, err := run.LoadCompiled(dev, file)
//	err = k.Launch(s, run.Grid{n}, x, y, n)
//
// Everything here is also in the root package under the same name, and is the same there: a program with the
// compiler passes its devices, streams and tensors to bundles. OpenDevice alone differs: here the CPU needs
// no LLVM.
package run
