package gpu

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/amd"
	"github.com/nereid-lang/nereid/internal/gpu/layouts"
	"github.com/nereid-lang/nereid/internal/gpu/motion"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/programs"
	"github.com/nereid-lang/nereid/internal/gpu/tma"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// This file is the door for targets: the types of Options, the single passes that they run by themselves, and
// what they ask of a module before the pipeline and behind it.

// Machine describes the hardware that a kernel is compiled for.
type Machine = ttgir.Machine

// Occupancy is the number of blocks per SM and the shared memory that their pipelines may fill.
type Occupancy = pipeline.Occupancy

// TileMode says which accesses by pointers the copy engine executes.
type TileMode = tma.TileMode

// Values of TileMode.
const (
	NoTiles     = tma.NoTiles
	PayingTiles = tma.PayingTiles
	AllTiles    = tma.AllTiles
)

// AMDMatmulOptions chooses among AMD's matrix instructions.
type AMDMatmulOptions = amd.AMDMatmulOptions

// Passes that targets and tests run by themselves.
var (
	Canonicalize            = layouts.Canonicalize
	RemoveLayoutConversions = layouts.RemoveLayoutConversions
	OptimizeThreadLocality  = layouts.OptimizeThreadLocality
	LowerAMD                = amd.LowerAMD
)

// ConvertTriton returns the pass that gives every tensor a layout.
func ConvertTriton(m Machine) pass.Pass { return layouts.ConvertTriton(m) }

// LegalizeDescriptors returns the pass that makes pointers of descriptors which the copy engine cannot serve.
func LegalizeDescriptors(m Machine) pass.Pass { return tma.LegalizeDescriptors(m) }

// Handles reports whether the passes know an op.
func Handles(d *ir.OpDef) bool { return layouts.Handles(d) }

// RulesOf returns the values of a module's rules (internal/rules).
func RulesOf(m *ir.Module) *rules.Set { return ttgir.RulesOf(m) }

// TakeDepths takes the depths of the pipelines, by the number of programs on an SM, off a module.
func TakeDepths(m *ir.Module) []int { return pipeline.TakeDepths(m) }

// HasSteps reports whether a module has products whose steps are apart.
func HasSteps(m *ir.Module) bool { return pipeline.HasSteps(m) }

// JoinSteps makes products whose steps are apart whole ones, complete before the next iteration.
func JoinSteps(m *ir.Module) { pipeline.JoinSteps(m) }

// HoldsOperands reports whether products of a module have their left operands in registers during a loop.
func HoldsOperands(m *ir.Module) bool { return motion.HoldsOperands(m) }

// ReleaseOperands makes these products read their left operands from shared memory.
func ReleaseOperands(m *ir.Module) { motion.ReleaseOperands(m) }

// SpecializedWarps returns the number of warps of a program with tl.range(warp_specialize=True).
func SpecializedWarps(m *ir.Module, warps int) int { return pipeline.SpecializedWarps(m, warps) }

// Persistent reports whether a module's programs are persistent.
func Persistent(m *ir.Module) bool { return ttgir.Persistent(m) }

// ShortLoop returns the condition under which a module's loops are short, nil if it has none.
func ShortLoop(m *ir.Module) tt.TileGuard { return programs.ShortLoop(m) }

// SetShortLoop sets that condition.
func SetShortLoop(m *ir.Module, guard tt.TileGuard) { programs.SetShortLoop(m, guard) }

// Mergeable returns how many programs large launches should have as one.
func Mergeable(m *ir.Module, mach Machine) int { return programs.Mergeable(m, mach) }

// MayMerge reports whether programs can be merged.
func MayMerge(m *ir.Module, mach Machine) bool { return programs.MayMerge(m, mach) }

// MergedWarps returns the number of warps of merged programs.
func MergedWarps(m *ir.Module, warps int) int { return programs.MergedWarps(m, warps) }

// Strides returns the arguments that are strides.
func Strides(m *ir.Module) []int { return programs.Strides(m) }
