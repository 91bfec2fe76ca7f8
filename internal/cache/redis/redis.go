// Package redis is a shared level of the cache in a Redis server: https://redis.io, or one that speaks its
// protocol.
package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Level keeps entries under a prefix, for a time after they were last written or read.
type Level struct {
	c       *redis.Client
	answers atomic.Bool // the last call had an answer
}

const (
	prefix   = "nereid:1:"
	expiry   = 30 * 24 * time.Hour
	maxValue = 65 << 20 // bytes; more than the cache keeps in an entry
)

// Open is the level at an address such as redis://user:password@host:6379/0. No connection is made before
// it is needed. A server that answers with rubbish, or with more than can be meant, is as good as none: its
// connection is ended (guard.go).
func Open(address string) (*Level, error) {
	o, err := redis.ParseURL(address)
	if bad := (*url.Error)(nil); errors.As(err, &bad) {
		err = fmt.Errorf("the address makes no sense: %w", bad.Err) // the rest of it says the password
	}
	if err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	o.DialTimeout, o.MaxRetries, o.DialerRetries = time.Second, -1, 1 // whoever asks can compile meanwhile
	o.ContextTimeoutEnabled = true
	// The protocol of old, and nothing that a server sends unasked: the guard has less to understand.
	o.Protocol, o.DisableIdentity = 2, true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	o.Dialer = guardedDialer(redis.NewDialer(o), maxValue)
	return &Level{c: redis.NewClient(o)}, nil
}

// reach is an error if nobody listens at the address: the client would write that to standard error each
// time.
func (l *Level) reach(ctx context.Context) error {
	if l.answers.Load() {
		return nil
	}
	o := l.c.Options()
	c, err := (&net.Dialer{Timeout: o.DialTimeout}).DialContext(ctx, o.Network, o.Addr)
	if err != nil {
		return err
	}
	return c.Close()
}

// Get is the value of a key, or nil.
func (l *Level) Get(ctx context.Context, key string) ([]byte, error) {
	if err := l.reach(ctx); err != nil {
		return nil, err
	}
	v, err := l.c.GetEx(ctx, prefix+key, expiry).Bytes()
	if errors.Is(err, redis.Nil) {
		v, err = nil, nil
	}
	l.answers.Store(err == nil)
	return v, err
}

// Put sets the value of a key.
func (l *Level) Put(ctx context.Context, key string, value []byte) error {
	if err := l.reach(ctx); err != nil {
		return err
	}
	err := l.c.Set(ctx, prefix+key, value, expiry).Err()
	l.answers.Store(err == nil)
	return err
}

// TryLock takes the lock of a key for a time, or reports that somebody else has it.
func (l *Level) TryLock(ctx context.Context, key, token string, ttl time.Duration) (bool, error) {
	if err := l.reach(ctx); err != nil {
		return false, err
	}
	err := l.c.SetArgs(ctx, prefix+key, token, redis.SetArgs{Mode: "NX", TTL: ttl}).Err()
	if errors.Is(err, redis.Nil) {
		l.answers.Store(true)
		return false, nil
	}
	l.answers.Store(err == nil)
	return err == nil, err
}

// Scripts act on a lock only as long as it has the caller's token: it may have ended, and be somebody else's.
const (
	extendScript = `if redis.call("get", KEYS[1]) == ARGV[1] then ` +
		`return redis.call("pexpire", KEYS[1], ARGV[2]) end return 0`
	unlockScript = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`
)

// Extend prolongs a lock that the token's owner has.
func (l *Level) Extend(ctx context.Context, key, token string, ttl time.Duration) error {
	return l.c.Eval(ctx, extendScript, []string{prefix + key}, token, ttl.Milliseconds()).Err()
}

// Unlock ends a lock that the token's owner has.
func (l *Level) Unlock(ctx context.Context, key, token string) error {
	return l.c.Eval(ctx, unlockScript, []string{prefix + key}, token).Err()
}

// Close ends the connections.
func (l *Level) Close() error { return l.c.Close() }
