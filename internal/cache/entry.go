package cache

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/nereid-lang/nereid/internal/safefile"
)

// magic begins the first line of an entry; the number is the version of the format.
const magic = "nereid cache entry 1"

// Entry is a compiled kernel.
type Entry struct {
	Key       Key             `json:"key"`
	Target    string          `json:"target"`    // "cuda:90"
	Signature string          `json:"signature"` // what the kernel was specialised for, for people
	Options   json.RawMessage `json:"options"`
	Compiler  string          `json:"compiler"`       // the build of Nereid
	Generator string          `json:"generator"`      // what made code of it: LLVM's version and the like
	Code      string          `json:"code"`           // the stage that runs
	Meta      json.RawMessage `json:"meta,omitempty"` // what the back end needs beside the code
	Stages    []Stage         `json:"stages"`
}

// Stage is one form of the kernel.
type Stage struct {
	Name string `json:"name"`
	Size int    `json:"size"`
	Data []byte `json:"-"`
}

// Stage returns the content of a stage, or nil.
func (e *Entry) Stage(name string) []byte {
	for _, s := range e.Stages {
		if s.Name == name {
			return s.Data
		}
	}
	return nil
}

// Binary reports whether a stage is not text.
func (s Stage) Binary() bool { return !utf8.Valid(s.Data) || bytes.IndexByte(s.Data, 0) >= 0 }

// Encode returns the entry as a file: the same entry gives the same bytes.
func (e *Entry) Encode() ([]byte, error) {
	for i := range e.Stages {
		e.Stages[i].Size = len(e.Stages[i].Data)
	}
	header, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	body.Write(header)
	body.WriteByte('\n')
	for _, s := range e.Stages {
		fmt.Fprintf(&body, "%s", separator(s))
		body.Write(s.Data)
	}
	sum := sha256.Sum256(body.Bytes())
	first := fmt.Sprintf("%s %s %d\n", magic, hex.EncodeToString(sum[:]), len(header))
	return append([]byte(first), body.Bytes()...), nil
}

// separator returns the line before a stage.
func separator(s Stage) string { return fmt.Sprintf("\n-- %s, %d bytes --\n", s.Name, s.Size) }

var errDamaged = errors.New("the entry is damaged")

// head reads the first line of an entry: the checksum, and the size of the header that follows.
func head(line string) (sum string, size int, err error) {
	n, err := fmt.Sscanf(line[:min(len(line), 200)], magic+" %64s %d", &sum, &size)
	if n != 2 || err != nil || line != fmt.Sprintf("%s %s %d", magic, sum, size) || size < 0 {
		return "", 0, errors.New("not an entry of this version")
	}
	return sum, size, nil
}

// Describe reads the header of an entry, without its stages and unchecked: for lists of many.
func Describe(r io.Reader) (*Entry, error) {
	b := bufio.NewReader(io.LimitReader(r, maxHeader))
	line, err := b.ReadString('\n')
	if err != nil {
		return nil, errDamaged
	}
	_, size, err := head(line[:len(line)-1])
	if err != nil {
		return nil, err
	}
	header, err := io.ReadAll(io.LimitReader(b, int64(size)))
	if err != nil || len(header) != size {
		return nil, errDamaged
	}
	e := &Entry{}
	if err := json.Unmarshal(header, e); err != nil {
		return nil, fmt.Errorf("the entry's header: %w", err)
	}
	if !e.Key.valid() {
		return nil, errKey
	}
	return e, nil
}

const (
	maxHeader = 1 << 20  // bytes that Describe reads
	MaxEntry  = 64 << 20 // bytes of an entry; a larger one is not kept
)

// Decode reads an entry. Data that is not exactly what Encode wrote is an error.
func Decode(data []byte) (*Entry, error) {
	line, body, ok := bytes.Cut(data, []byte("\n"))
	sum, size, err := head(string(line[:min(len(line), 200)]))
	if !ok || err != nil {
		return nil, errors.New("not an entry of this version")
	}
	if got := sha256.Sum256(body); hex.EncodeToString(got[:]) != sum || size > len(body) {
		return nil, errDamaged
	}
	e := &Entry{}
	if err := json.Unmarshal(body[:size], e); err != nil {
		return nil, fmt.Errorf("the entry's header: %w", err)
	}
	return e, e.split(body[size:])
}

// split gives each stage its part of the bytes after the header.
func (e *Entry) split(rest []byte) error {
	if !e.Key.valid() { // a header may leave it out
		return errKey
	}
	rest, ok := bytes.CutPrefix(rest, []byte("\n"))
	for i := range e.Stages {
		s := &e.Stages[i]
		if s.Name != safefile.Name(s.Name) {
			return errDamaged // files are named for stages
		}
		if rest, ok = bytes.CutPrefix(rest, []byte(separator(*s))); !ok || s.Size < 0 || s.Size > len(rest) {
			return errDamaged
		}
		s.Data, rest = rest[:s.Size:s.Size], rest[s.Size:]
	}
	if !ok || len(rest) > 0 || e.Stage(e.Code) == nil {
		return errDamaged
	}
	return nil
}
