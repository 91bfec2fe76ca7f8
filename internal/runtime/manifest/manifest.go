package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/safefile"
)

// Manifest is the contents of a manifest file: a list of variants.
type Manifest struct {
	Version  int            `json:"version"`
	Variants []code.Variant `json:"variants"`
}

const (
	version = 1
	maxSize = 256 << 20 // bytes of a file
)

// The text that a Recorder writes: a JSON document with a line for each variant. A variant is added by
// overwriting the last lines, so that the file is complete before and after.
const (
	textHead  = "{\n  \"version\": 1,\n  \"variants\": ["
	textSep   = ",\n    "
	textFirst = "\n    "
	textTail  = "\n  ]\n}\n"
)

// Read reads a file that a Recorder wrote. A variant that a killed process had begun to add is
// ignored.
func Read(name string) (*Manifest, error) {
	data, err := safefile.ReadNamed(name, maxSize)
	if err != nil {
		return nil, fmt.Errorf("nereid: %w", err)
	}
	m, _, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("nereid: %s %w", name, err)
	}
	return m, nil
}

// Parse reads the text of a manifest, one that a program embeds say.
func Parse(data []byte) (*Manifest, error) {
	m, _, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("nereid: the text %w", err)
	}
	return m, nil
}

// parse returns a manifest and the position at which the next variant can be added, or -1 if the text
// is not in the form that a Recorder writes.
func parse(data []byte) (m *Manifest, end int, err error) {
	m, err = decode(data)
	last := lastVariant(data)
	rest := string(data[max(last, 0):])
	switch {
	case err == nil && rest == textTail:
		return m, last, nil
	case err == nil:
		return m, -1, nil
	case last < 0 || !torn(rest):
		return nil, -1, err
	}
	m, err = decode(append(bytes.Clone(data[:last]), textTail...))
	return m, last, err
}

// decode decodes and checks a whole document.
func decode(data []byte) (*Manifest, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("is no manifest: %w", diag.JSONError(data, err))
	}
	if head.Version != version {
		return nil, fmt.Errorf("is a manifest of version %d, not %d", head.Version, version)
	}
	m := &Manifest{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields() // a misspelt option would silently be another variant
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("is no manifest: %w", diag.JSONError(data, err))
	}
	for i, v := range m.Variants {
		if v.Kernel == "" || v.File == "" {
			return nil, fmt.Errorf("is no manifest: variant %d names no kernel or no file", i+1)
		}
	}
	return m, nil
}

// lastVariant returns the end of the last whole variant in a Recorder's text, or -1.
func lastVariant(data []byte) int {
	rest, ok := bytes.CutPrefix(data, []byte(textHead))
	if !ok {
		return -1
	}
	end := -1
	d := json.NewDecoder(io.MultiReader(strings.NewReader("["), bytes.NewReader(rest)))
	if _, err := d.Token(); err != nil {
		return -1
	}
	for d.More() {
		var v json.RawMessage
		if d.Decode(&v) != nil {
			break
		}
		end = len(textHead) + int(d.InputOffset()) - 1
	}
	return end
}

// torn reports whether the text behind the last whole variant is that of a process killed while it added
// another: the beginning of the new text over the end of the old.
func torn(rest string) bool {
	if strings.HasPrefix(textTail, rest) { // the variant is complete, the end is missing
		return true
	}
	begin := textSep + "{"
	for k := 1; k < len(textTail); k++ {
		if rest == begin[:min(k, len(begin))]+textTail[k:] {
			return true
		}
	}
	more, ok := strings.CutPrefix(rest, begin)
	return strings.HasPrefix(begin, rest) || ok && !strings.Contains(more, "\n")
}

// textOf returns the text of a manifest as a Recorder writes it.
func textOf(list []code.Variant) ([]byte, error) {
	b := bytes.NewBufferString(textHead)
	sep := textFirst
	for _, v := range list {
		line, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		b.WriteString(sep)
		b.Write(line)
		sep = textSep
	}
	b.WriteString(textTail)
	return b.Bytes(), nil
}
