// Package all declares every dialect of the compiler: whoever reads text imports it for its effect.
package all

import (
	_ "github.com/nereid-lang/nereid/internal/dialect/affine"
	_ "github.com/nereid-lang/nereid/internal/dialect/amdg"
	_ "github.com/nereid-lang/nereid/internal/dialect/arith"
	_ "github.com/nereid-lang/nereid/internal/dialect/bufferization"
	_ "github.com/nereid-lang/nereid/internal/dialect/cf"
	_ "github.com/nereid-lang/nereid/internal/dialect/funcd"
	_ "github.com/nereid-lang/nereid/internal/dialect/gpud"
	_ "github.com/nereid-lang/nereid/internal/dialect/linalg"
	_ "github.com/nereid-lang/nereid/internal/dialect/llvmd"
	_ "github.com/nereid-lang/nereid/internal/dialect/math"
	_ "github.com/nereid-lang/nereid/internal/dialect/memref"
	_ "github.com/nereid-lang/nereid/internal/dialect/proton"
	_ "github.com/nereid-lang/nereid/internal/dialect/scf"
	_ "github.com/nereid-lang/nereid/internal/dialect/tensor"
	_ "github.com/nereid-lang/nereid/internal/dialect/tt"
	_ "github.com/nereid-lang/nereid/internal/dialect/ttg"
	_ "github.com/nereid-lang/nereid/internal/dialect/ttng"
	_ "github.com/nereid-lang/nereid/internal/dialect/tts"
	_ "github.com/nereid-lang/nereid/internal/dialect/ub"
)
