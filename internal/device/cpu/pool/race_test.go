//go:build race

package pool

func init() { raceDetector = true }
