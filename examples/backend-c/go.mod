module example.com/backend-c

go 1.26.0

require (
	github.com/ebitengine/purego v0.11.2
	github.com/nereid-lang/nereid v0.0.0
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	github.com/redis/go-redis/v9 v9.23.0 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
)

replace github.com/nereid-lang/nereid => ../..
