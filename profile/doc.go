// Package profile reads what nereid.StartProfile and NEREID_TRACE record: a timeline of kernels, launches,
// compilations, tunings, copies and graphs. It makes a table by kernel of it, a profile for `go tool pprof`,
// and a file for Perfetto or Chrome. `nereid profile` is made of it.
//
//	trace.go  Trace: the events of a recording, read and written
//	table.go  kernels with their share of the time, their rate and its share of the device's peak
//	scopes.go what scopes inside of kernels took
//	lines.go  where the processors were, by line
//	pprof.go  the same as a profile with labels
package profile
