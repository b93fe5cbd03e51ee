package enqueue

import (
	"fmt"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/payload"
	"botwork/handlers"
	"botwork/workqueue"
)

// uniqueUntilDone is the value of --unique-until, and of unique in a line, for an item that is
// unique until it has ended.
const uniqueUntilDone = "done"

// policies parses the flags of the item's own policy, and of keys that are in use.
func (f *enqueueFlags) policies(it *workqueue.NewItem) (err error) {
	it.Attempts = f.attempts
	for _, flag := range []struct {
		name, text string
		to         *time.Duration
	}{{"timeout", f.timeout, &it.Timeout}, {"backoff", f.backoff, &it.Backoff}} {
		if flag.text == "" {
			continue
		}
		if *flag.to, err = parsePositive(flag.text); err != nil {
			return cli.Usagef("--%s: %v", flag.name, err)
		}
	}
	if f.resilience != "" {
		if it.ResilienceConfig, err = payload.Resilience([]byte(f.resilience)); err != nil {
			return cli.Usagef("--resilience: %v", err)
		}
	}
	if it.Conflict, err = workqueue.ParseConflictRule(f.conflict); err != nil {
		return cli.Usagef("--conflict: %v", err)
	}
	return nil
}

// parsePositive parses a duration above 0.
func parsePositive(text string) (time.Duration, error) {
	d, err := handlers.ParseDuration(text)
	if err == nil && d <= 0 {
		err = fmt.Errorf("got %q, want more than 0s", text)
	}
	return d, err
}
