package gcn

import "encoding/binary"

// Descriptor is the kernel descriptor of the AMDHSA ABI: which registers a wave begins with, and its modes.
type Descriptor struct {
	LDS, Scratch, Kernarg uint32
	Entry                 int64 // offset of the code from the descriptor
	rsrc1, rsrc2, rsrc3   uint32
	properties            uint16
	preload               uint16
}

const descriptorSize = 64

func descriptorOf(b []byte) Descriptor {
	le := binary.LittleEndian
	return Descriptor{
		LDS: le.Uint32(b), Scratch: le.Uint32(b[4:]), Kernarg: le.Uint32(b[8:]),
		Entry: int64(le.Uint64(b[16:])), rsrc3: le.Uint32(b[44:]), rsrc1: le.Uint32(b[48:]),
		rsrc2: le.Uint32(b[52:]), properties: le.Uint16(b[56:]), preload: le.Uint16(b[58:]),
	}
}

// User registers in the order in which they lie in the first SGPRs.
const (
	PrivateSegmentBuffer = iota
	DispatchPtr
	QueuePtr
	KernargPtr
	DispatchID
	FlatScratchInit
	PrivateSegmentSize
	userRegisters
)

// userSizes are the SGPRs of each.
var userSizes = [userRegisters]int{4, 2, 2, 2, 2, 2, 1}

// User is a user register that a kernel asks for.
type User struct{ What, SGPR, N int }

// Users returns the user registers of a kernel and their SGPRs.
func (d *Descriptor) Users() []User {
	var out []User
	at := 0
	for what, n := range userSizes {
		if d.properties>>what&1 != 0 {
			out = append(out, User{what, at, n})
			at += n
		}
	}
	return out
}

// UserSGPRs returns the number of SGPRs that are set before a wave begins, without those of the system.
func (d *Descriptor) UserSGPRs() int { return int(d.rsrc2 >> 1 & 31) }

// Preload returns how many dwords of the arguments, from which dword on, lie in SGPRs when the wave begins.
// The code then begins 256 bytes behind the entry.
func (d *Descriptor) Preload() (n, from int) { return int(d.preload & 127), int(d.preload >> 7) }

// WorkgroupIDs reports which coordinates of the workgroup follow the user registers.
func (d *Descriptor) WorkgroupIDs() [3]bool {
	return [3]bool{d.rsrc2>>7&1 != 0, d.rsrc2>>8&1 != 0, d.rsrc2>>9&1 != 0}
}

// Flush reports which denormals become 0: those of fp32, those of fp16 and fp64.
func (d *Descriptor) Flush() (f32, f16 bool) { return d.rsrc1>>16&3 != 3, d.rsrc1>>18&3 != 3 }

// WGP reports whether, on RDNA, a workgroup runs on both processors of a pair, which have caches apart.
func (d *Descriptor) WGP() bool { return d.rsrc1>>29&1 != 0 }

// IEEE reports whether minima and maxima quiet signalling NaNs.
func (d *Descriptor) IEEE() bool { return d.rsrc1>>23&1 != 0 }

// Clamp reports whether NaN clamps to 0.
func (d *Descriptor) Clamp() bool { return d.rsrc1>>21&1 != 0 }
