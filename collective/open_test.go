package collective_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/collective"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/run"
)

// freeAddress returns an address that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestOpen: configurations that cannot be opened, and ranks that do not come.
func TestOpen(t *testing.T) {
	dev := host(t)
	old := filepath.Join(t.TempDir(), "old")
	if err := os.WriteFile(old, []byte("something else"), 0o666); err != nil {
		t.Fatal(err)
	}
	id, err := collective.NewID(dev, collective.Config{})
	if err != nil {
		t.Fatal(err)
	}
	const soon = 150 * time.Millisecond
	for _, c := range []struct {
		cfg  collective.Config
		want string
	}{
		{collective.Config{}, "a communicator of 0 ranks"},
		{collective.Config{Rank: 2, Size: 2}, "rank 2 of 2: ranks are numbered from 0"},
		{collective.Config{Size: 2}, "neither ID nor Rendezvous"},
		{collective.Config{Size: 2, Rendezvous: "udp://x"}, "unknown form: tcp://host:port and file:///path"},
		{collective.Config{Size: 2, Rendezvous: "file://" + old}, "exists: each communicator needs a new file"},
		{collective.Config{Rank: 1, Size: 2, Rendezvous: "file://" + old}, "no file of a rendezvous"},
		{collective.Config{Size: 2, ID: []byte("x")}, "the ID is not one of sockets"},
		{collective.Config{Size: 2, Rendezvous: "tcp://" + freeAddress(t), Timeout: soon}, "rank 1 has not come"},
		{collective.Config{Rank: 1, Size: 2, Rendezvous: "tcp://" + freeAddress(t), Timeout: soon},
			"of rank 1: context deadline exceeded"},
		{collective.Config{Rank: 1, Size: 2, Rendezvous: "file:///nowhere/at/all", Timeout: soon}, "deadline"},
		{collective.Config{Size: 2, ID: id, Timeout: soon}, "rank 1 has not come: context deadline exceeded"},
		{collective.Config{Size: 2, ID: id, Timeout: soon}, "rank 0 is opened by the process that called NewID"},
	} {
		comm, err := collective.Open(t.Context(), dev, c.cfg)
		if comm != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.cfg, err, c.want)
		}
	}
	if _, err := collective.Open(t.Context(), nil, collective.Config{Size: 1}); err == nil {
		t.Error("opened without a device")
	}
}

// TestForeignServer: what listens at the address of a rendezvous is not one of ours.
func TestForeignServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.ReadFull(conn, make([]byte, 8)) // what is unread at the end would reset the connection
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\x1b[31mlong and red"))
			_ = conn.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn)
			conn.Close()
		}
	}()
	cfg := collective.Config{Rank: 1, Size: 2, Rendezvous: "tcp://" + l.Addr().String()}
	_, err = collective.Open(t.Context(), host(t), cfg)
	if err == nil || !strings.Contains(err.Error(), `is no rank 0: it answers "HTTP/1.1 400 Bad`) {
		t.Error(err)
	}
}

// TestListeners: the listener behind an ID is closed where no other rank can come.
func TestListeners(t *testing.T) {
	files := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			txtest.NotHere(t, "no list of open files: %v", err)
		}
		return len(list)
	}
	dev, before := host(t), 0
	for i := range 20 {
		if i == 1 {
			before = files()
		}
		comms, err := collective.Local(t.Context(), dev)
		if err != nil {
			t.Fatal(err)
		}
		nowhere := collective.Config{Size: 2, Rendezvous: "file:///nowhere/at/all"}
		if _, err := collective.Open(t.Context(), dev, nowhere); err == nil {
			t.Error("opened without a rendezvous")
		}
		if err := comms[0].Close(); err != nil {
			t.Error(err)
		}
	}
	if n := files(); n > before+10 {
		t.Errorf("%d files are open, and were %d", n, before)
	}
	begin := time.Now()
	if _, err := collective.Local(t.Context(), dev, nil); err == nil || time.Since(begin) > time.Minute {
		t.Errorf("without a device: %v", err)
	}
}

// TestStrangers: connections that do not know the secret, and ranks that count otherwise, are refused.
func TestStrangers(t *testing.T) {
	dev, addr := host(t), freeAddress(t)
	cfg := collective.Config{Size: 2, Rendezvous: "tcp://" + addr, Timeout: 10 * time.Second}
	first := make(chan error, 1)
	go func() {
		c, err := collective.Open(t.Context(), dev, cfg)
		if err == nil {
			err = c.Close()
		}
		first <- err
	}()
	for range 3 {
		for {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				time.Sleep(time.Millisecond)
				continue
			}
			_, _ = conn.Write([]byte("GET / HTTP/1.1\r\nHost: nobody\r\n\r\n........"))
			conn.Close()
			break
		}
	}
	wrong := cfg
	wrong.Rank, wrong.Size = 2, 3
	if _, err := collective.Open(t.Context(), dev, wrong); err == nil ||
		!strings.Contains(err.Error(), "rank 2 of 3 has come to a communicator of 2 ranks") {
		t.Errorf("a rank of another communicator: %v", err)
	}
	cfg.Rank = 1
	c, err := collective.Open(t.Context(), dev, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Close(), <-first); err != nil {
		t.Error(err)
	}
}

