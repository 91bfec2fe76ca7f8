package sem

import (
	"encoding/binary"
	"sync"
)

// types holds the one type for each key. A key names its parts, which are interned themselves.
var types sync.Map

type ptrKey struct {
	elem  Type
	space int
	konst bool
}

type blockKey struct {
	elem  Type
	shape string
}

type descKey struct{ block *BlockType }

// interned is the one type for a key.
func interned[T any](key any, fresh func() T) T {
	if v, ok := types.Load(key); ok {
		return v.(T)
	}
	v, _ := types.LoadOrStore(key, fresh())
	return v.(T)
}

func shapeKey(shape []int64) string {
	b := make([]byte, 0, 8*len(shape))
	for _, d := range shape {
		b = binary.LittleEndian.AppendUint64(b, uint64(d))
	}
	return string(b)
}
