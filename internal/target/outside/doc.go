// Package outside compiles kernels by back ends from outside (package backend): it takes them to the stage
// that a back end wants and passes them on as text. What runs the code is in package backend.
//
//	outside.go   Compiler: from the front end's module to the back end's code
//	device.go    Device: a compiler with a device
package outside
