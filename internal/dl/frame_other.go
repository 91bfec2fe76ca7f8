//go:build !(linux && amd64) || nereid_static

package dl

// Call calls the function.
func (f *Frame) Call() uintptr {
	f.result = Call(f.Fn, f.Args[:]...)
	return f.result
}
