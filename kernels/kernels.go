// Package kernels holds the kernels that examples, benchmarks and tests share. They are ordinary Triton
// files: Triton itself can import them.
package kernels

import "embed"

// Files are the kernels' sources.
//
//go:embed *.py
var Files embed.FS
