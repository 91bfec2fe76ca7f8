//go:build !race

package nereid_test

const raceDetector = false
