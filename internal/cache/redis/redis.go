// Package redis is a shared level of the cache in a Redis server: https://redis.io, or one that speaks its protocol.
package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Level keeps entries under a prefix, for a time after they were last written or read.
type Level struct {
	c *redis.Client
}

const (
	prefix = "nereid:1:"
	expiry = 30 * 24 * time.Hour
)

// Open is the level at an address such as redis://user:password@host:6379/0. No connection is made before it is needed.
func Open(url string) (*Level, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	o.DialTimeout, o.MaxRetries = time.Second, -1 // whoever asks can compile meanwhile
	o.ContextTimeoutEnabled = true
	return &Level{redis.NewClient(o)}, nil
}

// Get is the value of a key, or nil.
func (l *Level) Get(ctx context.Context, key string) ([]byte, error) {
	v, err := l.c.GetEx(ctx, prefix+key, expiry).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	return v, err
}

// Put sets the value of a key.
func (l *Level) Put(ctx context.Context, key string, value []byte) error {
	return l.c.Set(ctx, prefix+key, value, expiry).Err()
}

// Close ends the connections.
func (l *Level) Close() error { return l.c.Close() }
