package queue

import (
	"github.com/rs/zerolog"

	"botwork/handlers"
)

// counter is a number that a step reports, with its name.
type counter struct {
	name string
	n    int
}

// reportCounts reports the numbers of a step to its run, whose log line has the sums of all
// steps, and logs them at debug level without zeros.
func reportCounts(call *handlers.Call, log zerolog.Logger, message string, counters ...counter) {
	event := log.Debug()
	for _, c := range counters {
		call.Count(c.name, c.n)
		if c.n != 0 {
			event.Int(c.name, c.n)
		}
	}
	event.Msg(message)
}
