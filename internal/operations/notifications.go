package operations

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/notify"
)

// Notifications are the rules of the settings, with what the database knows of their alerts. JSON field
// names are part of the command line's contract.
type Notifications struct {
	// EvaluatedAt is when a process last evaluated the rules, EvaluatedBy which; nil and "": never.
	EvaluatedAt *time.Time `json:"evaluatedAt"`
	EvaluatedBy string     `json:"evaluatedBy"`

	// Late is true if there are rules and no process has evaluated them for LateEvaluation, although
	// one did before: messages are not sent.
	Late bool `json:"late"`

	Rules    []NotificationRule   `json:"rules" nullable:"false"`
	Targets  []NotificationTarget `json:"targets" nullable:"false"`
	Messages NotificationMessages `json:"messages"`
}

// NotificationRule is a rule and its alerts.
type NotificationRule struct {
	Name    string       `json:"name"`
	Event   notify.Event `json:"event"`
	Targets []string     `json:"targets" nullable:"false"`
	GroupBy []string     `json:"groupBy" nullable:"false"`
	Urgent  bool         `json:"urgent"`
	Quiet   bool         `json:"quiet" doc:"its quiet hours hold messages now"`

	// State is firing if one of the alerts is, else pending or ok; muted if the whole rule is.
	State string          `json:"state"`
	Mute  *workqueue.Mute `json:"mute"` // nil: the rule is not muted as a whole

	// LastSentAt is the time of its latest message.
	LastSentAt *time.Time `json:"lastSentAt"`

	// Alerts are those that are not over and those of the last days, the latest first.
	Alerts []NotificationAlert `json:"alerts" nullable:"false"`
}

// NotificationAlert is one alert.
type NotificationAlert struct {
	workqueue.Alert

	// NextAt is when its next message may be sent; nil: it is over or muted.
	NextAt *time.Time      `json:"nextAt"`
	Mute   *workqueue.Mute `json:"mute"`
}

// NotificationTarget is a target, without its address.
type NotificationTarget struct {
	Name string            `json:"name"`
	Kind notify.TargetKind `json:"kind"`
}

// NotificationMessages counts the messages by what became of them. Failed ones were given up after a day.
type NotificationMessages struct {
	Waiting int64 `json:"waiting"`
	Failed  int64 `json:"failed"`
}

// NotificationStore is what Notified reads.
type NotificationStore interface {
	AlertState(ctx context.Context) (workqueue.AlertState, error)
	CountItems(ctx context.Context, f workqueue.ItemFilter) (int64, error)
}

// LateEvaluation is how long after the last evaluation of the rules the next one is late. Some process
// evaluates them each minute.
const LateEvaluation = 5 * time.Minute

// Notified returns the rules of a plan with their alerts.
func Notified(ctx context.Context, store NotificationStore, plan *notify.Plan) (Notifications, error) {
	state, err := store.AlertState(ctx)
	if err != nil {
		return Notifications{}, err
	}
	n := Notifications{EvaluatedAt: workqueue.OrNil(state.EvaluatedAt), EvaluatedBy: state.EvaluatedBy, Rules: []NotificationRule{}, Targets: []NotificationTarget{}}
	n.Late = len(plan.Rules) > 0 && n.EvaluatedAt != nil && state.Now.Sub(*n.EvaluatedAt) >= LateEvaluation
	for i := range plan.Rules {
		n.Rules = append(n.Rules, ruleOf(&plan.Rules[i], &state))
	}
	for _, t := range plan.Targets {
		n.Targets = append(n.Targets, NotificationTarget{t.Name, t.Kind})
	}
	for _, c := range []struct {
		into   *int64
		states []workqueue.State
	}{{&n.Messages.Waiting, []workqueue.State{workqueue.Ready, workqueue.Pending, workqueue.Blocked}}, {&n.Messages.Failed, []workqueue.State{workqueue.Cancelled}}} {
		if *c.into, err = store.CountItems(ctx, workqueue.ItemFilter{QueueName: workqueue.NotificationQueue, States: c.states}); err != nil {
			return n, err
		}
	}
	return n, nil
}

