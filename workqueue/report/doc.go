// Package report finds out what went wrong in a stretch of time: failures grouped by their
// cause and compared with the day before, runs of system pipelines that failed, were late or did
// not take place, workers that died, and queues that have reached their limits. It reads through
// an interface, and each read has a bound.
package report
