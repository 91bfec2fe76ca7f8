package collective

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/run"
)

// exchange returns the communicator's ID, which rank 0 makes. finish waits until all ranks have it.
func exchange(ctx context.Context, dev *run.Device, cfg *Config) (id []byte, finish func() error, err error) {
	finish = func() error { return nil }
	if cfg.Rank == 0 {
		if id, err = NewID(dev, *cfg); err != nil {
			return nil, nil, err
		}
	}
	if cfg.Size == 1 {
		return id, finish, nil
	}
	scheme, where, _ := strings.Cut(cfg.Rendezvous, "://")
	switch {
	case scheme == "tcp" && cfg.Rank == 0:
		finish, err = serveID(ctx, where, cfg.Size, id)
	case scheme == "tcp":
		id, err = fetchID(ctx, where, cfg.Rank, cfg.Size)
	case scheme == "file" && cfg.Rank == 0:
		err = writeID(where, id)
		finish = func() error { return os.Remove(where) }
	case scheme == "file":
		id, err = readID(ctx, where)
	default:
		err = fmt.Errorf("unknown form: tcp://host:port and file:///path are known")
	}
	if err != nil {
		forget(id)
		return nil, nil, fmt.Errorf("collective: the rendezvous %q of rank %d: %w", cfg.Rendezvous, cfg.Rank,
			err)
	}
	return id, finish, nil
}

const (
	greeting   = "nereid rendezvous 1\n"
	maxID      = 1 << 10
	retryAfter = 30 * time.Millisecond
)

// serveID gives the ID to every rank that asks at an address, in the background. finish waits for that.
func serveID(ctx context.Context, addr string, size int, id []byte) (finish func() error, err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	served := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { l.Close() })
	go func() {
		defer l.Close()
		defer stop()
		served <- answer(ctx, l, size, id)
	}()
	return func() error { return <-served }, nil
}

// answer gives the ID to all ranks but 0. Connections that do not greet as ranks do are closed.
func answer(ctx context.Context, l net.Listener, size int, id []byte) error {
	given := map[int]bool{}
	for len(given) < size-1 {
		conn, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				err = fmt.Errorf("%d of %d ranks came: %w", len(given)+1, size, ctx.Err())
			}
			return fmt.Errorf("collective: the rendezvous: %w", err)
		}
		if rank, ok := give(conn, size, id); ok {
			given[rank] = true
		}
		conn.Close()
	}
	return nil
}

// give answers one connection and returns the rank that asked.
func give(conn net.Conn, size int, id []byte) (rank int, ok bool) {
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	var ask [len(greeting) + 8]byte
	if _, err := io.ReadFull(conn, ask[:]); err != nil || string(ask[:len(greeting)]) != greeting {
		return 0, false
	}
	rank = int(binary.LittleEndian.Uint32(ask[len(greeting):]))
	if n := int(binary.LittleEndian.Uint32(ask[len(greeting)+4:])); n != size || rank <= 0 || rank >= size {
		fmt.Fprintf(conn, "!rank %d of %d has come to a communicator of %d ranks", rank, n, size)
		return 0, false
	}
	_, err := conn.Write(append([]byte{'+'}, id...))
	return rank, err == nil
}

// fetchID asks rank 0 for the ID, again and again until it is there.
func fetchID(ctx context.Context, addr string, rank, size int) ([]byte, error) {
	ask := binary.LittleEndian.AppendUint32([]byte(greeting), uint32(rank))
	ask = binary.LittleEndian.AppendUint32(ask, uint32(size))
	for {
		id, err := askOnce(ctx, addr, ask)
		if len(id) > 1 && err == nil {
			switch id[0] {
			case '+':
				return id[1:], nil
			case '!':
				return nil, errors.New(string(id[1:]))
			}
			return nil, fmt.Errorf("what listens there is no rank 0: it answers %.40q", id)
		}
		if !pause(ctx) {
			return nil, errors.Join(ctx.Err(), err)
		}
	}
}

// askOnce sends the question and returns the answer.
func askOnce(ctx context.Context, addr string, ask []byte) ([]byte, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := conn.Write(ask); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(conn, maxID))
}

// pause waits a little and reports whether ctx goes on.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(retryAfter):
		return true
	}
}

// writeID puts the ID into a file that does not exist, whole at once.
func writeID(path string, id []byte) error {
	part, err := os.CreateTemp(dirOf(path), ".nereid-id-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	_, err = part.Write(append([]byte(greeting), id...))
	if err = errors.Join(err, part.Close()); err != nil {
		return err
	}
	if err := os.Link(part.Name(), path); err != nil {
		if errors.Is(err, os.ErrExist) {
			return fmt.Errorf("%s exists: each communicator needs a new file", path)
		}
		return err
	}
	return nil
}

func dirOf(path string) string {
	if i := strings.LastIndexByte(path, os.PathSeparator); i > 0 {
		return path[:i]
	}
	return "."
}

// readID waits for the file and returns the ID.
func readID(ctx context.Context, path string) ([]byte, error) {
	for {
		text, err := os.ReadFile(path)
		if err == nil {
			id, ok := bytes.CutPrefix(text, []byte(greeting))
			if !ok || len(id) > maxID {
				return nil, fmt.Errorf("%s is no file of a rendezvous", path)
			}
			return id, nil
		}
		if !errors.Is(err, os.ErrNotExist) || !pause(ctx) {
			return nil, errors.Join(ctx.Err(), err)
		}
	}
}
