package warm

import "github.com/nereid-lang/nereid/internal/runtime/args"

// scalar packs the class that a short cut demands of a number and the position of its word into 32 bits: the
// class in bits 0 to 15; the class of 1 in bits 16 to 19; bit 20 if divisibility by 16 matters; bit 21 if the
// class matters, as it does for integers; the position in bits 24 to 31.
type scalar uint32

const (
	scalarOne     = 16
	scalarAlign   = 20
	scalarMatters = 21
	scalarAt      = 24
)

// anyScalar returns the scalar for numbers and bools whose value does not affect the specialization.
func anyScalar(at uint8) scalar { return scalar(at) << scalarAt }

// intScalar returns the scalar for integers of class c.
func intScalar(r args.IntRule, c args.Class, at uint8) scalar {
	s := scalar(c&0xffff) | scalar(r.One)<<scalarOne | 1<<scalarMatters | scalar(at)<<scalarAt
	if r.Align != 0 {
		s |= 1 << scalarAlign
	}
	return s
}

// differs returns the bits in which v's class differs from the plan's. It has no branches.
func (s scalar) differs(v int64) uint32 {
	rule := args.IntRule{One: args.Class(s >> scalarOne & 15), Align: args.Class(s>>scalarAlign&1) * args.ClassDiv16}
	matters := -uint32(s >> scalarMatters & 1) // all bits or none
	return (uint32(rule.Class(v)) ^ uint32(s)) & matters & 0xffff
}

// at returns the position of the word.
func (s scalar) at() uint8 { return uint8(s >> scalarAt) }
