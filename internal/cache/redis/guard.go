package redis

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// The client believes the lengths that a server announces: it allocates a string of 2^40 bytes, or an array
// of 2^30 items, before the first of them has come, and that ends the process. So a connection is watched by
// a guard, which reads along and ends it at the first reply that no honest server gives to what this package
// asks.
const (
	maxLine  = 4 << 10 // bytes of a line: a status, an error or a length
	maxItems = 256     // items of an array: a server says of itself what it is in some twenty
	maxLists = 64      // arrays in one reply, and so their depth: two for each module that the server has
)

// guard follows the replies of a server (RESP2) and knows where each begins.
type guard struct {
	max     int64 // bytes of the strings in one reply
	line    []byte
	skip    int64 // bytes that are left of a string, with the end of its line
	pending int   // items that are left of a reply
	lists   int   // arrays in the reply so far
	size    int64 // bytes of its strings
}

// feed takes the next bytes of the connection.
func (g *guard) feed(data []byte) error {
	for len(data) > 0 {
		if g.skip > 0 {
			n := min(g.skip, int64(len(data)))
			g.skip, data = g.skip-n, data[n:]
			continue
		}
		i := bytes.IndexByte(data, '\n')
		part := data[:i+1]
		if i < 0 {
			part = data
		}
		if len(g.line)+len(part) > maxLine {
			return fmt.Errorf("redis: the server sent a line of more than %d bytes", maxLine)
		}
		g.line, data = append(g.line, part...), data[len(part):]
		if i < 0 {
			return nil
		}
		if err := g.header(bytes.TrimSuffix(g.line, []byte("\r\n"))); err != nil {
			return err
		}
		g.line = g.line[:0]
	}
	return nil
}

// header takes a whole line, which begins an item.
func (g *guard) header(line []byte) error {
	if g.pending == 0 {
		g.pending, g.lists, g.size = 1, 0, 0
	}
	g.pending--
	if len(line) == 0 {
		return fmt.Errorf("redis: the server sent an empty line")
	}
	switch line[0] {
	case '+', '-', ':':
		return nil
	case '$':
		n, err := g.length(line, g.max-g.size)
		if n >= 0 {
			g.size += n
			g.skip = n + int64(len("\r\n"))
		}
		return err
	case '*':
		n, err := g.length(line, maxItems)
		if g.lists++; g.lists > maxLists && err == nil {
			return fmt.Errorf("redis: the server sent more than %d arrays at once", maxLists)
		}
		g.pending += int(max(n, 0))
		return err
	}
	return fmt.Errorf("redis: the server sent %.40q, which is no reply", line)
}

// length is the number in a line; -1 stands for nothing.
func (g *guard) length(line []byte, limit int64) (int64, error) {
	n, err := strconv.ParseInt(string(line[1:]), 10, 64)
	if err != nil || n < -1 || n > limit {
		return -1, fmt.Errorf("redis: the server announced a length of %.40q, at most %d is expected",
			line[1:], limit)
	}
	return n, nil
}

// guarded is a connection under guard.
type guarded struct {
	net.Conn
	guard  guard
	failed error
}

// Read reads on. Of what it read with a reply that is refused, nothing is handed on: the client would act on
// its length.
func (c *guarded) Read(p []byte) (int, error) {
	if c.failed != nil {
		return 0, c.failed
	}
	n, err := c.Conn.Read(p)
	if c.failed = c.guard.feed(p[:n]); c.failed != nil {
		c.Conn.Close()
		return 0, c.failed
	}
	return n, err
}

// watched is a connection that the client can ask whether the server has closed it.
type watched struct {
	*guarded
	syscall.Conn
}

// guardedDialer makes connections under guard.
func guardedDialer(dial dialer, max int64) dialer {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		g := &guarded{Conn: c, guard: guard{max: max}}
		if s, ok := c.(syscall.Conn); ok {
			return watched{g, s}, nil
		}
		return g, nil
	}
}

type dialer = func(ctx context.Context, network, addr string) (net.Conn, error)
