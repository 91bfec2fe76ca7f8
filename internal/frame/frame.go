// Package frame reads and writes the messages of editors' protocols: JSON behind a header with its length, as
// the Language Server Protocol and the Debug Adapter Protocol have it.
package frame

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// maxMessage bounds a message.
const maxMessage = 64 << 20

// Reader reads messages.
type Reader struct{ r *bufio.Reader }

// NewReader returns a reader of messages.
func NewReader(r io.Reader) *Reader { return &Reader{bufio.NewReader(r)} }

// Next returns the next message, or io.EOF after the last.
func (r *Reader) Next() ([]byte, error) {
	size := -1
	for first := true; ; first = false {
		line, err := r.r.ReadString('\n')
		if err == io.EOF && first && line == "" {
			return nil, io.EOF
		}
		if err != nil {
			return nil, fmt.Errorf("a message's header ends early: %w", err)
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(name, "Content-Length") {
			size, err = strconv.Atoi(strings.TrimSpace(value))
			if err != nil || size < 0 || size > maxMessage {
				return nil, fmt.Errorf("a message has the length %q", strings.TrimSpace(value))
			}
		}
	}
	if size < 0 {
		return nil, fmt.Errorf("a message has no Content-Length")
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r.r, data); err != nil {
		return nil, fmt.Errorf("a message ends early: %w", err)
	}
	return data, nil
}

// Writer writes messages. Several goroutines may use it.
type Writer struct {
	mu sync.Mutex
	w  io.Writer
}

// NewWriter returns a writer of messages.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Send writes a value as a message.
func (w *Writer) Send(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = fmt.Fprintf(w.w, "Content-Length: %d\r\n\r\n%s", len(data), data)
	return err
}
