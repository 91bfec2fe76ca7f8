package cpu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/num"
)

var (
	printers  sync.Map // uint64 to []Print
	printerID atomic.Uint64
)

// symbols returns the functions that kernels call.
var symbols = sync.OnceValue(func() map[string]uintptr {
	return map[string]uintptr{PrintFunction: dl.NewCallback(onPrint)}
})

// addPrinter registers the prints of a kernel and returns their number, 0 if there are none.
func addPrinter(list []Print) uint64 {
	if len(list) == 0 {
		return 0
	}
	id := printerID.Add(1)
	printers.Store(id, list)
	return id
}

// onPrint takes a print of native code, which calls it.
func onPrint(id, which uintptr, data unsafe.Pointer, x, y, z uintptr) {
	v, ok := printers.Load(uint64(id))
	if !ok {
		return
	}
	list := v.([]Print)
	if int(which) >= len(list) {
		return
	}
	p := list[which]
	var b bytes.Buffer
	writePrint(&b, p, [3]int{int(x), int(y), int(z)}, unsafe.Slice((*byte)(data), printBytes(p)))
	_, _ = device.Print.Write(b.Bytes()) // lines of one call stay together
}

func printBytes(p Print) int {
	if p.Elem.Bits == 0 {
		return 0
	}
	n := max(1, p.Elem.Bits/8)
	for _, d := range p.Shape {
		n *= int(d)
	}
	return n
}

// writePrint writes a line for each element, as Triton does.
func writePrint(w io.Writer, p Print, pid [3]int, data []byte) {
	head := fmt.Sprintf("pid (%d, %d, %d)", pid[0], pid[1], pid[2])
	if p.Elem.Bits == 0 {
		fmt.Fprintf(w, "%s%s\n", head, p.Prefix)
		return
	}
	prefix := p.Prefix
	if p.Of > 1 {
		prefix += fmt.Sprintf("(operand %d) ", p.Operand)
	}
	size := max(1, p.Elem.Bits/8)
	for i := 0; i*size < len(data); i++ {
		var word [8]byte
		copy(word[:], data[i*size:(i+1)*size])
		fmt.Fprintf(w, "%s idx (%s)%s%s\n", head, printIndex(i, p.Shape), prefix,
			printElement(p, binary.LittleEndian.Uint64(word[:])))
	}
}

// printIndex returns an element's index, each number as wide as the largest of its dimension.
func printIndex(i int, shape []int64) string {
	parts := make([]string, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		n := int(shape[d])
		parts[d] = fmt.Sprintf("%*d", int(math.Ceil(math.Log10(float64(n)))), i%n)
		i /= n
	}
	return strings.Join(parts, ", ")
}

// printElement returns an element in C's notation: %f, %i, %u or hexadecimal.
func printElement(p Print, bits uint64) string {
	width := max(8, p.Elem.Bits)
	switch {
	case p.Hex:
		return fmt.Sprintf("0x%0*x", width/4, bits)
	case p.Elem.Float != nil:
		return num.FormatC(p.Elem.Float.Decode(bits))
	case p.Signed && p.Elem.Bits != 1:
		return fmt.Sprint(int64(bits) << (64 - width) >> (64 - width))
	case p.Elem.Bits == 1:
		bits &= 1
	}
	return fmt.Sprint(bits)
}
