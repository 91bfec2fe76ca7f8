//go:build race

package bundle_test

// raceDetector is on: sync.Pool forgets at random what it is given, so that launches allocate.
const raceDetector = true
