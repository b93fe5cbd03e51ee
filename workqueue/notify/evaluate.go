package notify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

// Evaluator evaluates rules.
type Evaluator struct {
	Store Store
	Rules []Rule // complete: see Rule.Complete
	By    string // who evaluates, for the record
}

// Result is what one evaluation did.
type Result struct {
	Happenings int
	Messages   int // items that carry messages

	// More is set if a source has more to read: evaluate again at once.
	More bool
}

// forgetAfter is how long an alert that is over is kept.
const forgetAfter = 7 * 24 * time.Hour

// keepPosition is how long the position of a source is kept that no rule needs any more.
const keepPosition = 24 * time.Hour

// absence is the time without an evaluation after which nobody looked.
const absence = 2 * time.Minute

// Evaluate evaluates the rules once. workqueue.ErrEvaluated means that another process has done so
// meanwhile, which is no fault.
func (e *Evaluator) Evaluate(ctx context.Context) (Result, error) {
	state, err := e.Store.AlertState(ctx)
	if err != nil {
		return Result{}, err
	}
	return e.evaluate(ctx, state)
}

// EvaluateIfDue evaluates the rules if the last evaluation in the cluster was at least every ago, by the
// database's clock. A tenth of the time is a tolerance, since processes look at intervals.
func (e *Evaluator) EvaluateIfDue(ctx context.Context, every time.Duration) (result Result, due bool, err error) {
	state, err := e.Store.AlertState(ctx)
	if err != nil {
		return Result{}, false, err
	}
	if !state.EvaluatedAt.IsZero() && state.Now.Sub(state.EvaluatedAt) < every-every/10 {
		return Result{}, false, nil
	}
	result, err = e.evaluate(ctx, state)
	return result, true, err
}

// evaluation is one evaluation in progress.
type evaluation struct {
	*Evaluator
	state  workqueue.AlertState
	alerts map[string]map[string]*tracked // by rule and group
	out    workqueue.Evaluation
	result Result

	happenings []workqueue.Happening
	workers    []workqueue.Worker
	near       []workqueue.Happening
	held       map[string][]heldAlert // by target
}

func (e *Evaluator) evaluate(ctx context.Context, state workqueue.AlertState) (Result, error) {
	v := &evaluation{
		Evaluator: e, state: state, alerts: map[string]map[string]*tracked{}, held: map[string][]heldAlert{},
		out: workqueue.Evaluation{Version: state.Version, By: e.By, Positions: map[workqueue.HappeningSource]time.Time{}},
	}
	for _, a := range state.Alerts {
		if v.alerts[a.Rule] == nil {
			v.alerts[a.Rule] = map[string]*tracked{}
		}
		v.alerts[a.Rule][a.Group] = track(a)
	}
	if err := v.read(ctx); err != nil {
		return Result{}, err
	}
	for i := range e.Rules {
		if err := v.rule(ctx, &e.Rules[i]); err != nil {
			return Result{}, fmt.Errorf("rule %q: %w", e.Rules[i].Name, err)
		}
	}
	if err := v.summaries(); err != nil {
		return Result{}, err
	}
	if err := v.collect(); err != nil {
		return Result{}, err
	}
	if err := e.Store.CommitAlerts(ctx, v.out); err != nil {
		return Result{}, err
	}
	v.result.Happenings, v.result.Messages = len(v.out.Seen), len(v.out.Items)
	return v.result, nil
}

// read reads what happened since the last evaluation, and the conditions that several rules need.
func (v *evaluation) read(ctx context.Context) error {
	var needed []workqueue.HappeningSource
	workers, gauges, near := false, false, time.Duration(0)
	for i := range v.Rules {
		r := &v.Rules[i]
		needed = append(needed, r.sources()...)
		switch r.Event {
		case WorkerLost, WorkerStuck, NoWorker:
			workers = true
		case Backlog, Oldest:
			gauges = true
		case DeadlineAtRisk:
			near = max(near, r.Bounds.Within)
		}
	}
	// Another process may have rules that need the other sources: their positions stay.
	for source, position := range v.state.Positions {
		if v.state.Now.Sub(position) < keepPosition {
			v.out.Positions[source] = position
		}
	}
	slices.Sort(needed)
	for _, source := range slices.Compact(needed) {
		if err := v.readSource(ctx, source); err != nil {
			return err
		}
	}
	// Events are read whether or not a rule is about them, so that they do not pile up.
	if err := v.readPage(ctx, workqueue.HappeningFilter{Source: workqueue.FromEvents}); err != nil {
		return err
	}
	var err error
	if workers {
		if v.workers, err = v.Store.Workers(ctx); err != nil {
			return err
		}
	}
	if gauges {
		// Workers sample once a minute; while there is none, the evaluation does.
		if _, err := v.Store.SampleGauges(ctx); err != nil {
			return err
		}
	}
	if near > 0 {
		v.near, err = v.Store.Happenings(ctx, workqueue.HappeningFilter{Source: workqueue.FromRisk, Until: v.state.Now.Add(near)})
	}
	return err
}

