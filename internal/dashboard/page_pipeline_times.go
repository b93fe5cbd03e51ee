package dashboard

import (
	"net/http"
	"slices"
	"time"

	"botwork/workqueue"
)

const (
	// The last runs of timedRuns ended items, the newest ones, show where time goes. They are looked for among
	// timedItems of the newest items, because no index has the items of a pipeline.
	timedRuns  = 100
	timedItems = 20_000
)

// stepTime is how long runs were in a step.
type stepTime struct {
	Step      string
	Runs      int
	Mean, P95 time.Duration
	Share     float64 // of the time in all steps; that of a block contains those of its steps
}

// timesOfSteps are those of the last runs of a pipeline's newest items that have ended.
type timesOfSteps struct {
	Runs  int
	Among int64 // items that were looked at, at most
	Steps []stepTime
}

// stepTimes asks where the last runs of the newest items of a pipeline spent their time. It is nil for a pipeline that runs no items, or
// has one step, and for a person who may not see the items of all its queues at once.
func (d *Dashboard) stepTimes(r *http.Request, c caller, of *pipeline) (*timesOfSteps, error) {
	queue, ok := c.scope()
	if of.Trigger != nil || len(of.Steps) < 2 || !ok {
		return nil, nil
	}
	var ended list[item]
	ask := d.asking(r)
	ask.slow(c).optional("/items", values("pipeline", of.Name, "queue", queue, "state", "completed,archived", "lookAt", itoa(timedItems), "limit", itoa(timedRuns),
		"fields", "id,stepTimes"), &ended)
	if err := ask.wait(); err != nil {
		return nil, err
	}
	return timesBySteps(of.Steps, ended.Items), nil
}

// timesBySteps adds up the times of runs by step, in the order of the pipeline; steps that it no longer has come last.
// It is nil if no run has times.
func timesBySteps(steps []step, items []item) *timesOfSteps {
	times := &timesOfSteps{Among: timedItems}
	spent := map[string][]time.Duration{}
	var order []string
	for _, s := range steps {
		order = append(order, s.Path)
	}
	total := time.Duration(0)
	for i := range items {
		one := map[string]time.Duration{}
		for _, s := range workqueue.ParseStepTimes(workqueue.JSONText(items[i].StepTimes)) {
			one[s.Step] += time.Duration(s.Ms) * time.Millisecond
			if !slices.Contains(order, s.Step) {
				order = append(order, s.Step)
			}
		}
		if len(one) > 0 {
			times.Runs++
		}
		for name, took := range one {
			spent[name] = append(spent[name], took)
			if !nested(name) {
				total += took
			}
		}
	}
	if times.Runs == 0 {
		return nil
	}
	for _, name := range order {
		times.Steps = append(times.Steps, timeOf(name, spent[name], total))
	}
	return times
}

// timeOf describes the times of a step. P95 is the smallest time that 95 of 100 runs did not exceed. Iterations that
// run at the same time may take more time than the run.
func timeOf(name string, all []time.Duration, total time.Duration) stepTime {
	t := stepTime{Step: name, Runs: len(all)}
	if len(all) == 0 {
		return t
	}
	slices.Sort(all)
	sum := time.Duration(0)
	for _, took := range all {
		sum += took
	}
	t.Mean, t.P95 = sum/time.Duration(len(all)), all[(len(all)*95+99)/100-1]
	t.Share = min(1, float64(sum)/float64(max(total, 1)))
	return t
}