// TestContext: the end of a context ends an operation, and Open.
func TestContext(t *testing.T) {
	dev := host(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	go func() {
		time.Sleep(20 * time.Millisecond)
		cancel(why)
	}()
	cfg := collective.Config{Size: 2, Rendezvous: "tcp://" + freeAddress(t)}
	if _, err := collective.Open(ctx, dev, cfg); !errors.Is(err, why) {
		t.Errorf("Open: %v", err)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	comms, err := collective.Local(ctx, dev, dev)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		time.Sleep(20 * time.Millisecond)
		cancel(why)
	}()
	x := run.FromSlice(make([]float32, 1<<20))
	if err := comms[0].AllReduce(s, x, x, collective.Sum); !errors.Is(err, why) {
		t.Errorf("AllReduce: %v", err)
	}
	// the other rank learns of it on a goroutine of its own
	for end := time.Now().Add(10 * time.Second); comms[1].Err() == nil && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if err := comms[1].Err(); !errors.Is(err, why) {
		t.Errorf("the other rank: %v", err)
	}
	if err := errors.Join(comms[0].Close(), comms[1].Close()); err != nil {
		t.Error(err)
	}
}

// TestTimeout: every operation waits for a rank that does nothing as long as the limit says, no longer and no
// less. The contexts of the streams end an operation that has no limit.
func TestTimeout(t *testing.T) {
	const limit, enough = 100 * time.Millisecond, 4 * time.Second
	dev := host(t)
	few, whole := run.FromSlice(make([]float32, 10)), run.FromSlice(make([]float32, 20))
	many := run.FromSlice(make([]float32, 8<<20)) // more than a connection holds
	for name, f := range map[string]func(r rank) error{
		"receive":   func(r rank) error { return r.Receive(r.s, few, 1) },
		"send many": func(r rank) error { return r.Send(r.s, many, 1) },
		"receive in a group": func(r rank) error {
			return r.Group(func() error { return errors.Join(r.Send(r.s, few, 1), r.Receive(r.s, whole, 1)) })
		},
		"send many in a group": func(r rank) error {
			return r.Group(func() error { return r.Send(r.s, many, 1) })
		},
		"all reduce": func(r rank) error { return r.AllReduce(r.s, few, few, collective.Sum) },
		"all reduce in a group": func(r rank) error {
			return r.Group(func() error { return r.AllReduce(r.s, few, few, collective.Sum) })
		},
		"all reduce many":  func(r rank) error { return r.AllReduce(r.s, many, many, collective.Sum) },
		"all gather":       func(r rank) error { return r.AllGather(r.s, r.empty(run.Float32, 20), few) },
		"reduce scatter":   func(r rank) error { return r.ReduceScatter(r.s, few, whole, collective.Sum) },
		"reduce":           func(r rank) error { return r.Reduce(r.s, few, few, collective.Sum, 0) },
		"reduce elsewhere": func(r rank) error { return r.Reduce(r.s, nil, many, collective.Sum, 1) },
		"broadcast":        func(r rank) error { return r.Broadcast(r.s, few, 1) },
		"broadcast many":   func(r rank) error { return r.Broadcast(r.s, many, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			comms := pair(t, dev, collective.Config{Patience: limit})
			ctx, cancel := context.WithTimeout(t.Context(), enough)
			defer cancel()
			s, err := dev.NewStream(ctx)
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			err = f(rankOf(comms[0], s))
			took := time.Since(begin)
			var slow *collective.RankError
			if !errors.As(err, &slow) || slow.Rank != 1 || !errors.Is(err, os.ErrDeadlineExceeded) ||
				!strings.Contains(err.Error(), "has not taken part within the time limit") || took < limit {
				t.Errorf("after %v: %v", took, err)
			}
			if again := comms[0].Err(); !errors.As(again, &slow) {
				t.Errorf("the communicator has not ended: %v", again)
			}
			if err := errors.Join(comms[0].Close(), comms[1].Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTimeoutOfEach: the limit is one of each operation: the time between them does not count.
func TestTimeoutOfEach(t *testing.T) {
	t.Parallel()
	const limit = time.Second
	dev := host(t)
	comms := pair(t, dev, collective.Config{Patience: limit})
	s, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	x := run.FromSlice(make([]float32, 10))
	for i := range 2 {
		time.Sleep(time.Duration(i) * limit * 6 / 5)
		// What is sent lies there when the other rank asks for it: neither waits.
		for _, err := range []error{comms[0].Send(s, x, 1), comms[1].Receive(s, x, 0),
			comms[1].Broadcast(s, x, 1), comms[0].Broadcast(s, x, 1),
			comms[1].Group(func() error { return comms[1].Send(s, x, 0) }),
			comms[0].Group(func() error { return comms[0].Receive(s, x, 1) })} {
			if err != nil {
				t.Error(err)
			}
		}
	}
	if err := errors.Join(comms[0].Close(), comms[1].Close()); err != nil {
		t.Error(err)
	}
}
