//go:build !nereid_run

package main

/*
#include "door.h"
*/
import "C"

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nereid-lang/nereid"
)

// config is a nereid_config.
type config struct {
	mu    sync.Mutex
	conf  nereid.Config
	cache nereid.CacheOptions
	roots []string
	env   map[string]string // nil if the file sees no variables
}

// settings holds the keys of nereid_config_set but env.NAME.
var settings = map[string]func(c *config, v string) error{
	"cache":          (*config).openCache,
	"cache_readonly": flag(func(c *config) *bool { return &c.cache.ReadOnly }),
	"cache_limit":    number(func(c *config) *int64 { return &c.cache.Limit }),
	"cache_redis":    word(func(c *config) *string { return &c.cache.Redis }),
	"cache_key":      word(func(c *config) *string { return &c.cache.Key }),
	"cache_wait_ms":  millis(func(c *config) *time.Duration { return &c.cache.Wait }),

	"strict": flag(func(c *config) *bool { return &c.conf.Strict }),
	"record": func(c *config, v string) error {
		c.conf.Record = &nereid.Recorder{File: v}
		return nil
	},

	"tune_dir":       word(func(c *config) *string { return &c.conf.Tune.Dir }),
	"tune_readonly":  flag(func(c *config) *bool { return &c.conf.Tune.ReadOnly }),
	"tune_warmup_ms": millis(func(c *config) *time.Duration { return &c.conf.Tune.Warmup }),
	"tune_rep_ms":    millis(func(c *config) *time.Duration { return &c.conf.Tune.Rep }),
	"tune_budget_ms": millis(func(c *config) *time.Duration { return &c.conf.Tune.Budget }),
	"tune_again":     flag(func(c *config) *bool { return &c.conf.Tune.Again }),
	"tune_verify":    flag(func(c *config) *bool { return &c.conf.Tune.Verify }),
	"tune_journal":   flag(func(c *config) *bool { return &c.conf.Tune.Journal }),
	"tune_store":     (*config).openStore,

	"root": func(c *config, v string) error {
		c.roots = append(c.roots, v)
		return nil
	},

	"debug":          flag(func(c *config) *bool { return &c.conf.Debug }),
	"check":          flag(func(c *config) *bool { return &c.conf.Check }),
	"always_compile": flag(func(c *config) *bool { return &c.conf.AlwaysCompile }),
	"no_lines":       flag(func(c *config) *bool { return &c.conf.NoLines }),
	"verify":         flag(func(c *config) *bool { return &c.conf.Verify }),
	"dump":           word(func(c *config) *string { return &c.conf.Dump }),
	"override":       word(func(c *config) *string { return &c.conf.Override }),
	"reproducers":    word(func(c *config) *string { return &c.conf.Reproducers }),

	"budget_source":  number(func(c *config) *int { return &c.conf.Budget.Source }),
	"budget_ops":     number(func(c *config) *int { return &c.conf.Budget.Ops }),
	"budget_time_ms": millis(func(c *config) *time.Duration { return &c.conf.Budget.Time }),
	"budget_memory":  number(func(c *config) *int64 { return &c.conf.Budget.Memory }),
}

func word(at func(*config) *string) func(*config, string) error {
	return func(c *config, v string) error {
		*at(c) = v
		return nil
	}
}

func flag(at func(*config) *bool) func(*config, string) error {
	return func(c *config, v string) error {
		if v != "0" && v != "1" {
			return fmt.Errorf("%q is neither \"0\" nor \"1\"", v)
		}
		*at(c) = v == "1"
		return nil
	}
}

func number[N int | int64](at func(*config) *N) func(*config, string) error {
	return func(c *config, v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is no integer", v)
		}
		*at(c) = N(n)
		return nil
	}
}

func millis(at func(*config) *time.Duration) func(*config, string) error {
	return func(c *config, v string) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return fmt.Errorf("%q is no number of milliseconds", v)
		}
		*at(c) = time.Duration(n * float64(time.Millisecond))
		return nil
	}
}

// openCache opens the cache in a folder.
func (c *config) openCache(v string) (err error) {
	switch v {
	case "":
		c.conf.Cache = nil
	case "env":
		c.conf.Cache = nereid.EnvCache()
	default:
		c.cache.Dir = v
		c.conf.Cache, err = nereid.OpenCache(c.cache)
	}
	return err
}

// openStore opens a file of tunings.
func (c *config) openStore(v string) (err error) {
	o := nereid.TuneStoreOptions{File: v, ReadOnly: c.conf.Tune.ReadOnly}
	c.conf.Tune.Store, err = nereid.OpenTuneStore(o)
	return err
}

// set changes a setting.
func (c *config) set(key, value string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name, ok := strings.CutPrefix(key, "env."); ok {
		c.env = maps.Clone(c.env)
		if c.env == nil {
			c.env = map[string]string{}
		}
		c.env[name] = value
		return nil
	}
	f := settings[key]
	if f == nil {
		keys := slices.Sorted(maps.Keys(settings))
		return badCall("there is no setting %q (have env.NAME, %s)", key, strings.Join(keys, ", "))
	}
	if err := f(c, value); err != nil {
		return badCall("the setting %s: %v", key, err)
	}
	return nil
}

// options returns how a module is loaded under the configuration; nil means the environment's.
func (c *config) options() (opts []nereid.LoadOption, checked bool) {
	if c == nil {
		return nil, nereid.EnvConfig().Check
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	opts = []nereid.LoadOption{nereid.With(c.conf), nereid.Roots(slices.Clone(c.roots)...)}
	if c.env != nil {
		opts = append(opts, nereid.Env(c.env))
	}
	return opts, c.conf.Check
}

//export go_config_new
func go_config_new(env C.bool, out *C.uintptr_t, err **C.nereid_error) C.int {
	return makeObject(out, err, func() (*config, error) {
		c := &config{}
		if env {
			c.conf = nereid.EnvConfig()
		}
		return c, nil
	})
}

//export go_config_set
func go_config_set(h C.uintptr_t, key, value *C.char, err **C.nereid_error) C.int {
	return run(err, func() error {
		c, err := object[config](h)
		if err != nil {
			return err
		}
		if key == nil || value == nil {
			return badCall("a setting needs a key and a value: one is NULL")
		}
		return c.set(C.GoString(key), C.GoString(value))
	})
}

//export go_config_close
func go_config_close(h C.uintptr_t) { shut[config](h) }
