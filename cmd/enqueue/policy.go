package enqueue

import (
	"time"

	"botwork/cmd/internal/cli"
	"botwork/internal/newitems"
	"botwork/workqueue"
)

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
		if *flag.to, err = newitems.ParsePositive(flag.text); err != nil {
			return cli.Usagef("--%s: %v", flag.name, err)
		}
	}
	if f.resilience != "" {
		if it.ResilienceConfig, err = newitems.Resilience([]byte(f.resilience)); err != nil {
			return cli.Usagef("--resilience: %v", err)
		}
	}
	if it.Conflict, err = workqueue.ParseConflictRule(f.conflict); err != nil {
		return cli.Usagef("--conflict: %v", err)
	}
	return nil
}
