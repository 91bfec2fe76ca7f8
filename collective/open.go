package collective

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/run"
)

// Config says which rank of which communicator Open opens.
type Config struct {
	Rank, Size int

	// ID is what NewID returned to one process, which opens rank 0. It is the same on all ranks.
	ID []byte
	// Rendezvous says how ranks that have no ID get one from rank 0: "tcp://host:port", where rank 0
	// listens, or "file:///path", a file that all ranks see and that does not exist before.
	Rendezvous string

	// Timeout bounds Open: how long ranks wait for each other. 0 means 5 minutes.
	Timeout time.Duration
	// Patience bounds each operation where sockets move the data: how long a rank waits for another one that
	// lives. 0 means Timeout, and less than 0 no limit.
	Patience time.Duration

	// Sockets moves the data over TCP on GPUs too: through the host's memory, and without graphs.
	Sockets bool
	// Host is the address of this machine at which sockets of other ranks reach it. "" means 127.0.0.1: all
	// ranks are on one machine. Connections are authenticated by the ID and not encrypted.
	Host string

	// Blocking makes NCCL's calls wait for other ranks themselves. Then they end neither with a context nor
	// with Timeout while they wait.
	Blocking bool
}

const defaultTimeout = 5 * time.Minute

// FromEnv returns the Config of a process that torchrun or a similar launcher has started, by the variables
// RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT.
func FromEnv() (Config, error) {
	var c Config
	for name, to := range map[string]*int{"RANK": &c.Rank, "WORLD_SIZE": &c.Size} {
		n, err := strconv.Atoi(os.Getenv(name))
		if err != nil {
			return c, fmt.Errorf("collective: the variable %s is %q, not a number: a launcher such as "+
				"torchrun sets it", name, os.Getenv(name))
		}
		*to = n
	}
	host, port := os.Getenv("MASTER_ADDR"), os.Getenv("MASTER_PORT")
	if c.Size > 1 && (host == "" || port == "") {
		return c, errors.New("collective: MASTER_ADDR or MASTER_PORT is not set: a launcher such as " +
			"torchrun sets them")
	}
	c.Rendezvous = "tcp://" + net.JoinHostPort(host, port)
	return c, nil
}

// check returns an error for a configuration that cannot be opened, and fills in what it leaves open.
func (c *Config) check() error {
	switch {
	case c.Size < 1:
		return fmt.Errorf("collective: a communicator of %d ranks", c.Size)
	case c.Rank < 0 || c.Rank >= c.Size:
		return fmt.Errorf("collective: rank %d of %d: ranks are numbered from 0", c.Rank, c.Size)
	case c.Size > 1 && len(c.ID) == 0 && c.Rendezvous == "":
		return errors.New("collective: neither ID nor Rendezvous says where the other ranks are")
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.Patience == 0 {
		c.Patience = c.Timeout
	}
	if c.Host == "" {
		c.Host = "127.0.0.1"
	}
	return nil
}

// Open opens a rank of a communicator on a device, once all ranks do. When ctx ends, also later, operations
// under way end with its error, here and on the other ranks, and so does the communicator.
func Open(ctx context.Context, dev *run.Device, cfg Config) (*Comm, error) {
	if err := core.Usable(dev); err != nil {
		return nil, err
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	ctx = core.OrBackground(ctx)
	limit, done := context.WithTimeout(ctx, cfg.Timeout)
	defer done()
	published := func() error { return nil }
	if len(cfg.ID) == 0 {
		var err error
		if cfg.ID, published, err = exchange(limit, dev, &cfg); err != nil {
			return nil, err
		}
	}
	c := &Comm{rank: cfg.Rank, size: cfg.Size, dev: dev}
	t, err := connect(ctx, limit, c, &cfg)
	if err = errors.Join(err, published()); err != nil {
		if t != nil {
			t.abort(err)
			err = errors.Join(err, t.close())
		}
		return nil, err
	}
	c.t = t
	return c, nil
}

// connect opens the transport of a device.
func connect(ctx, limit context.Context, c *Comm, cfg *Config) (transport, error) {
	if usesLibrary(c.dev, cfg.Sockets) {
		return openLibrary(ctx, limit, c, cfg)
	}
	return openSockets(ctx, limit, c, cfg)
}

// usesLibrary reports whether NCCL or RCCL moves the data of a device.
func usesLibrary(dev *run.Device, sockets bool) bool {
	_, ok := core.BackendOf(dev).(device.Accessible)
	return ok && !sockets
}

// NewID returns an ID for Config.ID. The process that calls it opens rank 0 of the communicator, on a device
// like this one and with the same Sockets and Host; the others get the bytes by any way.
func NewID(dev *run.Device, cfg Config) ([]byte, error) {
	if err := core.Usable(dev); err != nil {
		return nil, err
	}
	if usesLibrary(dev, cfg.Sockets) {
		return newLibraryID(dev)
	}
	if cfg.Host == "" {
		cfg.Host = "127.0.0.1"
	}
	return newSocketID(cfg.Host)
}

// Local returns the ranks of a communicator within this process, one for each device, which may be the same
// device several times where sockets move the data. Each rank is used by a goroutine of its own.
func Local(ctx context.Context, devs ...*run.Device) ([]*Comm, error) {
	if len(devs) == 0 {
		return nil, errors.New("collective: a communicator of 0 ranks")
	}
	for _, dev := range devs { // else the other ranks wait for one that cannot come
		if err := core.Usable(dev); err != nil {
			return nil, err
		}
		if usesLibrary(dev, false) != usesLibrary(devs[0], false) {
			return nil, fmt.Errorf("collective: ranks on %s and %s: only one of them is a GPU with a library",
				devs[0], dev)
		}
	}
	id, err := NewID(devs[0], Config{})
	if err != nil {
		return nil, err
	}
	comms, errs := make([]*Comm, len(devs)), make([]error, len(devs))
	done := make(chan int)
	for i := range devs {
		go func() {
			comms[i], errs[i] = Open(ctx, devs[i], Config{Rank: i, Size: len(devs), ID: id})
			done <- i
		}()
	}
	for range devs {
		<-done
	}
	if err := errors.Join(errs...); err != nil {
		for _, c := range comms {
			if c != nil {
				c.Close()
			}
		}
		return nil, err
	}
	return comms, nil
}
