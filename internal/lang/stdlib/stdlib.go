// Package stdlib holds the part of triton.language, and of triton.tools, that is written in the language
// itself.
package stdlib

import "embed"

// Files are the modules: standard.py, random.py, ragged_tma.py; torch_version.py is of torch. What a release
// after 3.6 defines anew is in since_RELEASE, under the same name.
//
//go:embed *.py since_*/*.py
var Files embed.FS
