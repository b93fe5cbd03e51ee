package operations

import (
	"os"
	"time"

	"botwork/pipelines"
	"botwork/workqueue"
)

// PipelinePolicies returns the policies of the pipelines and since when they hold, for
// workqueue.CheckParams, and the names of the broken pipelines.
func PipelinePolicies(catalogue *pipelines.Catalogue) (policy func(config string) (workqueue.Resilience, time.Time, error), broken []string) {
	changed := map[string]time.Time{}
	for _, p := range catalogue.All() {
		if info, err := os.Stat(p.File); err == nil {
			changed[p.File] = info.ModTime()
		}
	}
	return func(config string) (workqueue.Resilience, time.Time, error) {
		p, err := catalogue.Resolve(config)
		if err != nil {
			return workqueue.Resilience{}, time.Time{}, err
		}
		return p.Resilience, changed[p.File], nil
	}, catalogue.BrokenNames()
}
