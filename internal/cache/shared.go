package cache

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Shared is a second level of the cache, which machines share. Its entries are checked before they are used,
// and its errors cost compilations and nothing else.
type Shared interface {
	// Get returns the value of a key, or nil where there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	Put(ctx context.Context, key string, value []byte) error
	Close() error
}

const (
	getTimeout   = 500 * time.Millisecond
	putTimeout   = 5 * time.Second
	closeTimeout = 2 * time.Second
	queued       = 256 // entries that wait to be written; more are dropped
	firstPause   = 100 * time.Millisecond
	longestPause = 30 * time.Second
)

// behind writes to a shared level in the background, and leaves a level that has failed alone for a while.
type behind struct {
	level Shared
	log   *slog.Logger
	queue chan pair
	done  chan struct{}

	mu     sync.Mutex
	closed bool
	warned bool // of the first failure
	pause  time.Duration
	until  time.Time
}

type pair struct {
	key   string
	value []byte
}

func newBehind(level Shared, log *slog.Logger) *behind {
	b := &behind{level: level, log: log, queue: make(chan pair, queued), done: make(chan struct{})}
	go b.write()
	return b
}

// resting reports whether the level is being left alone.
func (b *behind) resting() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Before(b.until)
}

// result notes how a call went: each failure in a row doubles the pause.
func (b *behind) result(what string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		b.pause = 0
		return
	}
	b.pause = min(max(2*b.pause, firstPause), longestPause)
	b.until = time.Now().Add(b.pause)
	level := slog.LevelDebug
	if !b.warned {
		level, b.warned = slog.LevelWarn, true
	}
	b.log.Log(context.Background(), level, "cache: the shared level failed", "call", what, "err", err,
		"pause", b.pause)
}

func (b *behind) get(ctx context.Context, key string) []byte {
	if b.resting() {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, getTimeout)
	defer cancel()
	v, err := b.level.Get(limited, key)
	if err != nil && ctx.Err() != nil { // the caller has given up, which says nothing of the level
		return nil
	}
	b.result("get", err)
	if err != nil {
		return nil
	}
	return v
}

// put queues an entry, or drops it where too many wait.
func (b *behind) put(key string, value []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	select {
	case b.queue <- pair{key, value}:
	default:
		b.log.Debug("cache: an entry is not shared, too many wait", "key", key)
	}
}

func (b *behind) write() {
	defer close(b.done)
	for p := range b.queue {
		if b.resting() {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), putTimeout)
		b.result("put", b.level.Put(ctx, p.key, p.value))
		cancel()
	}
}

func (b *behind) close() error {
	b.mu.Lock()
	if !b.closed {
		b.closed = true
		close(b.queue)
	}
	b.mu.Unlock()
	select {
	case <-b.done:
	case <-time.After(closeTimeout):
	}
	return b.level.Close()
}
