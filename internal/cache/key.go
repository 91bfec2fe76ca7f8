package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"strings"

	"github.com/nereid-lang/nereid/internal/safefile"
)

// Key finds an entry: it has the kernel's name, for people, and a hash of all that its code depends on. A
// hash that was read from somewhere is decoded and written anew (UnmarshalJSON, parseKey), so that a path can
// be made of it.
type Key struct {
	Kernel string `json:"kernel"`
	Hash   string `json:"hash"`
}

// String returns the key as file names and commands have it.
func (k Key) String() string { return safefile.Name(k.Kernel) + "-" + k.Hash }

var errKey = errors.New("the entry's key is none: its hash is not 64 hexadecimal digits")

// valid reports whether a path can be made of the key.
func (k Key) valid() bool {
	hash, ok := canonical(k.Hash)
	return ok && hash == k.Hash
}

// canonical returns the text of a hash anew from the bytes that it stands for.
func canonical(text string) (string, bool) {
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) != sha256.Size {
		return "", false
	}
	return hex.EncodeToString(sum), true
}

// UnmarshalJSON reads a key that somebody else may have written.
func (k *Key) UnmarshalJSON(data []byte) error {
	var raw struct{ Kernel, Hash string }
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	hash, ok := canonical(raw.Hash)
	if !ok {
		return errKey
	}
	*k = Key{raw.Kernel, hash}
	return nil
}

// parseKey reads what String wrote.
func parseKey(s string) (Key, bool) {
	i := strings.LastIndexByte(s, '-')
	if i < 0 {
		return Key{}, false
	}
	hash, ok := canonical(s[i+1:])
	return Key{s[:i], hash}, ok
}

// Hasher makes keys: a hash over named fields, no two sequences of which give the same bytes.
type Hasher struct{ h hash.Hash }

// NewHasher returns a hasher for entries of this version of the format.
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

// Key returns the key of all fields that were added.
func (h *Hasher) Key(kernel string) Key {
	h.Add("kernel", kernel)
	return Key{kernel, hex.EncodeToString(h.h.Sum(nil))}
}
