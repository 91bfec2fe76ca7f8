// Package pool runs the programs of a launch over all cores. Native code is called for many programs at a
// time: workers take chunks of them from a counter, the caller is one of the workers, and a launch too small
// to be worth waking workers runs on the caller alone.
//
// Its input is the address of a native function, its arguments, and a number of programs. Its output is nil
// or what stopped it: the context, a code that the native function returned, or a panic of a Go function that
// native code called.
//
// A launch allocates nothing. Launches from several goroutines share the workers.
//
//	pool.go           Pool: workers, chunks of programs
//	scratch.go        memory of a thread; pages_*.go: in large pages
//	watch.go          runs that end with their contexts
//	place.go          threads that begin on different processors; place_*.go, getcpu_*.go: on a system
//	pin_*.go          threads that stay on their processors (NEREID_PIN)
package pool
