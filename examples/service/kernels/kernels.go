// Package kernels holds the service's kernels as typed Go functions.
package kernels

// go install github.com/nereid-lang/nereid/cmd/nereid@latest installs the generator.

//go:generate nereid gen score.py -o score_gen.go
