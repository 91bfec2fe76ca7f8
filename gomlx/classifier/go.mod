module github.com/nereid-lang/nereid/gomlx/classifier

go 1.26.5

require (
	github.com/gomlx/compute v0.1.3
	github.com/gomlx/gomlx v0.28.3
	github.com/nereid-lang/nereid/gomlx v0.0.0
)

require (
	github.com/ebitengine/purego v0.11.2 // indirect
	github.com/go-logr/logr v1.4.3 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	github.com/nereid-lang/nereid v0.0.0 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	golang.org/x/exp v0.0.0-20260410095643-746e56fc9e2f // indirect
	golang.org/x/sys v0.48.0 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
)

replace github.com/nereid-lang/nereid => ../..

replace github.com/nereid-lang/nereid/gomlx => ..
