package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strings"
)

// Key is what an entry is found by: the kernel's name, for people, and a hash of all that its code depends on.
type Key struct {
	Kernel string `json:"kernel"`
	Hash   string `json:"hash"`
}

// String is the key as file names and commands have it.
func (k Key) String() string { return k.name() + "-" + k.Hash }

// maxName bounds what a file name has of a kernel's.
const maxName = 60

// name is the kernel's name as far as every file system takes it.
func (k Key) name() string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
			return r
		}
		return '_'
	}, k.Kernel)
	return strings.TrimLeft(name[:min(len(name), maxName)], ".")
}

// parseKey reads what String wrote.
func parseKey(s string) (Key, bool) {
	i := strings.LastIndexByte(s, '-')
	if i < 0 || len(s)-i-1 != 2*sha256.Size {
		return Key{}, false
	}
	if _, err := hex.DecodeString(s[i+1:]); err != nil {
		return Key{}, false
	}
	return Key{s[:i], s[i+1:]}, true
}

// Hasher makes keys: a hash over named fields, no two sequences of which give the same bytes.
type Hasher struct{ h hash.Hash }

// NewHasher is a hasher for entries of this version of the format.
func NewHasher() *Hasher {
	h := &Hasher{sha256.New()}
	h.Add("format", magic)
	return h
}

// Add adds a field.
func (h *Hasher) Add(name, value string) {
	for _, s := range []string{name, value} {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.h.Write(n[:])
		h.h.Write([]byte(s))
	}
}

// Key is the key of all that was added.
func (h *Hasher) Key(kernel string) Key {
	h.Add("kernel", kernel)
	return Key{kernel, hex.EncodeToString(h.h.Sum(nil))}
}
