// Package redis gives a program the cache's second level, a Redis server that machines share. Importing it is
// all:
//
//	import _ "github.com/nereid-lang/nereid/redis"
//
// From then on CacheOptions.Redis and NEREID_CACHE_REDIS take an address such as
// redis://user:password@host:6379/0. The import links a Redis client with TLS, about 4 MB, which programs
// without it do not carry.
package redis

import (
	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/cache/redis"
)

func init() {
	cache.SetOpener(func(address string) (cache.Shared, error) { return redis.Open(address) })
}
