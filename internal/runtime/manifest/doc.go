// Package manifest reads and writes manifests: files that list variants of kernels, so that they can be
// compiled before a program launches them.
//
//	manifest.go  the text, and reading it
//	recorder.go  Recorder: variants are added to a file while programs launch them
//
// A manifest is a JSON document with one line for each variant. Several processes may record to one file, and
// any of them may be killed at any time: a reader finds every variant that was added completely.
package manifest
