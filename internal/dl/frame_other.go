//go:build !(linux && amd64)

package dl

// Call calls the function.
func (f *Frame) Call() uintptr {
	f.result = Call(f.Fn, f.Args[:]...)
	return f.result
}
