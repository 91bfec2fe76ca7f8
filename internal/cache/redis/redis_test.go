package redis_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	client "github.com/redis/go-redis/v9"

	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/cache/redis"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// server is a real Redis that can be killed and started again.
type server struct {
	program, dir, port string
	cmd                *exec.Cmd
}

func newServer(t *testing.T) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	s := &server{program: txtest.Tool(t, "redis-server", "valkey-server"), dir: t.TempDir(), port: port}
	s.start(t)
	t.Cleanup(s.kill)
	return s
}

func (s *server) start(t *testing.T) {
	t.Helper()
	s.cmd = exec.Command(s.program, "--port", s.port, "--bind", "127.0.0.1", "--dir", s.dir, "--save", "",
		"--appendonly", "no")
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+s.port); err == nil {
			c.Close()
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("redis-server does not answer")
}

func (s *server) kill() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

// store is a machine: a folder of its own, and the shared level.
func (s *server) store(t *testing.T) *cache.Store {
	t.Helper()
	level, err := redis.Open("redis://127.0.0.1:" + s.port + "/0")
	if err != nil {
		t.Fatal(err)
	}
	return cache.Open(cache.Options{Dir: t.TempDir(), Shared: level})
}

func get(t *testing.T, s *cache.Store, i int) (compiled bool) {
	t.Helper()
	h := cache.NewHasher()
	h.Add("n", fmt.Sprint(i))
	k := h.Key("k")
	text := fmt.Sprintf("code of %d", i)
	err := s.Do(context.Background(), k, func(e *cache.Entry) error {
		if got := string(e.Stage("ptx")); got != text {
			t.Errorf("got %q", got)
		}
		return nil
	}, func() (*cache.Entry, error) {
		compiled = true
		return &cache.Entry{Key: k, Options: json.RawMessage("{}"), Code: "ptx",
			Stages: []cache.Stage{{Name: "ptx", Data: []byte(text)}}}, nil
	})
	if err != nil {
		t.Error(err)
	}
	return compiled
}

// What one machine compiles, another finds.
func TestShared(t *testing.T) {
	srv := newServer(t)
	a, b := srv.store(t), srv.store(t)
	for i := range 10 {
		if !get(t, a, i) {
			t.Errorf("%d was there before", i)
		}
	}
	a.Close() // waits until all is written
	for i := range 10 {
		if get(t, b, i) {
			t.Errorf("%d is compiled again", i)
		}
	}
	if s := b.Stats(); s.Shared != 10 || s.Compiled != 0 {
		t.Errorf("%+v", s)
	}
	b.Close()
	if get(t, b, 1) {
		t.Error("what came from the shared level is not kept on disk")
	}
}

// An entry that is not what it should be is not used.
func TestChecked(t *testing.T) {
	srv := newServer(t)
	level, err := redis.Open("redis://127.0.0.1:" + srv.port)
	if err != nil {
		t.Fatal(err)
	}
	defer level.Close()
	h := cache.NewHasher()
	h.Add("n", "1")
	if err := level.Put(context.Background(), h.Key("k").String(), []byte("rubbish")); err != nil {
		t.Fatal(err)
	}
	s := srv.store(t)
	defer s.Close()
	if !get(t, s, 1) || s.Stats().Damaged != 1 {
		t.Errorf("%+v", s.Stats())
	}
}

// The server is killed and started again in the middle: no error, only compilations.
func TestLoss(t *testing.T) {
	srv := newServer(t)
	a := srv.store(t)
	for i := range 5 {
		get(t, a, i)
	}
	srv.kill()
	start := time.Now()
	for i := 5; i < 30; i++ {
		if !get(t, a, i) {
			t.Errorf("%d was there before", i)
		}
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("without the server, 25 kernels took %v", took)
	}
	srv.start(t)
	b := srv.store(t)
	for i := range 30 {
		get(t, b, i)
		if get(t, a, i) {
			t.Errorf("%d is compiled again", i)
		}
	}
	b.Close()
	a.Close()
	c := srv.store(t)
	defer c.Close()
	for i := range 30 {
		if get(t, c, i) {
			t.Errorf("%d was not shared after the server came back", i)
		}
	}
}

func TestBadAddress(t *testing.T) {
	if _, err := redis.Open("http://x"); err == nil {
		t.Error("an address that is not Redis's is taken")
	}
	for _, address := range []string{"redis://user:pass word@host", "redis://user:password@host:port",
		"redis://user:password%@host"} {
		if _, err := redis.Open(address); err == nil || strings.Contains(err.Error(), "word") {
			t.Errorf("%v says the password, or nothing", err)
		}
	}
}

// quiet counts what the client prints.
type quiet struct{ said []string }

func (q *quiet) Printf(_ context.Context, format string, v ...any) {
	q.said = append(q.said, fmt.Sprintf(format, v...))
}

// A server that is not there costs a moment, and the program's standard error gets nothing of it.
func TestNobodyThere(t *testing.T) {
	q := &quiet{}
	client.SetLogger(q)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	level, err := redis.Open("redis://" + address)
	if err != nil {
		t.Fatal(err)
	}
	defer level.Close()
	start := time.Now()
	if _, err := level.Get(t.Context(), "k"); err == nil {
		t.Error("an answer from nobody")
	}
	if err := level.Put(t.Context(), "k", nil); err == nil {
		t.Error("kept by nobody")
	}
	if took := time.Since(start); took > 5*time.Second || len(q.said) > 0 {
		t.Errorf("after %v: %q", took, q.said)
	}
}
