package sem

import (
	"encoding/binary"

	"github.com/nereid-lang/nereid/internal/intern"
)

type ptrKey struct {
	elem  uintptr
	space int
	konst bool
}

type blockKey struct {
	elem  uintptr
	shape string
}

var (
	ptrTypes   intern.Table[ptrKey, PtrType]
	blockTypes intern.Table[blockKey, BlockType]
	descTypes  intern.Table[uintptr, DescType]
)

func shapeKey(shape []int64) string {
	b := make([]byte, 0, 8*len(shape))
	for _, d := range shape {
		b = binary.LittleEndian.AppendUint64(b, uint64(d))
	}
	return string(b)
}