func ruleOf(r *notify.Rule, state *workqueue.AlertState) NotificationRule {
	out := NotificationRule{
		Name: r.Name, Event: r.Event, Targets: append([]string{}, r.Targets...), GroupBy: append([]string{}, r.GroupBy...), Urgent: r.Urgent,
		Quiet: r.QuietAt(state.Now), Alerts: []NotificationAlert{}, Mute: muteOf(state.Mutes, r.Name, ""),
	}
	phase := workqueue.AlertOK
	for _, a := range state.Alerts {
		if a.Rule != r.Name {
			continue
		}
		one := NotificationAlert{Alert: a, Mute: cmp.Or(muteOf(state.Mutes, r.Name, a.Group), out.Mute)}
		if one.Mute == nil {
			one.NextAt = r.NextAt(&a)
		}
		if a.Phase == workqueue.AlertFiring || a.Phase == workqueue.AlertPending && phase == workqueue.AlertOK {
			phase = a.Phase
		}
		if a.SentAt != nil && (out.LastSentAt == nil || a.SentAt.After(*out.LastSentAt)) {
			out.LastSentAt = a.SentAt
		}
		out.Alerts = append(out.Alerts, one)
	}
	slices.SortStableFunc(out.Alerts, func(a, b NotificationAlert) int {
		return cmp.Or(b.LastAt.Compare(a.LastAt), cmp.Compare(a.Group, b.Group))
	})
	out.State = string(phase)
	if out.Mute != nil {
		out.State = "muted"
	}
	return out
}

// muteOf returns the mute of a rule as a whole, or of one of its groups.
func muteOf(mutes []workqueue.Mute, rule, group string) *workqueue.Mute {
	i := slices.IndexFunc(mutes, func(m workqueue.Mute) bool { return m.Rule == rule && m.Group == group })
	if i < 0 {
		return nil
	}
	return &mutes[i]
}

// UnknownNameError is returned for a rule or a target that the settings do not have.
type UnknownNameError struct{ What, Name, Hint string }

func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("the settings have no %s %q of notifications", e.What, e.Name)
}

// CheckRule returns an *UnknownNameError if the plan has no such rule.
func CheckRule(plan *notify.Plan, name string) error {
	names := make([]string, len(plan.Rules))
	for i := range plan.Rules {
		names[i] = plan.Rules[i].Name
	}
	if slices.Contains(names, name) {
		return nil
	}
	return &UnknownNameError{"rule", name, strictyaml.Suggest(name, names)}
}

// SendNotification sends a message to a target and returns what the other side answered.
type SendNotification func(ctx context.Context, t notify.Target, m notify.Message) (answer string, err error)

// TestTarget sends a test message to a target of the plan and returns the answer. The test is in the
// audit log, whether or not it arrives. An unknown target is an *UnknownNameError, a message that was
// not sent a *RefusedTestError.
func TestTarget(ctx context.Context, store interface {
	RecordTest(ctx context.Context, target string) error
	Now(ctx context.Context) (time.Time, error)
}, plan *notify.Plan, send SendNotification, name string) (string, error) {
	t, ok := plan.Target(name)
	if !ok {
		names := make([]string, len(plan.Targets))
		for i := range plan.Targets {
			names[i] = plan.Targets[i].Name
		}
		return "", &UnknownNameError{"target", name, strictyaml.Suggest(name, names)}
	}
	now, err := store.Now(ctx)
	if err != nil {
		return "", err
	}
	if err := store.RecordTest(ctx, name); err != nil {
		return "", err
	}
	answer, err := send(ctx, t, notify.TestMessage(name, cmp.Or(workqueue.ActorFrom(ctx).Name, "unknown"), now))
	if err != nil {
		return "", &RefusedTestError{name, err}
	}
	return answer, nil
}

// RefusedTestError is returned when a test message was not sent.
type RefusedTestError struct {
	Target string
	Err    error
}

func (e *RefusedTestError) Error() string { return fmt.Sprintf("target %q: %v", e.Target, e.Err) }

func (e *RefusedTestError) Unwrap() error { return e.Err }
