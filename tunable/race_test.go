//go:build race

package tunable_test

const raceDetector = true
