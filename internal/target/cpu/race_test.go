//go:build race && unix

package cpu_test

func init() { raceDetector = true }
