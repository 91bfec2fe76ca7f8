package txtest

import (
	"net"
	"os/exec"
	"testing"
	"time"
)

// Redis starts a real server and returns its address and a function that kills it. The test is skipped where
// there is none.
func Redis(t testing.TB) (address string, kill func()) {
	t.Helper()
	program := Tool(t, "redis-server", "valkey-server")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	cmd := exec.Command(program, "--port", port, "--bind", host, "--dir", t.TempDir(), "--save", "",
		"--appendonly", "no")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() { cmd.Process.Kill(); cmd.Wait() }
	t.Cleanup(kill)
	for range 200 {
		if c, err := net.Dial("tcp", net.JoinHostPort(host, port)); err == nil {
			c.Close()
			return "redis://" + net.JoinHostPort(host, port) + "/0", kill
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("redis-server does not answer")
	return "", nil
}
