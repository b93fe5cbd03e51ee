//go:build race

package simulation

func init() { raceDetector = true }
