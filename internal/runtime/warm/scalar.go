package warm

import "github.com/nereid-lang/nereid/internal/runtime/args"

// scalar is what a short cut demands of a number and where its word goes, packed into 32 bits: the class in the lowest 16, then
// the number's args.IntRule in two bits, whether the class matters (it does for integers), and the place of the word in the
// highest 8.
type scalar uint32

const (
	scalarOne     = 1 << 16 // 1 is compiled in
	scalarAlign   = 1 << 17 // divisibility by 16 matters
	scalarMatters = 1 << 18
	scalarAt      = 24
)

// anyScalar is for numbers and bools whose value has no say in the specialization.
func anyScalar(at uint8) scalar { return scalar(at) << scalarAt }

// intScalar is for integers of a class.
func intScalar(r args.IntRule, c args.Class, at uint8) scalar {
	s := scalar(c&0xffff) | scalarMatters | scalar(at)<<scalarAt
	if r.One == args.ClassOne {
		s |= scalarOne
	}
	if r.Align != 0 {
		s |= scalarAlign
	}
	return s
}

// differs returns the bits in which the class of v is not the one demanded. It has no branches.
func (s scalar) differs(v int64) uint32 {
	rule := args.IntRule{One: args.ClassInt32, Align: args.Class(s/scalarAlign&1) * args.ClassDiv16}
	if s&scalarOne != 0 {
		rule.One = args.ClassOne
	}
	matters := -uint32(s / scalarMatters & 1) // all bits or none
	return (uint32(rule.Class(v)) ^ uint32(s)) & matters & 0xffff
}

// at returns the place of the word.
func (s scalar) at() uint8 { return uint8(s >> scalarAt) }
