package nereid_test

import (
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	_ "github.com/nereid-lang/nereid/redis"
)

// What one machine compiles, another finds by way of Redis; its loss costs compilations.
func TestCacheRedis(t *testing.T) {
	needLLVM(t)
	address, kill := txtest.Redis(t)
	for _, device := range []string{"cpu", "sim:80"} {
		s := stream(t, device)
		one, two := openCache(t, nereid.CacheOptions{Redis: address}),
			openCache(t, nereid.CacheOptions{Redis: address})
		if n := compiled(t, one, s, "k.py", pair, 3, 2); n != 1 {
			t.Errorf("%s: %d compilations on the first machine", device, n)
		}
		one.Close() // all is written
		if n := compiled(t, two, s, "k.py", pair, 3, 2); n != 0 || two.Stats().Shared != 1 {
			t.Errorf("%s: %d compilations on the second machine, %+v", device, n, two.Stats())
		}
		if n := compiled(t, two, s, "k.py", pair, 3, 2); n != 0 || two.Stats().Disk != 1 {
			t.Errorf("%s: not kept on disk: %+v", device, two.Stats())
		}
	}
	c := openCache(t, nereid.CacheOptions{Redis: address})
	kill()
	if n := compiled(t, c, stream(t, "cpu"), "k.py", pair, 3, 7); n != 1 {
		t.Errorf("%d compilations without the server", n)
	}
	if n := compiled(t, c, stream(t, "cpu"), "k.py", pair, 3, 7); n != 0 {
		t.Error("what is compiled without the server is not kept")
	}
}

// With a key, what machines without it write to Redis is refused, and replaced by what is signed.
func TestCacheRedisKey(t *testing.T) {
	needLLVM(t)
	address, _ := txtest.Redis(t)
	s := stream(t, "cpu")
	run := func(key string) nereid.CacheStats {
		c := openCache(t, nereid.CacheOptions{Redis: address, Key: key})
		compiled(t, c, s, "k.py", pair, 3, 2)
		c.Close() // all is written
		return c.Stats()
	}
	if got := run(""); got.Compiled != 1 {
		t.Errorf("at first: %+v", got)
	}
	if got := run("secret"); got.Compiled != 1 || got.Damaged != 1 || got.Shared != 0 {
		t.Errorf("what is not signed is used: %+v", got)
	}
	if got := run("secret"); got.Compiled != 0 || got.Shared != 1 {
		t.Errorf("what is signed is not used: %+v", got)
	}
	if got := run("another"); got.Compiled != 1 || got.Damaged != 1 {
		t.Errorf("what is signed with another key is used: %+v", got)
	}
}
