// Package stdlib holds the part of triton.language that is written in the language itself.
package stdlib

import "embed"

// Files are the modules: standard.py and random.py.
//
//go:embed *.py
var Files embed.FS
