package gpucode

import "encoding/binary"

// Code with scopes writes the times at which its warps enter and leave them to a variable of its module: a
// head, whose first word counts records, also those that had no room, and the records.
const (
	ScopesVar    = "nereid_scopes"
	ScopesHead   = 16                                   // bytes
	ScopeBytes   = 24                                   // of a record
	ScopeRecords = 1 << 18                              // that have room
	ScopesSize   = ScopesHead + ScopeRecords*ScopeBytes // bytes
	maxScopeSM   = 1<<12 - 1                            // what a record's second word has room for
	ScopeWarp    = 12                                   // first bit of the warp there
	ScopeStart   = 19                                   // the bit of a scope that begins
	ScopeName    = 20                                   // first bit of the number of its name
	MaxScopes    = 1 << (32 - ScopeName)                // names of a kernel
)

// WholeScope is the name of the scope that each warp is in from its first instruction to its last. All code
// with scopes has it: the kernel's own time is known by it.
const WholeScope = ""

// Scope is a record: a warp of a block enters a scope or leaves it.
type Scope struct {
	Block, Warp, SM int
	Name            int
	Start           bool
	Clock           uint64 // cycles of the SM
	Time            uint64 // nanoseconds of the GPU
}

// ReadScopes reads the variable of code with scopes. lost counts the records that had no room.
func ReadScopes(data []byte) (list []Scope, lost int) {
	if len(data) < ScopesHead {
		return nil, 0
	}
	n := int(binary.LittleEndian.Uint32(data))
	room := min(ScopesFilled(data), len(data)-ScopesHead) / ScopeBytes
	for i := range room {
		b := data[ScopesHead+i*ScopeBytes:]
		w := binary.LittleEndian.Uint32(b[4:])
		list = append(list, Scope{Block: int(binary.LittleEndian.Uint32(b)), SM: int(w & maxScopeSM),
			Warp: int(w >> ScopeWarp & (1<<(ScopeStart-ScopeWarp) - 1)), Name: int(w >> ScopeName),
			Start: w>>ScopeStart&1 != 0, Clock: binary.LittleEndian.Uint64(b[8:]),
			Time: binary.LittleEndian.Uint64(b[16:])})
	}
	return list, n - room
}

// ScopesFilled returns the bytes of records behind a head.
func ScopesFilled(head []byte) int {
	return min(int(binary.LittleEndian.Uint32(head)), ScopeRecords) * ScopeBytes
}
