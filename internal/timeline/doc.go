// Package timeline records what a process does with kernels, as a timeline in Chrome's trace format, which
// Perfetto reads too: launches, the time of kernels on their devices, compilations, tunings, copies, graphs.
// Nothing is recorded unless a program calls Start or NEREID_TRACE names a file. The public package profile
// reads what is recorded.
//
//	log.go    Log: the file, its tracks and events
//	queue.go  work that a GPU runs later, and its times
//	lines.go  where the process is, by line of kernels on the CPU
//	scopes.go what scopes inside of kernels took
//	event.go  an event as JSON
package timeline
