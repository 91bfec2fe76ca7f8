package cpuid

import (
	"encoding/binary"
	"os"
	"sync"
)

// Entries of the auxiliary vector, in which Linux tells a process what its processor can do.
const (
	hwcap  = 16
	hwcap2 = 26
)

// bits lists the features by entry and bit, as Linux places them.
var bits = map[uint64]map[string]int{
	hwcap: {"fp-armv8": 0, "neon": 1, "aes": 3, "sha2": 6, "crc": 7, "lse": 8, "fullfp16": 10, "rdm": 12,
		"jsconv": 13, "complxnum": 14, "rcpc": 15, "sha3": 17, "sm4": 19, "dotprod": 20, "sve": 22,
		"fp16fml": 23},
	hwcap2: {"sve2": 1, "i8mm": 13, "bf16": 14},
}

// features returns every feature that the tables know, and whether the processor has it.
var features = sync.OnceValue(func() map[string]bool {
	list := map[string]bool{}
	data, err := os.ReadFile("/proc/self/auxv")
	if err != nil {
		data = nil
	}
	for ; len(data) >= 16; data = data[16:] {
		value := binary.LittleEndian.Uint64(data[8:])
		for name, bit := range bits[binary.LittleEndian.Uint64(data)] {
			list[name] = value>>bit&1 != 0
		}
	}
	return list
})
