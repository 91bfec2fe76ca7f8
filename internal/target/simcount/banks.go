package simcount

import "slices"

// Shared memory has 32 banks, and word i of 4 bytes is in bank i%32. In one wavefront each bank delivers one
// word, to all lanes that ask for it. Lanes that access memory at once take as many wavefronts as they want
// words of the bank that they want most words of.
const (
	NumBanks  = 32
	WordBytes = 4
)

// Banks counts the wavefronts of lanes that access shared memory at once.
type Banks struct{ words []uint64 }

// Add adds the words of n bytes at an address to those of the lanes.
func (b *Banks) Add(addr uint64, n int) {
	for w := addr / WordBytes; w*WordBytes < addr+uint64(n); w++ {
		b.words = append(b.words, w)
	}
}

// Wave returns the wavefronts of the words that were added, and those without conflicts, and forgets them.
func (b *Banks) Wave() (wavefronts, ideal int64) {
	var banks [NumBanks][]uint64
	most, all := 0, 0
	for _, w := range b.words {
		bank := &banks[w%NumBanks]
		if !slices.Contains(*bank, w) {
			*bank = append(*bank, w)
			most, all = max(most, len(*bank)), all+1
		}
	}
	b.words = b.words[:0]
	return int64(most), int64((all + NumBanks - 1) / NumBanks)
}
