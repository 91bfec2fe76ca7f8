package objcode

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
)

var little = binary.LittleEndian

// arch is a processor.
type arch struct {
	goarch string
	jump   []byte // code of a slot: it jumps to the address at addressInSlot
	relocs map[uint32]relocation
}

// relocation says what a kind of relocation asks for.
type relocation struct {
	size int  // bytes that it writes, or reads and writes
	slot bool // to is the address of the symbol's slot
	call bool // it may go through the slot, because it only jumps
	// write writes the address to, for a place at that address.
	write func(p []byte, to, at uint64) error
}

// archs holds the processors by the names of ELF.
var archs = map[elf.Machine]*arch{
	elf.EM_X86_64: {
		goarch: "amd64",
		jump:   []byte{0xff, 0x25, 2, 0, 0, 0, 0x90, 0x90}, // jmp [rip+2]
		relocs: map[uint32]relocation{
			uint32(elf.R_X86_64_NONE):          {write: nothing},
			uint32(elf.R_X86_64_64):            {size: 8, write: absolute64},
			uint32(elf.R_X86_64_PC64):          {size: 8, write: relative64},
			uint32(elf.R_X86_64_PC32):          {size: 4, write: relative32},
			uint32(elf.R_X86_64_PLT32):         {size: 4, call: true, write: relative32},
			uint32(elf.R_X86_64_GOTPCREL):      {size: 4, slot: true, write: relative32},
			uint32(elf.R_X86_64_GOTPCRELX):     {size: 4, slot: true, write: relative32},
			uint32(elf.R_X86_64_REX_GOTPCRELX): {size: 4, slot: true, write: relative32},
		},
	},
	elf.EM_AARCH64: {
		goarch: "arm64",
		jump:   []byte{0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6}, // ldr x16, #8; br x16
		relocs: map[uint32]relocation{
			uint32(elf.R_AARCH64_NONE):                {write: nothing},
			uint32(elf.R_AARCH64_ABS64):               {size: 8, write: absolute64},
			uint32(elf.R_AARCH64_PREL64):              {size: 8, write: relative64},
			uint32(elf.R_AARCH64_PREL32):              {size: 4, write: relative32},
			uint32(elf.R_AARCH64_CALL26):              {size: 4, call: true, write: branch(0, 26)},
			uint32(elf.R_AARCH64_JUMP26):              {size: 4, call: true, write: branch(0, 26)},
			uint32(elf.R_AARCH64_CONDBR19):            {size: 4, write: branch(5, 19)},
			uint32(elf.R_AARCH64_TSTBR14):             {size: 4, write: branch(5, 14)},
			uint32(elf.R_AARCH64_LD_PREL_LO19):        {size: 4, write: branch(5, 19)},
			uint32(elf.R_AARCH64_ADR_PREL_LO21):       {size: 4, write: adr},
			uint32(elf.R_AARCH64_ADR_PREL_PG_HI21):    {size: 4, write: adrp},
			uint32(elf.R_AARCH64_ADR_GOT_PAGE):        {size: 4, slot: true, write: adrp},
			uint32(elf.R_AARCH64_LD64_GOT_LO12_NC):    {size: 4, slot: true, write: low12(3)},
			uint32(elf.R_AARCH64_ADD_ABS_LO12_NC):     {size: 4, write: low12(0)},
			uint32(elf.R_AARCH64_LDST8_ABS_LO12_NC):   {size: 4, write: low12(0)},
			uint32(elf.R_AARCH64_LDST16_ABS_LO12_NC):  {size: 4, write: low12(1)},
			uint32(elf.R_AARCH64_LDST32_ABS_LO12_NC):  {size: 4, write: low12(2)},
			uint32(elf.R_AARCH64_LDST64_ABS_LO12_NC):  {size: 4, write: low12(3)},
			uint32(elf.R_AARCH64_LDST128_ABS_LO12_NC): {size: 4, write: low12(4)},
		},
	},
}

func nothing([]byte, uint64, uint64) error { return nil }

func absolute64(p []byte, to, _ uint64) error {
	little.PutUint64(p, to)
	return nil
}

func relative64(p []byte, to, at uint64) error {
	little.PutUint64(p, to-at)
	return nil
}

func relative32(p []byte, to, at uint64) error {
	d := int64(to - at)
	if int64(int32(d)) != d {
		return tooFar(d)
	}
	little.PutUint32(p, uint32(d))
	return nil
}

func tooFar(d int64) error { return fmt.Errorf("a distance of %d bytes is too far", d) }

var errOdd = errors.New("the address is not aligned")

// branch writes a distance in instructions into bits of an instruction, the lowest of them at shift.
func branch(shift, bits int) func(p []byte, to, at uint64) error {
	return func(p []byte, to, at uint64) error {
		d := int64(to - at)
		limit := int64(1) << (bits + 1)
		switch {
		case d&3 != 0:
			return errOdd
		case d < -limit || d >= limit:
			return tooFar(d)
		}
		mask := uint32(1)<<bits - 1
		little.PutUint32(p, little.Uint32(p)&^(mask<<shift)|uint32(d>>2)&mask<<shift)
		return nil
	}
}

// adr writes a distance in bytes into an adr instruction.
func adr(p []byte, to, at uint64) error { return adr21(p, int64(to-at)) }

// adrp writes a distance in pages of 4 KiB into an adrp instruction.
func adrp(p []byte, to, at uint64) error { return adr21(p, int64(to&^0xfff-at&^0xfff)>>12) }

func adr21(p []byte, d int64) error {
	if d < -1<<20 || d >= 1<<20 {
		return tooFar(d)
	}
	const mask = 3<<29 | 0x7ffff<<5
	low, high := uint32(d)&3, uint32(d>>2)&0x7ffff
	little.PutUint32(p, little.Uint32(p)&^mask|low<<29|high<<5)
	return nil
}

// low12 writes an address within its page into an instruction that counts in units of 1<<scale bytes.
func low12(scale int) func(p []byte, to, at uint64) error {
	return func(p []byte, to, _ uint64) error {
		if to&(1<<scale-1) != 0 {
			return errOdd
		}
		n := uint32(to&0xfff) >> scale
		little.PutUint32(p, little.Uint32(p)&^(0xfff<<10)|n<<10)
		return nil
	}
}
