package process

import (
	"context"
	"fmt"

	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// withBroken adds the broken pipelines of the catalogue to a worker's labels, so that no
// worker assigns their items to this one.
func withBroken(labels workqueue.JSONText, catalogue *pipelines.Catalogue) workqueue.JSONText {
	parsed, _ := matching.ParseLabels(string(labels)) // the assignment pass reports invalid labels
	names := catalogue.BrokenNames()
	if len(names) == 0 && parsed.Broken() == nil {
		return labels
	}
	return workqueue.JSONText(parsed.WithBroken(names).JSON())
}

// label updates the labels of the worker's row for a new catalogue.
func (p *Process) label(ctx context.Context, next *pipelines.Catalogue) error {
	labels := withBroken(p.settingsLabels, next)
	if labels == p.labels {
		return nil
	}
	w := p.runner.Worker()
	if err := p.o.Store.LabelWorker(ctx, w.ID, w.InstanceID, labels); err != nil {
		return fmt.Errorf("record the broken pipelines of this worker: %w", err)
	}
	p.labels = labels
	return nil
}
