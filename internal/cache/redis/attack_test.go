package redis_test

import (
	"bufio"
	"bytes"
	"io"
	"math/rand"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/cache/redis"
)

// hostile is a server that answers HELLO and SET as an old one does, and any other command, or every one,
// with what it is told to.
func hostile(t *testing.T, fromTheStart bool, answer func(w io.Writer)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	serve := func(c net.Conn) {
		defer c.Close()
		for r := bufio.NewReader(c); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			switch line = strings.ToLower(strings.TrimSpace(line)); {
			case fromTheStart && strings.HasPrefix(line, "*"), line == "getex":
				answer(c)
			case line == "hello":
				io.WriteString(c, "-ERR unknown command\r\n")
			case line == "set":
				io.WriteString(c, "+OK\r\n")
			}
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return "redis://" + l.Addr().String()
}

func says(text string) func(io.Writer) {
	return func(w io.Writer) { io.WriteString(w, text) }
}

// slowly says one byte at a time.
func slowly(text string) func(io.Writer) {
	return func(w io.Writer) {
		for i := range text {
			if _, err := io.WriteString(w, text[i:i+1]); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// forever repeats a text until nobody listens.
func forever(text string) func(io.Writer) {
	many := bytes.Repeat([]byte(text), 1+(1<<16)/len(text))
	return func(w io.Writer) {
		for {
			if _, err := w.Write(many); err != nil {
				return
			}
		}
	}
}

// Whatever a server answers, a kernel is compiled, soon, and the process lives and stays small.
func TestAttackReplies(t *testing.T) {
	garbage := make([]byte, 1<<16)
	rand.New(rand.NewSource(1)).Read(garbage)
	attacks := map[string]func(io.Writer){
		"2^63 bytes":               says("$9223372036854775807\r\n"),
		"2^63-2 bytes":             says("$9223372036854775806\r\n"),
		"2^64 bytes":               says("$18446744073709551616\r\n"),
		"a terabyte":               says("$1099511627776\r\nx"),
		"a gigabyte":               says("$1073741824\r\nx"),
		"less than nothing":        says("$-2\r\n"),
		"far less than nothing":    says("$-9223372036854775808\r\n"),
		"2^40 items":               says("*1099511627776\r\n"),
		"2^63 items":               says("*9223372036854775807\r\n"),
		"-5 items":                 says("*-5\r\n"),
		"a map of 2^40":            says("%1099511627776\r\n"),
		"2^40 attributes":          says("|1099511627776\r\n"),
		"a push of 2^40":           says(">1099511627776\r\n"),
		"an error of 2^40 bytes":   says("!1099511627776\r\n"),
		"a text of 2^40 bytes":     says("=1099511627776\r\n"),
		"arrays in arrays":         forever("*1\r\n"),
		"an endless line":          forever("x"),
		"an endless status":        forever("+x"),
		"an endless error":         forever("-x"),
		"endless replies":          forever("$1\r\nx\r\n"),
		"empty lines":              forever("\r\n"),
		"garbage":                  says(string(garbage)),
		"zeros":                    says(strings.Repeat("\x00", 1<<16)),
		"no length":                says("$\r\n"),
		"a length of letters":      says("$abc\r\n"),
		"a header in two parts":    slowly("$9223372036854775807\r\n"),
		"a slow reply":             slowly("$5\r\n" + strings.Repeat("hello\r\n", 100)),
		"nothing":                  func(io.Writer) {},
		"a long entry, cut off":    says("$1000000\r\nnereid cache entry 1 "),
		"an array for a text":      says("*2\r\n$1\r\na\r\n$1\r\nb\r\n"),
		"an integer":               says(":7\r\n"),
		"a redirection":            says("-MOVED 1 127.0.0.1:1\r\n"),
		"a demand for a password":  says("-NOAUTH Authentication required.\r\n"),
		"half of a line and close": func(w io.Writer) { io.WriteString(w, "$10"); w.(io.Closer).Close() },
	}
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, fromTheStart := range []bool{false, true} {
				level, err := redis.Open(hostile(t, fromTheStart, attack))
				if err != nil {
					t.Fatal(err)
				}
				s := cache.Open(cache.Options{Dir: t.TempDir(), Shared: level})
				begin := time.Now()
				if !get(t, s, 1) {
					t.Error("the answer is used")
				}
				if took := time.Since(begin); took > 10*time.Second {
					t.Errorf("it took %v", took)
				}
				if get(t, s, 1) {
					t.Error("the kernel is not kept")
				}
				level.Close()
			}
		})
	}
	t.Cleanup(func() { // all attacks have ended
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); m.Sys > 1<<30 {
			t.Errorf("%d MiB were taken from the system", m.Sys>>20)
		}
	})
}
