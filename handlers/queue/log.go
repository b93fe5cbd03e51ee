package queue

import "github.com/rs/zerolog"

// counter is a number in a log line, with its name.
type counter struct {
	name string
	n    int
}

// logCounts logs what a step did: at info if it did something, at debug if not. Counters
// that are zero are left out.
func logCounts(log *zerolog.Logger, did bool, message string, counters ...counter) {
	event := log.Debug()
	if did {
		event = log.Info()
	}
	for _, c := range counters {
		if c.n != 0 {
			event.Int(c.name, c.n)
		}
	}
	event.Msg(message)
}
