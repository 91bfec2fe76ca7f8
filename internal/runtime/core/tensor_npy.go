package core

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/safetensors"
)

// npyNames has the types of NumPy's files, without the byte order.
var npyNames = map[DType]string{
	Bool: "b1", Int8: "i1", Int16: "i2", Int32: "i4", Int64: "i8", Uint8: "u1", Uint16: "u2", Uint32: "u4",
	Uint64:  "u8",
	Float16: "f2", Float32: "f4", Float64: "f8",
}

const (
	npyMagic = "\x93NUMPY"
	// maxNPYHeader bounds a header: NumPy's own says the type and the shape in some hundred bytes.
	maxNPYHeader = 1 << 16
)

// The entries of a header, which is the text of a Python dict.
var (
	npyDescr   = regexp.MustCompile(`'descr'\s*:\s*'([<>=|]?)(\w+)'`)
	npyFortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape'\s*:\s*\(([^()]*)\)`)
)

// ReadNPY reads an array that NumPy saved (.npy) into host memory, up to its last byte. The tensor is
// contiguous, whatever the order in the file. A damaged or hostile file is an error, and takes no more
// memory than a few times what it has bytes.
func ReadNPY(r io.Reader) (*Tensor, error) {
	text, err := npyHeader(r)
	if err != nil {
		return nil, fmt.Errorf("nereid: no .npy file: %w", err)
	}
	dt, swap, err := npyType(text)
	if err != nil {
		return nil, err
	}
	shape, err := npyShapeOf(text)
	if err != nil {
		return nil, err
	}
	if err := checkShape(dt, shape); err != nil {
		return nil, err
	}
	data, err := safetensors.ReadN(r, uint64(count(shape)*dt.Size()))
	if err != nil {
		return nil, fmt.Errorf("nereid: the elements of an array of %s with the shape %v: %w", dt, shape, err)
	}
	if swap {
		swapBytes(data, dt.Size())
	}
	fortran := npyFortran.FindStringSubmatch(text)
	if fortran == nil {
		return nil, fmt.Errorf("nereid: no .npy file: the header %.200q has no 'fortran_order'", text)
	}
	if fortran[1] == "False" || len(shape) < 2 {
		return hostTensor(dt, data, shape), nil
	}
	return fromFortran(dt, data, shape)
}

// fromFortran returns a tensor of elements whose first index runs fastest.
func fromFortran(dt DType, data []byte, shape []int) (*Tensor, error) {
	reversed, dims := slices.Clone(shape), make([]int, len(shape))
	slices.Reverse(reversed)
	for i := range dims {
		dims[i] = len(dims) - 1 - i
	}
	bytes, err := hostTensor(dt, data, reversed).Permute(dims...).packed()
	return hostTensor(dt, bytes, shape), err
}

// npyHeader reads what stands before the elements, and returns the dict's text.
func npyHeader(r io.Reader) (string, error) {
	var head [len(npyMagic) + 2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return "", err
	}
	if string(head[:len(npyMagic)]) != npyMagic {
		return "", fmt.Errorf("it begins with %q", head[:len(npyMagic)])
	}
	bytes := 4
	switch version := head[len(npyMagic)]; {
	case version == 1:
		bytes = 2
	case version == 0 || version > 3:
		return "", fmt.Errorf("it is of the version %d, known are 1 to 3", version)
	}
	var size [4]byte
	if _, err := io.ReadFull(r, size[:bytes]); err != nil {
		return "", err
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > maxNPYHeader {
		return "", fmt.Errorf("a header of %d bytes, at most %d are read", n, maxNPYHeader)
	}
	text, err := safetensors.ReadN(r, uint64(n))
	return string(text), err
}

// npyType returns the element type of a header, and whether its bytes are in the other order than the
// machine's.
func npyType(text string) (dt DType, swap bool, err error) {
	m := npyDescr.FindStringSubmatch(text)
	if m == nil {
		return Invalid, false,
			fmt.Errorf("nereid: the .npy header %.200q has no element type that is a number", text)
	}
	for dt, name := range npyNames {
		if name == m[2] {
			return dt, m[1] == ">", nil
		}
	}
	return Invalid, false,
		fmt.Errorf("nereid: .npy elements of the type %q; known are bool, integers of 8 to 64 bits and "+
			"floats of 16 to 64; "+
			"bf16 and fp8 are kept by safetensors files", m[1]+m[2])
}

// npyShapeOf returns the shape of a header.
func npyShapeOf(text string) ([]int, error) {
	m := npyShape.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("nereid: no .npy file: the header %.200q has no 'shape'", text)
	}
	shape := []int{}
	for _, word := range strings.Split(m[1], ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 0 || n > math.MaxInt {
			return nil, fmt.Errorf("nereid: no .npy file: the shape (%.200s)", m[1])
		}
		shape = append(shape, int(n))
	}
	return shape, nil
}

func swapBytes(data []byte, size int) {
	for i := 0; i+size <= len(data); i += size {
		slices.Reverse(data[i : i+size])
	}
}

// WriteNPY writes a tensor, of any device, as NumPy's save does. NumPy has no bf16 and no fp8: they are an
// error.
func WriteNPY(w io.Writer, t *Tensor) error {
	data, err := t.packed()
	if err != nil {
		return err
	}
	name, ok := npyNames[t.DType]
	if !ok {
		return fmt.Errorf("nereid: NumPy has no %s: write it with WriteSafetensors, or copy it to a tensor "+
			"of fp32 first", t.DType)
	}
	order := "<"
	if dtype.Type(t.DType).Size() == 1 {
		order = "|"
	}
	shape := join(t.Shape, ", ")
	if len(t.Shape) == 1 {
		shape += ","
	}
	text := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", order, name, shape)
	const before = len(npyMagic) + 4
	text += strings.Repeat(" ", 63-(before+len(text))%64) + "\n" // the elements begin at a multiple of 64
	if len(text) > math.MaxUint16 {
		return fmt.Errorf("nereid: a tensor of %d dimensions cannot be written", len(t.Shape))
	}
	head := binary.LittleEndian.AppendUint16([]byte(npyMagic+"\x01\x00"), uint16(len(text)))
	if _, err := w.Write(append(head, text...)); err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}
