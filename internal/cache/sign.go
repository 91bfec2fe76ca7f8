package cache

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// A sealed entry is an entry under one more line, which says that somebody who knows the secret made it:
//
//	nereid signed entry 1 <HMAC-SHA256 of the entry, in hexadecimal>
//
// The entry holds its own key, so a signature cannot be moved to another kernel.
const sealMagic = "nereid signed entry 1 "

const sealSize = len(sealMagic) + 2*sha256.Size + 1

var errUnsigned = errors.New("the entry is not signed with this cache's key (NEREID_CACHE_KEY)")

// Seal signs an entry, if there is a secret.
func Seal(secret string, entry []byte) []byte {
	if secret == "" {
		return entry
	}
	out := make([]byte, 0, sealSize+len(entry))
	out = append(out, sealMagic...)
	out = hex.AppendEncode(out, sign(secret, entry))
	out = append(out, '\n')
	return append(out, entry...)
}

// Unseal returns the entry within data. With a secret its signature must be valid; without one nobody can
// tell, and any signature is passed over.
func Unseal(secret string, data []byte) ([]byte, error) {
	sealed := len(data) >= sealSize && bytes.HasPrefix(data, []byte(sealMagic)) && data[sealSize-1] == '\n'
	switch {
	case !sealed && secret == "":
		return data, nil
	case !sealed:
		return nil, errUnsigned
	}
	entry := data[sealSize:]
	if secret == "" {
		return entry, nil
	}
	mac, err := hex.DecodeString(string(data[len(sealMagic) : sealSize-1]))
	if err != nil || !hmac.Equal(mac, sign(secret, entry)) {
		return nil, errUnsigned
	}
	return entry, nil
}

func sign(secret string, entry []byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(sealMagic))
	h.Write(entry)
	return h.Sum(nil)
}
