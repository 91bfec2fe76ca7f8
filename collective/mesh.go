package collective

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Connections between all ranks. The ID names a listener of rank 0 and a secret. Every rank has a listener;
// those other than 0 tell rank 0 where, and rank 0 tells all. Then each rank connects to those before it:
// by one connection for operations of all ranks and one for Send and Receive, which so need no common order.

// socketID is the ID of a communicator over sockets, as JSON.
type socketID struct {
	Addr   string `json:"addr"`
	Secret []byte `json:"secret"`
}

// listeners are those of NewID, until rank 0 is opened, by the secret.
var listeners sync.Map

// newSocketID returns an ID, with a listener for rank 0 behind it.
func newSocketID(host string) ([]byte, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, fmt.Errorf("collective: %w", err)
	}
	id := socketID{Addr: l.Addr().String(), Secret: make([]byte, 16)}
	rand.Read(id.Secret)
	listeners.Store(string(id.Secret), l)
	return json.Marshal(id)
}

// forget closes the listener behind an ID unless rank 0 has it.
func forget(id []byte) {
	var of socketID
	if json.Unmarshal(id, &of) != nil {
		return
	}
	if l, ok := listeners.LoadAndDelete(string(of.Secret)); ok {
		l.(net.Listener).Close()
	}
}

// The channels of a pair of ranks, and the one by which a rank tells rank 0 its address.
const (
	together = iota // operations of all ranks
	pairs           // Send and Receive
	channels
	join
)

// hello is the first line of a connection.
type hello struct {
	Secret  []byte `json:"secret"`
	Rank    int    `json:"rank"`
	Size    int    `json:"size"`
	Channel int    `json:"channel"`
	Addr    string `json:"addr,omitempty"` // of join
}

// table is rank 0's answer to join.
type table struct {
	Addrs []string `json:"addrs"`
	Err   string   `json:"err,omitempty"`
}

// mesh is a rank that connects to all others.
type mesh struct {
	id         socketID
	rank, size int
	listener   net.Listener
	links      [channels][]*link // by rank

	mu    sync.Mutex
	came  map[[2]int]net.Conn // connections that others have made, by rank and channel
	addrs []string            // by rank; of rank 0's table
	news  chan struct{}       // has room for one: came has changed
	bad   error               // of a rank that does not fit
}

// newMesh connects a rank to all others.
func newMesh(ctx context.Context, cfg *Config) (*mesh, error) {
	m := &mesh{rank: cfg.Rank, size: cfg.Size, came: map[[2]int]net.Conn{}, news: make(chan struct{}, 1),
		addrs: make([]string, cfg.Size)}
	for i := range m.links {
		m.links[i] = make([]*link, cfg.Size)
	}
	if cfg.Size == 1 {
		forget(cfg.ID)
		return m, nil
	}
	if err := json.Unmarshal(cfg.ID, &m.id); err != nil || len(m.id.Secret) != 16 {
		return nil, errors.New("collective: the ID is not one of sockets: NewID makes one for this kind of device")
	}
	if err := m.listen(cfg.Host); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { m.listener.Close() })
	go m.accept()
	err := m.connect(ctx)
	stop()
	m.listener.Close()
	if err != nil {
		m.close()
		return nil, fmt.Errorf("collective: rank %d of %d: %w", m.rank, m.size, err)
	}
	return m, nil
}

// listen opens this rank's listener: rank 0's is that of NewID.
func (m *mesh) listen(host string) (err error) {
	if m.rank > 0 {
		if m.listener, err = net.Listen("tcp", net.JoinHostPort(host, "0")); err != nil {
			return fmt.Errorf("collective: rank %d: %w", m.rank, err)
		}
		return nil
	}
	l, ok := listeners.LoadAndDelete(string(m.id.Secret))
	if !ok {
		return errors.New("collective: rank 0 is opened by the process that called NewID, and once")
	}
	m.listener = l.(net.Listener)
	return nil
}

// accept takes connections until the listener is closed.
func (m *mesh) accept() {
	for {
		conn, err := m.listener.Accept()
		if err != nil {
			return
		}
		go m.greet(conn)
	}
}

