package otlp

import (
	"testing"
	"time"
)

// RetryEvery changes the time between two attempts until the test ends.
func RetryEvery(t *testing.T, d time.Duration) {
	before := retryEvery
	retryEvery = d
	t.Cleanup(func() { retryEvery = before })
}

// AwaitRetry waits until the batch that was not accepted is.
func (e *Exporter) AwaitRetry() { e.retrying.Wait() }
