package nvidia

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// use holds the registers of a thread and the bytes of its stack, to which registers are spilled.
type use struct{ registers, stack int }

// cubinUse returns the use of the cubin's kernel, zero if it does not say. The section .nv.info is a list of
// attributes: a byte for the format, one for the attribute, two for a value or the size of one that follows.
func cubinUse(cubin []byte) (u use) {
	const version = 20 // offset in the ELF header where NVIDIA has a number of its own
	if len(cubin) < version+4 {
		return u
	}
	cubin = bytes.Clone(cubin)
	binary.LittleEndian.PutUint32(cubin[version:], uint32(elf.EV_CURRENT))
	file, err := elf.NewFile(bytes.NewReader(cubin))
	if err != nil {
		return u
	}
	section := file.Section(".nv.info")
	if section == nil {
		return u
	}
	data, err := section.Data()
	if err != nil {
		return u
	}
	// a value holds the number of a symbol, then the amount
	const sized, registerCount, frameSize = 4, 0x2f, 0x11
	for len(data) >= 4 {
		format, attribute, size := data[0], data[1], int(binary.LittleEndian.Uint16(data[2:]))
		data = data[4:]
		if format != sized {
			continue
		}
		if size > len(data) {
			break
		}
		if size >= 8 {
			amount := int(binary.LittleEndian.Uint32(data[4:]))
			switch attribute {
			case registerCount:
				u.registers = max(u.registers, amount)
			case frameSize:
				u.stack = max(u.stack, amount)
			}
		}
		data = data[size:]
	}
	return u
}
