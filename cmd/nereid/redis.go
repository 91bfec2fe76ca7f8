//go:build redis

package main

import _ "github.com/nereid-lang/nereid/redis" // NEREID_CACHE_REDIS
