package onnx

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// record is a field of a message as the file has it.
type record struct {
	num   protowire.Number
	typ   protowire.Type
	raw   []byte // tag and value
	value []byte // of a string, of bytes or of a message
	bits  uint64 // of a number
}

// message is a message as a list of its fields.
type message []record

// parse cuts a message into its fields. The fields refer to data.
func parse(data []byte) (m message, err error) {
	for len(data) > 0 {
		num, typ, tag := protowire.ConsumeTag(data)
		if tag < 0 {
			return nil, fmt.Errorf("bad protobuf: %w", protowire.ParseError(tag))
		}
		r := record{num: num, typ: typ}
		n := 0
		switch typ {
		case protowire.VarintType:
			r.bits, n = protowire.ConsumeVarint(data[tag:])
		case protowire.BytesType:
			r.value, n = protowire.ConsumeBytes(data[tag:])
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(data[tag:])
			r.bits = uint64(v)
		case protowire.Fixed64Type:
			r.bits, n = protowire.ConsumeFixed64(data[tag:])
		default: // groups, which ONNX has not
			n = protowire.ConsumeFieldValue(num, typ, data[tag:])
		}
		if n < 0 {
			return nil, fmt.Errorf("bad protobuf in field %d: %w", num, protowire.ParseError(n))
		}
		r.raw = data[:tag+n]
		m = append(m, r)
		data = data[tag+n:]
	}
	return m, nil
}

// number returns a number, the last of its field as protobuf wants it, or 0.
func (m message) number(num protowire.Number) (bits uint64) {
	for i := range m {
		if m[i].num == num && m[i].typ != protowire.BytesType {
			bits = m[i].bits
		}
	}
	return bits
}

// has reports whether a field is there.
func (m message) has(num protowire.Number) bool {
	for i := range m {
		if m[i].num == num {
			return true
		}
	}
	return false
}

// bytes returns the last value of a field of bytes, or nil.
func (m message) bytes(num protowire.Number) (out []byte) {
	for i := range m {
		if m[i].num == num && m[i].typ == protowire.BytesType {
			out = m[i].value
		}
	}
	return out
}

// all returns the values of a repeated field of bytes.
func (m message) all(num protowire.Number) (out [][]byte) {
	for i := range m {
		if m[i].num == num && m[i].typ == protowire.BytesType {
			out = append(out, m[i].value)
		}
	}
	return out
}

// texts returns the values of a repeated field of strings.
func (m message) texts(num protowire.Number) (out []string) {
	for _, b := range m.all(num) {
		out = append(out, string(b))
	}
	return out
}

// numbers returns the values of a repeated field of numbers, packed or not, of this type on the wire.
func (m message) numbers(num protowire.Number, typ protowire.Type) (out []uint64, err error) {
	for i := range m {
		r := &m[i]
		switch {
		case r.num != num:
		case r.typ == typ:
			out = append(out, r.bits)
		case r.typ == protowire.BytesType:
			for data := r.value; len(data) > 0; {
				v, n := consume(data, typ)
				if n < 0 {
					return nil, fmt.Errorf("bad protobuf in field %d: %w", num, protowire.ParseError(n))
				}
				out = append(out, v)
				data = data[n:]
			}
		}
	}
	return out, nil
}

func consume(data []byte, typ protowire.Type) (uint64, int) {
	switch typ {
	case protowire.Fixed32Type:
		v, n := protowire.ConsumeFixed32(data)
		return uint64(v), n
	case protowire.Fixed64Type:
		return protowire.ConsumeFixed64(data)
	}
	return protowire.ConsumeVarint(data)
}

func textField(num protowire.Number, text string) []byte { return bytesField(num, []byte(text)) }

func bytesField(num protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), data)
}

func numberField(num protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), v)
}

func floatField(num protowire.Number, v float32) []byte {
	return protowire.AppendFixed32(protowire.AppendTag(nil, num, protowire.Fixed32Type), math.Float32bits(v))
}
