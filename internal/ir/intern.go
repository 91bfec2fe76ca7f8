package ir

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/nereid-lang/nereid/internal/intern"
)

// key names a type, attribute or location in its table: up to three interned parts, by their addresses, and
// the rest as text.
type key struct {
	a, b, c uintptr
	text    string
}

// scalarKey names a number of an interned type.
type scalarKey struct {
	bits uint64
	of   uintptr
}

// address returns the name of an interned part in a key.
func address(v any) uintptr { return intern.Address(v) }

func appendAddress(b []byte, v any) []byte {
	return binary.LittleEndian.AppendUint64(append(b, '|'), uint64(address(v)))
}

// listKey names a list of interned parts.
func listKey[T any](parts []T) string {
	b := make([]byte, 0, 9*len(parts)+4)
	b = strconv.AppendInt(b, int64(len(parts)), 10)
	for _, p := range parts {
		b = appendAddress(b, p)
	}
	return string(b)
}

func shapeKey(shape []int64) string {
	return string(appendShape(make([]byte, 0, 8*len(shape)+1), shape))
}

func appendShape(b []byte, shape []int64) []byte {
	b = binary.AppendUvarint(b, uint64(len(shape)))
	for _, n := range shape {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// paramsKey names the parameters of a dialect's type or attribute.
func paramsKey(params []any) string {
	var b []byte
	for _, p := range params {
		b = appendParam(b, p)
	}
	return string(b)
}

func appendParam(b []byte, p any) []byte {
	switch p := p.(type) {
	case nil:
		return append(b, 'n')
	case Type, Attr:
		return appendAddress(append(b, 'a'), p)
	case string:
		return strconv.AppendQuote(append(b, 's'), p)
	case int64:
		return append(strconv.AppendInt(append(b, 'i'), p, 10), ';')
	case int:
		panic("ir: parameters are int64, not int")
	case bool:
		return strconv.AppendBool(append(b, 'b'), p)
	case []int64:
		return appendShape(append(b, 'v'), p)
	case [][]int64:
		b = append(strconv.AppendInt(append(b, 'w'), int64(len(p)), 10), ';')
		for _, v := range p {
			b = appendShape(b, v)
		}
		return b
	case float64:
		return append(strconv.AppendUint(append(b, 'f'), math.Float64bits(p), 16), ';')
	}
	return fmt.Appendf(b, "x%T%v", p, p)
}
