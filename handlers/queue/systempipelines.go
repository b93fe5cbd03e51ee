package queue

import (
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/learned"
)

// SystemPipelines returns descriptions of those pipelines that assign or run items. An
// AssignTasksToWorker step whose parameters are known only in a run is left out, with an error
// that names it; the priorities of such an ExecuteWorkItems step count as all.
func SystemPipelines(s Services, of []*pipelines.Pipeline, log zerolog.Logger) (list []assign.SystemPipeline, leftOut []error) {
	for _, p := range of {
		one := assign.SystemPipeline{Name: p.Name}
		for step := range p.Each() {
			switch step.Handler {
			case AssignKind:
				params, err := AssignParams(s, step.With, log)
				if err != nil {
					leftOut = append(leftOut, fmt.Errorf("pipeline %q, step %q: its parameters are known only when it runs: %w", p.Name, step.Name, err))
					continue
				}
				one.Passes = append(one.Passes, params)
			case pipelines.ExecuteHandler:
				one.Bands = append(one.Bands, executeBand(s, step.With))
			}
		}
		if len(one.Passes)+len(one.Bands) == 0 {
			continue
		}
		if t := p.Trigger; t != nil {
			one.Wake = t.Wake
			if t.Schedule != nil {
				one.Next = func(after time.Time) time.Time { return t.Schedule.Next(after) }
			}
		}
		list = append(list, one)
	}
	return list, leftOut
}

// WhyParams returns what the reason why an item waits, and simulations, depend on besides the database.
func WhyParams(s Services, c *pipelines.Catalogue, store learned.Reader, list []assign.SystemPipeline) assign.WhyParams {
	resilience := func(integrationConfig string) workqueue.Resilience {
		p, err := c.Resolve(integrationConfig)
		if err != nil {
			return workqueue.Resilience{}
		}
		return p.Resilience
	}
	return assign.WhyParams{Profiles: s.Profiles, Learned: learned.NewEstimates(store), Resilience: resilience, Escalations: c.Escalations(), Pipelines: list}
}

// executeBand returns the priorities that an ExecuteWorkItems step runs.
func executeBand(s Services, with map[string]any) workqueue.Band {
	h, err := executeKind(s).Build(with)
	if err != nil {
		return workqueue.EveryPriority
	}
	step, ok := h.(*executeStep)
	if !ok {
		return workqueue.EveryPriority
	}
	b, err := step.band()
	if err != nil {
		return workqueue.EveryPriority
	}
	return b
}