// greet reads the first line of a connection. Those without the secret are closed.
func (m *mesh) greet(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	h, err := readLine[hello](conn)
	if err != nil || subtle.ConstantTimeCompare(h.Secret, m.id.Secret) != 1 {
		conn.Close()
		return
	}
	_ = conn.SetDeadline(time.Time{})
	m.mu.Lock()
	defer m.mu.Unlock()
	key := [2]int{h.Rank, h.Channel}
	switch {
	case h.Size != m.size || h.Rank <= 0 || h.Rank >= m.size:
		m.bad = fmt.Errorf("rank %d of %d has come to a communicator of %d ranks", h.Rank, h.Size, m.size)
	case m.came[key] != nil:
		m.bad = fmt.Errorf("rank %d has come twice", h.Rank)
	}
	if m.bad != nil {
		_ = json.NewEncoder(conn).Encode(table{Err: m.bad.Error()})
		conn.Close()
	} else {
		m.came[key] = conn
		if h.Channel == join {
			m.addrs[h.Rank] = h.Addr
		}
	}
	select {
	case m.news <- struct{}{}:
	default:
	}
}

// connect makes the connections of this rank.
func (m *mesh) connect(ctx context.Context) error {
	if err := m.meet(ctx); err != nil {
		return err
	}
	for rank := range m.rank {
		for channel := range channels {
			conn, err := m.dial(ctx, m.addrs[rank], hello{Channel: channel})
			if err != nil {
				return &RankError{rank, err}
			}
			m.links[channel][rank] = &link{Conn: conn, rank: rank}
		}
	}
	for rank := m.rank + 1; rank < m.size; rank++ {
		for channel := range channels {
			conn, err := m.wait(ctx, rank, channel)
			if err != nil {
				return err
			}
			m.links[channel][rank] = &link{Conn: conn, rank: rank}
		}
	}
	return nil
}

// meet learns the addresses of all ranks. Rank 0 tells them when all have come.
func (m *mesh) meet(ctx context.Context) error {
	if m.rank > 0 {
		conn, err := m.dial(ctx, m.id.Addr, hello{Channel: join, Addr: m.listener.Addr().String()})
		if err != nil {
			return &RankError{0, err}
		}
		defer conn.Close()
		defer context.AfterFunc(ctx, func() { conn.Close() })()
		t, err := readLine[table](conn)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("while rank 0 waited for others: %w", context.Cause(ctx))
		case err != nil:
			return &RankError{0, fmt.Errorf("it has left before all ranks had come: %w", err)}
		case t.Err != "":
			return &RankError{0, errors.New(t.Err)}
		case len(t.Addrs) != m.size:
			return &RankError{0, fmt.Errorf("it knows %d ranks", len(t.Addrs))}
		}
		m.addrs = t.Addrs
		return nil
	}
	m.addrs[0] = m.id.Addr
	var all []net.Conn
	defer func() {
		for _, conn := range all {
			conn.Close()
		}
	}()
	for rank := 1; rank < m.size; rank++ {
		conn, err := m.wait(ctx, rank, join)
		if err != nil {
			for _, conn := range all {
				_ = json.NewEncoder(conn).Encode(table{Err: err.Error()})
			}
			return err
		}
		all = append(all, conn)
	}
	for _, conn := range all {
		if err := json.NewEncoder(conn).Encode(table{Addrs: m.addrs}); err != nil {
			return err
		}
	}
	return nil
}

// dial connects to another rank.
func (m *mesh) dial(ctx context.Context, addr string, h hello) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	h.Secret, h.Rank, h.Size = m.id.Secret, m.rank, m.size
	if err := json.NewEncoder(conn).Encode(h); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// wait returns the connection that another rank makes.
func (m *mesh) wait(ctx context.Context, rank, channel int) (net.Conn, error) {
	key := [2]int{rank, channel}
	for {
		m.mu.Lock()
		conn, bad := m.came[key], m.bad
		delete(m.came, key)
		m.mu.Unlock()
		if conn != nil || bad != nil {
			return conn, bad
		}
		select {
		case <-m.news:
		case <-ctx.Done():
			return nil, fmt.Errorf("rank %d has not come: %w", rank, context.Cause(ctx))
		}
	}
}

// readLine reads a JSON value that ends with a newline, byte by byte: what follows is not JSON.
func readLine[T any](conn net.Conn) (v T, err error) {
	const most = 1 << 16
	var line []byte
	var b [1]byte
	for len(line) < most {
		if _, err := conn.Read(b[:]); err != nil {
			return v, err
		}
		if b[0] == '\n' {
			return v, json.Unmarshal(line, &v)
		}
		line = append(line, b[0])
	}
	return v, errors.New("the first line is too long")
}

// close closes all connections.
func (m *mesh) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, conn := range m.came {
		conn.Close()
	}
	for _, list := range m.links {
		for _, l := range list {
			if l != nil {
				l.Close()
			}
		}
	}
}
