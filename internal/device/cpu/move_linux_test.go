package cpu

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
)

// TestMoveOverlapping: arguments of an isolated launch keep their distances where their memory overlaps,
// partly or as a whole, so that a store through one is seen through the other; and what is stored comes back.
func TestMoveOverlapping(t *testing.T) {
	a, err := newArena()
	if err != nil {
		t.Fatal(err)
	}
	for _, spans := range [][][2]int{ // first byte and end of each argument
		{{0, 100}, {50, 150}}, {{50, 150}, {0, 100}}, {{0, 200}, {64, 128}}, {{64, 128}, {0, 200}},
		{{0, 100}, {90, 200}, {199, 300}}, {{0, 64}, {0, 64}}, {{0, 64}, {63, 65}, {300, 400}},
		{{0, 64}, {64, 128}},
	} {
		t.Run(fmt.Sprint(spans), func(t *testing.T) {
			memory := make([]byte, 512)
			for i := range memory {
				memory[i] = byte(i)
			}
			base := uint64(uintptr(unsafe.Pointer(&memory[0])))
			var words []uint64
			var mem []device.Memory
			for i, s := range spans {
				lo, hi := base+uint64(s[0]), base+uint64(s[1])
				words = append(words, lo)
				mem = append(mem, device.Memory{Word: i, Lo: lo, Hi: hi, Base: lo, End: hi})
			}
			m, err := a.move(words, mem)
			if err != nil {
				t.Fatal(err)
			}
			want := bytes.Clone(memory)
			for i, s := range spans {
				for j, o := range spans {
					if s[0] < o[1] && o[0] < s[1] && m.words[i]-m.words[j] != words[i]-words[j] {
						t.Errorf("arguments %d and %d are %d bytes apart, not %d", i, j,
							int64(m.words[i]-m.words[j]), int64(words[i]-words[j]))
					}
				}
				to := memoryAt(m.words[i], m.words[i]+uint64(s[1]-s[0]))
				to[0], to[len(to)-1] = byte(200+i), byte(220+i)
				want[s[0]], want[s[1]-1] = byte(200+i), byte(220+i)
			}
			m.back()
			m.release()
			if !bytes.Equal(memory, want) {
				t.Errorf("memory after the launch\n% x, want\n% x", memory, want)
			}
		})
	}
}
