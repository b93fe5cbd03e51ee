package testdb

import (
	"os"
	"strconv"
	"time"
)

// SlowVariable is the environment variable that says how many times slower than usual
// the servers of the tests are, such as 5.
const SlowVariable = "BOTWORK_TEST_SLOW"

// Slow returns a time to wait for a server, or between two heartbeats of a worker: d,
// or longer if BOTWORK_TEST_SLOW says that the servers are slow.
func Slow(d time.Duration) time.Duration {
	if times, err := strconv.ParseFloat(os.Getenv(SlowVariable), 64); err == nil && times > 1 {
		return time.Duration(times * float64(d))
	}
	return d
}