// readSource reads a page of a source from its position, or begins now.
func (v *evaluation) readSource(ctx context.Context, source workqueue.HappeningSource) error {
	position, known := v.state.Positions[source]
	if !known {
		v.out.Positions[source] = v.state.Now
		return nil
	}
	// Without the overlap, what committed after the last evaluation with an earlier time would be
	// skipped.
	v.out.Positions[source] = position
	before := len(v.happenings)
	if err := v.readPage(ctx, workqueue.HappeningFilter{Source: source, Since: position.Add(-workqueue.HappeningOverlap)}); err != nil {
		return err
	}
	page := v.happenings[before:]
	if len(page) < workqueue.MaxHappenings {
		v.out.Positions[source] = later(position, v.state.Now)
		return nil
	}
	v.out.Positions[source] = later(position, page[len(page)-1].At)
	return nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (v *evaluation) readPage(ctx context.Context, f workqueue.HappeningFilter) error {
	page, err := v.Store.Happenings(ctx, f)
	if err != nil {
		return err
	}
	v.happenings = append(v.happenings, page...)
	v.out.Seen = append(v.out.Seen, page...)
	v.result.More = v.result.More || len(page) == workqueue.MaxHappenings
	return nil
}

// rule evaluates one rule.
func (v *evaluation) rule(ctx context.Context, r *Rule) error {
	alerts, open := v.alerts[r.Name], map[string]bool{}
	if alerts == nil {
		alerts = map[string]*tracked{}
		v.alerts[r.Name] = alerts
	}
	for group, a := range alerts {
		if a.Phase != workqueue.AlertOK {
			open[group] = true
		}
	}
	found := observations{}
	switch {
	case r.Event.Momentary():
		r.observeEvents(found, v.happenings, open)
	case r.Event == DeadlineAtRisk:
		r.observeRisk(found, v.near, v.state.Now)
	case r.Event.OneLabel():
		if err := r.observeSeries(ctx, v.Store, found, v.state.Now); err != nil {
			return err
		}
	default:
		r.observeWorkers(found, v.workers, v.state.Now, v.absentSince())
	}
	for group := range found {
		if alerts[group] == nil {
			alerts[group] = &tracked{Alert: workqueue.Alert{Rule: r.Name, Group: group, Phase: workqueue.AlertOK}}
		}
	}
	for group, a := range alerts {
		if err := v.recovered(ctx, r, a); err != nil {
			return err
		}
		if err := v.alert(r, a, found[group]); err != nil {
			return err
		}
	}
	return nil
}

// absentSince returns since when no process has evaluated; zero if one has.
func (v *evaluation) absentSince() time.Time {
	if v.state.EvaluatedAt.IsZero() || v.state.Now.Sub(v.state.EvaluatedAt) < absence {
		return time.Time{}
	}
	return v.state.EvaluatedAt
}

// recovered removes the pipelines of failed runs that have succeeded since.
func (v *evaluation) recovered(ctx context.Context, r *Rule, a *tracked) error {
	if r.Event != RunFailed || a.Phase == workqueue.AlertOK {
		return nil
	}
	for pipeline, failed := range a.Failed {
		runs, err := v.Store.Runs(ctx, workqueue.RunFilter{Pipeline: pipeline, Outcomes: []workqueue.RunOutcome{workqueue.RunSucceeded}, Limit: 1})
		if err != nil {
			return err
		}
		if len(runs) > 0 && runs[0].ID > failed {
			delete(a.Failed, pipeline)
			a.changed = true
		}
	}
	return nil
}

// alert moves one alert and makes its message.
func (v *evaluation) alert(r *Rule, a *tracked, o *observation) error {
	now := v.state.Now
	over := a.observe(r, o, now)
	a.Back = over && r.Event == WorkerLost && v.alive(a.About)
	muted := slices.ContainsFunc(v.state.Mutes, func(m workqueue.Mute) bool { return m.Covers(r.Name, a.Group) })
	act, status := a.decide(r, over, muted, now)
	quiet := r.QuietAt(now)
	switch {
	case muted:
		a.drop()
	case act != nothing && (quiet || a.Held):
		// What follows a held message waits with it for the summary.
		a.Held, a.changed = true, true
	case act != nothing:
		return v.message(r, a, status)
	}
	if a.Held && !quiet {
		for _, target := range r.Targets {
			v.held[target] = append(v.held[target], heldAlert{r, a})
		}
	}
	return nil
}

// alive reports whether all these workers are.
func (v *evaluation) alive(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(v.workers, func(w workqueue.Worker) bool { return w.Name == name && works(&w, v.state.Now) })
	})
}

// message makes the items of one message.
func (v *evaluation) message(r *Rule, a *tracked, status Status) error {
	m := Message{Status: status, Urgent: r.Urgent, At: v.state.Now, Alert: a.shown(r)}
	m.Title = m.Alert.Title
	if status == StatusRepeat {
		m.Title = "Still: " + m.Title
	}
	a.sent(v.state.Now)
	made, err := items(m, r.Targets, func(target string) string { return deliveryKey(&a.Alert, a.Sent, target) }, v.By)
	v.out.Items = append(v.out.Items, made...)
	return err
}

// collect adds the alerts that have changed to what is written. Alerts of rules that are gone, and those
// that are over for long, are forgotten.
func (v *evaluation) collect() error {
	rules := map[string]bool{}
	for i := range v.Rules {
		rules[v.Rules[i].Name] = true
	}
	for rule, groups := range v.alerts {
		for _, a := range groups {
			// An alert of a rule that this process does not know may be of settings that it did not read.
			done := (a.Phase == workqueue.AlertOK && !a.Held || !rules[rule]) && v.state.Now.Sub(a.LastAt) > forgetAfter
			switch {
			case a.StartedAt.IsZero(): // nothing happened yet
			case done:
				v.out.Forget = append(v.out.Forget, a.Alert)
			case a.changed:
				row, err := a.row()
				if err != nil {
					return err
				}
				v.out.Alerts = append(v.out.Alerts, row)
			}
		}
	}
	return nil
}
