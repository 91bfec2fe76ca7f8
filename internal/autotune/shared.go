package autotune

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/nereid-lang/nereid/internal/cache"
)

// Level is a store of bytes that machines share, with locks that end by themselves when their holder dies.
type Level interface {
	Get(ctx context.Context, key string) ([]byte, error)
	Put(ctx context.Context, key string, value []byte) error
	// TryLock takes the lock of a key for a time, or reports that somebody else has it.
	TryLock(ctx context.Context, key, token string, ttl time.Duration) (bool, error)
	// Extend prolongs a lock that the token's owner has, Unlock ends it.
	Extend(ctx context.Context, key, token string, ttl time.Duration) error
	Unlock(ctx context.Context, key, token string) error
}

// Shared is a Store behind a level that machines share, so that a fleet measures once. A level that does not
// answer costs measurements and nothing else.
type Shared struct {
	Level    Level
	Secret   string // signs records; records without its signature are ignored
	ReadOnly bool
	Warn     func(err error) // receives the failures of the level; may be nil

	mu    sync.Mutex
	until time.Time // the level failed: it is left alone until then
}

const (
	callTimeout = 2 * time.Second
	pause       = 10 * time.Second
	lockTTL     = 15 * time.Second
	lockPoll    = 50 * time.Millisecond
)

func (s *Shared) key(r *Record) string { return "tune:" + r.id() }

// call calls the level, unless it has just failed.
func (s *Shared) call(ctx context.Context, f func(ctx context.Context) error) error {
	s.mu.Lock()
	resting := time.Now().Before(s.until)
	s.mu.Unlock()
	if resting {
		return errResting
	}
	limited, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := f(limited)
	if err != nil && ctx.Err() == nil { // else the caller has given up, which says nothing of the level
		s.mu.Lock()
		s.until = time.Now().Add(pause)
		s.mu.Unlock()
		if s.Warn != nil {
			s.Warn(err)
		}
	}
	return err
}

var errResting = errors.New("the shared store of timings failed a moment ago")

// Load implements Store.
func (s *Shared) Load(ctx context.Context, r *Record) bool {
	var data []byte
	err := s.call(ctx, func(ctx context.Context) (err error) {
		data, err = s.Level.Get(ctx, s.key(r))
		return err
	})
	if err != nil || data == nil {
		return false
	}
	text, err := cache.Unseal(s.Secret, data)
	if err != nil {
		return false
	}
	kept, err := parse(text)
	if err != nil || !kept.fits(r) {
		return false
	}
	r.Timings, r.Best = kept.Timings, kept.Best
	return true
}

// Save implements Store.
func (s *Shared) Save(r *Record) error {
	if s.ReadOnly {
		return nil
	}
	c := *r
	c.Version = version
	text, err := json.Marshal(&c)
	if err != nil {
		return err
	}
	s.call(context.Background(), func(ctx context.Context) error {
		return s.Level.Put(ctx, s.key(r), cache.Seal(s.Secret, text))
	})
	return nil // Warn has the level's error, which is not the tuning's
}

// Lock implements Store. While it is held, it is prolonged; if the process dies, it ends after lockTTL.
func (s *Shared) Lock(ctx context.Context, r *Record) (unlock func()) {
	if s.ReadOnly {
		return func() {}
	}
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	key, token := s.key(r)+":lock", rand.Text()
	for {
		ok := false
		err := s.call(wait, func(ctx context.Context) (err error) {
			ok, err = s.Level.TryLock(ctx, key, token, lockTTL)
			return err
		})
		if err != nil {
			return func() {}
		}
		if ok {
			return s.hold(key, token)
		}
		select {
		case <-wait.Done():
			return func() {}
		case <-time.After(lockPoll):
		}
	}
}

// hold prolongs a lock until the returned function ends it.
func (s *Shared) hold(key, token string) (unlock func()) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(lockTTL / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				s.call(ctx, func(ctx context.Context) error {
					return s.Level.Extend(ctx, key, token, lockTTL)
				})
			}
		}
	}()
	return func() {
		stop()
		<-done
		s.call(context.Background(), func(ctx context.Context) error {
			return s.Level.Unlock(ctx, key, token)
		})
	}
}
