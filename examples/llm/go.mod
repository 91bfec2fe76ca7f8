module example.com/llm

go 1.26.0

require (
	github.com/nereid-lang/nereid v0.0.0
	golang.org/x/text v0.28.0
)

require (
	github.com/ebitengine/purego v0.11.2 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	golang.org/x/sys v0.48.0 // indirect
)

replace github.com/nereid-lang/nereid => ../..
