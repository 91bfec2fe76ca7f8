package nvidia

import (
	"fmt"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
)

// A launch passes a descriptor as the words of device.Descriptor.Words whether or not code takes it as a
// tensor map, so that everything before the launch is the same. Here the words become a map, once: a table
// of the device keeps it.

// mapWords returns the number of words of a descriptor of that rank: address, sizes, strides, padding.
func mapWords(rank int) int { return 2*rank + 2 }

// Words returns the number of words of a launch's arguments.
func (k *Code) Words() int {
	n := len(k.Params)
	for i := range k.Maps {
		n--
		if k.Maps[i].Tile == nil {
			n += mapWords(len(k.Maps[i].Box))
		}
	}
	return n
}

// Args calls word for each parameter that is a word of a launch, and desc for each that is a tensor map.
func (k *Code) Args(grid [3]int, words []uint64, word func(param int, w uint64),
	desc func(param int, m *gpucode.TensorMap, words []uint64) error) error {
	if len(words) != k.Words() {
		return fmt.Errorf("%s takes %d words of arguments, not %d", k.Name, k.Words(), len(words))
	}
	maps, all := k.Maps, words
	for i := range k.Params {
		if len(maps) == 0 || maps[0].Param != i {
			word(i, words[0])
			words = words[1:]
			continue
		}
		if maps[0].Tile != nil {
			var made tileWords
			of, err := k.tile(&maps[0], grid, all, &made)
			if err == nil {
				err = desc(i, &maps[0], of)
			}
			if err != nil {
				return err
			}
			maps = maps[1:]
			continue
		}
		n := mapWords(len(maps[0].Box))
		if err := desc(i, &maps[0], words[:n]); err != nil {
			return fmt.Errorf("%s: %w", k.Name, err)
		}
		words, maps = words[n:], maps[1:]
	}
	return nil
}

// checkMaps returns an error if code from a cache does not describe its maps well.
func (k *Code) checkMaps() error {
	last := -1
	for _, m := range k.Maps {
		bad := m.Param <= last || m.Param >= len(k.Params) || len(m.Box) < 1 || len(m.Box) > driver.MaxRank
		if bad || m.ElemBytes < 1 || m.Tile != nil && !k.tileIsRight(&m) {
			return fmt.Errorf("the kernel's description of a tensor map is not right: %+v", m)
		}
		last = m.Param
	}
	return nil
}

// minMapStride is the smallest stride of a tensor map, in bytes.
const minMapStride = 16

// Tiled returns what the driver encodes for a descriptor that a launch passes as words.
func Tiled(m *gpucode.TensorMap, words []uint64) driver.Tiled {
	n := len(m.Box)
	t := driver.Tiled{Type: int(m.Type), Elem: m.ElemBytes, Rank: n, Address: words[0], Swizzle: m.Swizzle,
		NaN: words[2*n+1] != 0 && m.Type >= gpucode.ElemF16}
	for i := range n {
		from := n - 1 - i // the driver's order is the other way round
		t.Dims[i], t.Box[i] = words[1+from], uint32(m.Box[from])
		if i == 0 {
			continue
		}
		t.Strides[i-1] = words[1+n+from] * uint64(m.ElemBytes)
		// A view adds a dimension of one element with stride 0: nothing moves along it, so any stride that
		// the driver takes will do.
		if t.Dims[i] == 1 && t.Strides[i-1] == 0 {
			t.Strides[i-1] = minMapStride
		}
	}
	if m.FP4Padded {
		t.Dims[0] *= 2 // two numbers in a byte
	}
	return t
}

// mapTable keeps the tensor maps of a device. It is read and written without a lock; a new map takes the
// place of an old one.
type mapTable struct {
	slots [mapSlots]atomic.Pointer[keptMap]
	next  atomic.Uint32
}

const (
	mapSlots = 1024
	mapWays  = 4 // places of a key
)

// keptMap is a map and what it was made of. It never changes.
type keptMap struct {
	meta  *gpucode.TensorMap
	words [2*driver.MaxRank + 2]uint64
	made  *driver.TensorMap
}

// get returns the map of a descriptor, and makes it if there is none.
func (t *mapTable) get(c *driver.Context, m *gpucode.TensorMap, words []uint64) (*driver.TensorMap, error) {
	h := uint64(len(words))
	for _, w := range words {
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	set := t.slots[h%(mapSlots/mapWays)*mapWays:][:mapWays]
	for i := range set {
		if x := set[i].Load(); x != nil && x.meta == m && x.is(words) {
			return x.made, nil
		}
	}
	tiled := Tiled(m, words)
	made, err := c.Encode(&tiled)
	if err != nil {
		return nil, err
	}
	made.Describe(words)
	x := &keptMap{meta: m, made: made}
	copy(x.words[:], words)
	set[t.next.Add(1)%mapWays].Store(x)
	return made, nil
}

func (x *keptMap) is(words []uint64) bool {
	var differ uint64
	for i, w := range words {
		differ |= w ^ x.words[i]
	}
	return differ == 0
}
