package cuda

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// How many programs an SM runs at once depends on their registers, in steps: on an SM with 65,536 of them, programs of 256 threads with
// 110 registers each run two at a time, and so do those with 128. The assembler does not know that it may use the 18, and saves them by
// loading less at once. So a kernel with many registers is assembled again, with that number of programs as its goal.

// manyRegisters is from where on a second look is worth its time.
const manyRegisters = 64

const registersPerSM = 65536

// sm is what an SM of a compute capability has.
type sm struct{ threads, shared int }

var sms = map[int]sm{75: {1024, 64 << 10}, 80: {2048, 164 << 10}, 86: {1536, 100 << 10}, 87: {2048, 164 << 10}, 89: {1536, 100 << 10}, 90: {2048, 228 << 10}}

// assembleBest makes a cubin with an assembler, of whatever kind.
func (c Compiler) assembleBest(code *Code, assemble func(ptx []byte) ([]byte, error)) ([]byte, error) {
	cubin, err := assemble(code.PTX)
	if err != nil {
		return nil, err
	}
	ptx := c.withGoal(code, cubinRegisters(cubin))
	if ptx == nil {
		return cubin, nil
	}
	if better, err := assemble(ptx); err == nil {
		return better, nil
	}
	return cubin, nil
}

// withGoal is the PTX with the number of programs that an SM runs when each thread has so many registers, or nil when that leaves no
// registers to gain.
func (c Compiler) withGoal(code *Code, registers int) []byte {
	machine, ok := sms[c.Capability]
	threads := 32 * code.NumWarps
	if !ok || registers <= manyRegisters || bytes.Contains(code.PTX, []byte("\n.maxnreg")) {
		return nil
	}
	programs := min(registersPerSM/(threads*roundUp(registers, 8)), machine.threads/threads, machine.shared/(code.Shared+1024))
	if programs < 1 {
		return nil
	}
	if most := min(255, registersPerSM/(programs*threads)/8*8); most < registers+8 {
		return nil
	}
	limit := fmt.Sprintf("\n.reqntid %d\n", threads)
	return bytes.Replace(code.PTX, []byte(limit), []byte(fmt.Sprintf("%s.minnctapersm %d\n", limit, programs)), 1)
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// cubinRegisters is the number of registers of the cubin's kernel, 0 when it does not say. The section .nv.info is a list of attributes:
// a byte for the format, one for the attribute, two for a value or the size of one that follows.
func cubinRegisters(cubin []byte) int {
	const version = 20 // where NVIDIA has a number of its own in an ELF's header
	if len(cubin) < version+4 {
		return 0
	}
	cubin = bytes.Clone(cubin)
	binary.LittleEndian.PutUint32(cubin[version:], uint32(elf.EV_CURRENT))
	file, err := elf.NewFile(bytes.NewReader(cubin))
	if err != nil {
		return 0
	}
	section := file.Section(".nv.info")
	if section == nil {
		return 0
	}
	data, err := section.Data()
	if err != nil {
		return 0
	}
	const sized, registerCount = 4, 0x2f // the value of which is the number of a symbol and that of its registers
	most := 0
	for len(data) >= 4 {
		format, attribute, size := data[0], data[1], int(binary.LittleEndian.Uint16(data[2:]))
		data = data[4:]
		if format != sized {
			continue
		}
		if size > len(data) {
			break
		}
		if attribute == registerCount && size >= 8 {
			most = max(most, int(binary.LittleEndian.Uint32(data[4:])))
		}
		data = data[size:]
	}
	return most
}
