package jit

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	sources "github.com/nereid-lang/nereid/internal"
	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/knob"
)

func init() { cache.Sources = sources.Hash }

// Cache keeps compiled kernels in a folder, which several processes may share.
type Cache struct{ store *cache.Store }

// CacheOptions says where a cache is and what it may do.
type CacheOptions struct {
	Dir      string // "" means NEREID_CACHE_DIR, or else `nereid` in the user's cache folder
	ReadOnly bool   // write nothing
	Limit    int64  // bytes; the least recently used kernels are removed first; 0 means no limit
	// Redis is a second level shared by machines: redis://host:6379/0. It needs the package nereid/redis.
	Redis string
	// Key signs entries in Redis; entries without its signature are refused. "" means no signatures.
	Key    string
	Logger *slog.Logger // receives problems that are no errors; may be nil

	// Wait is how long a launch waits for another process that compiles the same kernel before it compiles
	// itself; 0 means 100 ms.
	Wait time.Duration
}

// CacheStats counts the operations of a cache since it was opened.
type CacheStats struct {
	Disk     int64 // kernels found on disk
	Shared   int64 // kernels found in the shared level
	Compiled int64 // kernels compiled
	Damaged  int64 // entries that were not usable
	Evicted  int64 // kernels removed to make room
	Lost     int64 // kernels that could not be written to disk
}

// OpenCache returns a cache. If the folder does not exist and cannot be made, or is not writable, nothing is
// kept. A folder that users other than this process's and root can write to is not used, and the logger is
// told: SECURITY.md says why.
func OpenCache(o CacheOptions) (*Cache, error) {
	if o.Dir == "" {
		dir, err := cacheDir()
		if err != nil {
			return nil, err
		}
		o.Dir = dir
	}
	so := cache.Options{Dir: o.Dir, ReadOnly: o.ReadOnly, Limit: o.Limit, Secret: o.Key, Log: o.Logger,
		LockWait: o.Wait}
	if o.Redis != "" {
		level, err := cache.OpenShared(o.Redis)
		if err != nil {
			return nil, fmt.Errorf("nereid: %w", err)
		}
		so.Shared = level
	}
	return &Cache{cache.Open(so)}, nil
}

func cacheDir() (string, error) {
	dir, err := knob.CacheFolder()
	if err != nil {
		return "", fmt.Errorf("nereid: %w", err)
	}
	return dir, nil
}

// Dir returns the cache's folder.
func (c *Cache) Dir() string {
	if c == nil || c.store == nil {
		return ""
	}
	return c.store.Dir()
}

// Stats returns the counts since the cache was opened.
func (c *Cache) Stats() CacheStats {
	if c == nil || c.store == nil {
		return CacheStats{}
	}
	return CacheStats(c.store.Stats())
}

// Close waits briefly for writes to the shared level.
func (c *Cache) Close() error {
	if c == nil || c.store == nil {
		return nil
	}
	return c.store.Close()
}

// EnvCache returns the cache that the environment configures, or nil. Equal settings give the same cache. A
// program with a shared level that ends soon after compiling closes it first.
func EnvCache() *Cache {
	o := CacheOptions{Limit: knob.CacheSize.Get(), Redis: knob.CacheRedis.Get(), Key: knob.CacheKey.Get()}
	switch knob.Cache.Get() {
	case "off":
		return nil
	case "readonly":
		o.ReadOnly = true
	}
	var err error
	if o.Dir, err = cacheDir(); err != nil {
		return nil
	}
	open, _ := envCaches.LoadOrStore(o, sync.OnceValue(func() *Cache {
		o := o
		o.Logger = slog.Default() // the only way to learn of a folder that cannot be written to
		c, err := OpenCache(o)
		if err != nil { // the address of the shared level is invalid
			slog.Warn("nereid: no shared cache", "err", err)
			o.Redis = ""
			c, _ = OpenCache(o)
		}
		return c
	}))
	return open.(func() *Cache)()
}

var envCaches sync.Map // CacheOptions to func() *Cache

func (c *Config) store() *cache.Store {
	if c.Cache == nil {
		return nil
	}
	return c.Cache.store
}
