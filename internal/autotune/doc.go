// Package autotune keeps the timings that tunings have measured, and chooses by them.
//
// A record holds the timings of one kernel, or of one op of package tunable, for one key on one kind of
// device: the time of every config or candidate that was ever measured. Editing the list of configs measures
// only new ones. Records are checked before use: a record for another device, another build of the compiler
// or another source of the kernel counts as absent.
//
//	record.go   Record, Timing, the choice among timings, the JSON form
//	store.go    Store: what keeps records; Memory, and Layers of several stores
//	folder.go   Folder: a store with a file for each record, beside the cache of compiled kernels
//	file.go     File: a store in one JSON file
//	shared.go   Shared: a store behind a level that machines share
//	compare.go  Compare: the results of two configs
//	measure.go  Meter: how the time of one config is measured, and when it is given up
//	turn.go     Begin: one measurement at a time in a process
package autotune
