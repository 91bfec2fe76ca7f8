package sem

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/triton"
)

// Options has the facts about target and launch that change the meaning of an operation.
type Options struct {
	Triton  triton.Version // the language's release
	Backend string         // "cuda", "hip", or another
	Arch    string         // "90" for cuda, "gfx942" for hip

	NumWarps, NumCTAs, NumStages int

	Debug bool // device_assert has an effect
	// integer + - * compute whether they overflowed; in debug mode it is asserted that they did not
	SanitizeOverflow bool
	Scopes           bool // scopes of triton.profiler.language are recorded
	EnableFPFusion   bool

	AllowFP8      []string // fp8 types the target converts
	DeprecatedFP8 []string // fp8 types whose use in dot is warned about

	DefaultDotPrecision  string
	AllowedDotPrecisions []string
	MaxNumImpreciseAcc   int // default of dot for fp8 operands

	MinDotK func(bits int) int64 // least K of a dot by operand width

	Warn func(msg string) // may be nil
}

// DefaultOptions returns the options of Triton's back end for a target: ("cuda", "90"), ("hip", "gfx942"). On
// other targets, operations mean what they mean on cuda:90.
func DefaultOptions(backend, arch string) Options {
	o := Options{Backend: backend, Arch: arch, NumWarps: 4, NumCTAs: 1, SanitizeOverflow: true,
		EnableFPFusion: true}
	c := o.Chip()
	o.NumStages = c.Stages
	o.AllowFP8, o.DeprecatedFP8 = c.FP8, c.SlowFP8
	if c.ImpreciseAccumulators {
		o.MaxNumImpreciseAcc = 1 << 30
	}
	o.DefaultDotPrecision, o.AllowedDotPrecisions = c.DotPrecisions[0], c.DotPrecisions
	o.MinDotK = func(bits int) int64 {
		if bits == 8 {
			return int64(c.LeastK8)
		}
		return int64(c.LeastK)
	}
	return o
}

// Chip returns the target's chip, or the one whose rules a target follows.
func (o *Options) Chip() chip.Chip { return chip.Of(o.Backend, o.Arch) }

func (o *Options) allowsTF32() bool { return slices.Contains(o.AllowedDotPrecisions, "tf32") }

// has reports whether the language has a feature.
func (b *Builder) has(f triton.Feature) bool { return b.Opts.Triton.Has(f) }

func (o *Options) warn(msg string) {
	if o.Warn != nil {
		o.Warn(msg)
	}
}
