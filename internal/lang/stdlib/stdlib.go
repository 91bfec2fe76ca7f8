// Package stdlib holds the part of triton.language, and of triton.tools, that is written in the language
// itself.
package stdlib

import "embed"

// Files are the modules: standard.py, random.py, ragged_tma.py; torch_version.py is of torch.
//
//go:embed *.py
var Files embed.FS
