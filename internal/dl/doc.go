// Package dl opens C libraries at run time, without cgo, and fills Go function variables from their symbols.
//
// It is the lowest of the three layers of every native library: a package says where its library may lie
// (candidates, in order) and which symbols it wants (a table of rows), and gets either all of them or one
// error that lists what was tried or what is missing. A library stays open for the life of the process.
//
//	dl.go             Open, Library, symbols; dl_unix.go, dl_windows.go: the system's loader
//	static.go         programs that open no library; native.go: all others
//	call.go           strings and bytes of C
//	frame.go          calls with arguments in memory that is used again; frame_*.go: on a system
//	launch.go         calls of functions like cuLaunchKernel; launch_*.go: on a system
package dl
