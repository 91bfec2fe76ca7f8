package collective

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/nereid-lang/nereid/run"
)

// header stands before the elements of a message. It names the operation of the sender, so that ranks that
// call different ones find out.
type header struct {
	kind  kind
	op    Op
	dt    run.DType
	peer  int32  // the root
	call  uint64 // the number of the operation on the connection
	count uint64 // elements of one rank's contribution; of a rank that leaves, bytes of the reason
}

const headerSize = 24

func (h *header) encode(to []byte) {
	to[0], to[1], to[2], to[3] = byte(h.kind), byte(h.op), byte(h.dt), 0
	binary.LittleEndian.PutUint32(to[4:], uint32(h.peer))
	binary.LittleEndian.PutUint64(to[8:], h.call)
	binary.LittleEndian.PutUint64(to[16:], h.count)
}

func (h *header) decode(from []byte) {
	*h = header{kind: kind(from[0]), op: Op(from[1]), dt: run.DType(from[2]),
		peer: int32(binary.LittleEndian.Uint32(from[4:])), call: binary.LittleEndian.Uint64(from[8:]),
		count: binary.LittleEndian.Uint64(from[16:])}
}

// describe returns the operation of the sender.
func (h *header) describe() string {
	o := operation{kind: h.kind, op: h.op, dt: h.dt, n: int(h.count)}
	return o.describe()
}

// link is a connection to another rank. One goroutine writes and one reads at a time.
type link struct {
	net.Conn
	rank    int        // the other one
	writing sync.Mutex // held by the write under way
	in, out [headerSize]byte
}

// write sends a header and some bytes.
func (l *link) write(h *header, data []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	h.encode(l.out[:])
	// One call of the system for both: small messages are one packet.
	buffers := net.Buffers{l.out[:], data}
	if len(data) == 0 {
		buffers = buffers[:1]
	}
	_, err := buffers.WriteTo(l.Conn)
	return l.because(err)
}

// expect reads a header, which must be want.
func (l *link) expect(want *header) error {
	if _, err := io.ReadFull(l.Conn, l.in[:]); err != nil {
		return l.because(err)
	}
	var got header
	got.decode(l.in[:])
	switch {
	case got == *want:
		return nil
	case got.kind == leave:
		reason := make([]byte, min(got.count, maxReason))
		_, _ = io.ReadFull(l.Conn, reason)
		return &RankError{l.rank, errors.New(string(reason))}
	}
	return &RankError{l.rank, fmt.Errorf("it calls %s (its operation %d, root %d), this rank %s (operation %d, "+
		"root %d)", got.describe(), got.call, got.peer, want.describe(), want.call, want.peer)}
}

// read reads elements.
func (l *link) read(to []byte) error {
	_, err := io.ReadFull(l.Conn, to)
	return l.because(err)
}

// because returns the error of a connection as one of the rank.
func (l *link) because(err error) error {
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("it is gone: the connection was closed")
	case errors.As(err, &timeout) && timeout.Timeout():
		err = fmt.Errorf("it has not taken part within the time limit: %w", err)
	default:
		err = fmt.Errorf("it is gone: %w", err)
	}
	return &RankError{l.rank, err}
}

const (
	maxReason = 1 << 12
	byeWithin = 200 * time.Millisecond
)

// bye tells the other rank why this one leaves, if no write is under way, and closes the connection.
func (l *link) bye(reason string) {
	if l.writing.TryLock() {
		_ = l.SetWriteDeadline(time.Now().Add(byeWithin))
		reason = reason[:min(len(reason), maxReason)]
		h := header{kind: leave, count: uint64(len(reason))}
		h.encode(l.out[:])
		_, _ = l.Conn.Write(append(l.out[:], reason...))
		l.writing.Unlock()
	}
	l.Conn.Close()
}
