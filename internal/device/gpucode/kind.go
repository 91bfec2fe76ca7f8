package gpucode

import "math/bits"

const (
	// MostShared is the largest number of blocks per SM that has code of its own: launches with more run the
	// code for any launch.
	MostShared = 16
	// Kinds is the number of kinds of launches: any, and those with up to 1, 2, 4, 8 and 16 programs on a
	// multiprocessor.
	Kinds = 6
)

// KindOf returns the index in the depths of code of launches with so many blocks per SM; 0 means any.
func KindOf(programs int) int { return bits.Len(uint(programs)) }
