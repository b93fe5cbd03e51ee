package process

import (
	"context"
	"fmt"

	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// withBroken adds to a worker's labels the pipelines that the catalogue lacks because
// of mistakes, so that no worker gives their items to this one.
func withBroken(labels workqueue.JSONText, catalogue *pipelines.Catalogue) workqueue.JSONText {
	own, _ := matching.ParseLabels(string(labels)) // a pass reports what cannot be read
	names := catalogue.BrokenNames()
	if len(names) == 0 && own.Broken() == nil {
		return labels // as they are
	}
	return workqueue.JSONText(own.WithBroken(names).JSON())
}

// label brings the labels of the worker's row in step with a catalogue.
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
