package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/nereid-lang/nereid/internal/certify"
)

// Certificate says how the code of an entry was compared with its source without a tolerance, in a simulator
// (docs/VERIFY.md), or why it was not. Hashes are SHA-256, in hexadecimal.
type Certificate struct {
	Verdict string // VerdictEqual or VerdictRefused
	Reason  string `json:",omitempty"` // of a refusal

	Device    string              `json:",omitempty"` // the simulator
	Grid      [3]int              `json:",omitzero"`
	Seed      uint64              `json:",omitempty"` // of the tensors' contents
	Arguments []CertifiedArgument `json:",omitempty"`
	Compared  certify.Outcome     `json:",omitzero"` // all tensors together

	Source string            // hash of the kernel's file and of those that it imports
	IR     map[string]string `json:",omitempty"` // hashes of Triton IR and Triton GPU IR, without places
	Code   map[string]string // hashes of the entry's parts with code
	Ran    string            `json:",omitempty"` // hash of the code that the simulator ran
	// SameCode says that the code that ran is the entry's own. Otherwise it comes of the same Triton GPU IR,
	// and functions that are computed by rounding, such as sin, are single instructions there.
	SameCode bool `json:",omitempty"`
}

// Verdicts of certificates. Code that differs from its source has no certificate: it is in no bundle.
const (
	VerdictEqual   = "equal"
	VerdictRefused = "refused"
)

// CertifiedArgument is an argument of the launch that was compared.
type CertifiedArgument struct {
	Name     string
	Type     string
	Elements int    `json:",omitempty"` // of a tensor
	Value    string `json:",omitempty"` // of a number
}

// HashOf returns the hash of a part, or of a text, as certificates have it.
func HashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Certificate returns the certificate of an entry, nil if it has none. One that is not for the entry's code
// is a Damage.
func (f *File) Certificate(e *Entry) (*Certificate, error) {
	if e.Part(PartCertificate) == nil {
		return nil, nil
	}
	text, err := f.Read(e, PartCertificate)
	if err != nil {
		return nil, err
	}
	c := &Certificate{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, &Damage{e.String(), PartCertificate, "it is no certificate: " + err.Error()}
	}
	if c.Source != e.Source {
		return nil, &Damage{e.String(), PartCertificate, "it is for another source"}
	}
	var has []string
	for _, p := range e.Parts {
		if IsCode(p.Name) {
			has = append(has, p.Name)
		}
	}
	if names := slices.Sorted(maps.Keys(c.Code)); !slices.Equal(names, has) {
		return nil, &Damage{e.String(), PartCertificate, fmt.Sprintf("it is for %v, not for %v", names, has)}
	}
	return c, nil
}

// IsCode reports whether a part of that name is code.
func IsCode(part string) bool {
	return part != PartMeta && part != PartCertificate && part != PartForms
}

// checkCertificate returns a Damage if an entry has a certificate that is not for the code of a part.
func (f *File) checkCertificate(e *Entry, part string, code []byte) error {
	c, err := f.Certificate(e)
	if err != nil || c == nil || !IsCode(part) {
		return err
	}
	if c.Code[part] != HashOf(code) {
		return &Damage{e.String(), part, "its certificate is for other code"}
	}
	return nil
}
