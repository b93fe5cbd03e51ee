package workqueue

import (
	"context"
	"fmt"
	"time"

	"botwork/workqueue/escalation"
)

// EscalationScope is what a rule of escalation belongs to.
type EscalationScope string

// The scopes of rules.
const (
	EscalateQueue    EscalationScope = "queue"    // the items of a queue
	EscalatePipeline EscalationScope = "pipeline" // the items that run a pipeline by its name, in all queues
)

// Escalation is a rule of a queue or a pipeline.
type Escalation struct {
	Scope EscalationScope `json:"scope"`
	Owner string          `json:"owner"` // the name of the queue or pipeline
	Rule  escalation.Rule `json:"rule"`
}

// String names the rule: `rule "late" of the queue "invoices"`.
func (e *Escalation) String() string {
	return fmt.Sprintf("rule %q of the %s %q", e.Rule.Name, e.Scope, e.Owner)
}

// Reason describes why the rule acts, for the audit log and for cancelled items.
func (e *Escalation) Reason() string {
	return fmt.Sprintf("escalated by %s: %s", e.String(), e.Rule.Trigger())
}

// Escalations returns the rules of the queue; none if the text of its policy, which was written by
// hand, cannot be read.
func (q *Queue) Escalations() ([]Escalation, error) {
	rules, err := escalation.Parse(string(q.Escalation))
	if err != nil {
		return nil, fmt.Errorf("escalation of the queue %q: %w", q.Name, err)
	}
	return EscalationsOf(EscalateQueue, q.Name, rules), nil
}

// EscalationsOf returns the rules as those of a queue or pipeline.
func EscalationsOf(scope EscalationScope, owner string, rules []escalation.Rule) []Escalation {
	all := make([]Escalation, len(rules))
	for i, r := range rules {
		all[i] = Escalation{Scope: scope, Owner: owner, Rule: r}
	}
	return all
}

// EscalationStore applies rules of escalation.
type EscalationStore interface {
	// EscalationFigures returns the figures that conditions read. It reads all waiting rows.
	EscalationFigures(ctx context.Context) (EscalationFigures, error)

	// EscalationTurn lets one caller of the cluster apply a rule, at most once in
	// EscalationPeriod by the database's clock; ok is false for the others. holds reports
	// whether the condition of the rule is true, or that it has none; the store records since
	// when. If it does not hold, ok is false too.
	EscalationTurn(ctx context.Context, e Escalation, holds bool) (turn EscalationTurn, ok bool, err error)

	// Escalate applies a rule to up to EscalationBatch items, in one transaction with the audit
	// log, and one statement for all of them. It changes an item only if, in that transaction, it
	// waits, is due and not deleted, its queue is not paused, and the step has not acted on it since it became due. A
	// raise also changes items that are assigned and have not started; nothing changes a running one. Rules that announce
	// (Rule.Announces) name no items: they write one entry when their condition has become true.
	//
	// Two callers with a turn of the same rule never act twice on an item.
	Escalate(ctx context.Context, turn EscalationTurn) (EscalationResult, error)

	// WouldEscalate returns on how many items, up to limit, the rule would act now if its
	// condition has been true since since (the zero time: it has none). It changes nothing.
	WouldEscalate(ctx context.Context, e Escalation, since time.Time, limit int) (int, error)

	// EscalationStates returns what rules did last, in the order of their scopes, owners and names. Step is the latest
	// step on the item with the id itemID since that became due; 0 names no item. Rules that no process has applied yet
	// are not among them; those that were removed are.
	EscalationStates(ctx context.Context, itemID int64) ([]EscalationState, error)
}

// EscalationBatch is how many items Escalate changes at a time: SQL Server locks a whole table from
// about 5,000 locks on.
const EscalationBatch = 1000

// EscalationPeriod is how often a rule is applied. It is less than the minute after which workers try
// again, so that each minute has a turn.
const EscalationPeriod = 50 * time.Second

// EscalationTurn is the right to apply a rule now.
type EscalationTurn struct {
	Escalation

	ID    int64     // of the rule in the database
	Since time.Time // since when its condition holds; the zero time: it has none
	Now   time.Time // by the database's clock

	// Began reports that the rule has not acted since its condition became true.
	Began bool

	// Operation is the key of the entry of the audit log that the batches of the turn share.
	Operation string
}

// EscalationResult is what a batch did.
type EscalationResult struct {
	Changed int               // items that the action changed, or that were reported
	Refused []*BadUpdateError // items that cannot have the new values; the step does not try them again
	More    bool              // there may be more items
}

// EscalationState is what a rule did last. JSON field names are part of the command line's contract.
type EscalationState struct {
	ID          int64
	Scope       EscalationScope
	Owner, Rule string
	ActiveSince *time.Time // nil: its condition did not hold, or it has none
	ActedAt     *time.Time // nil: never
	Items       int64      // on how many items it acted in all
	Step        int
}

// EscalationFigures are the figures of all queues and pipelines that have waiting, assigned or
// running items.
type EscalationFigures struct {
	Queues, Pipelines map[string]escalation.Figures
}

// Of returns the figures for a rule.
func (f *EscalationFigures) Of(e *Escalation) escalation.Figures {
	if e.Scope == EscalatePipeline {
		return f.Pipelines[e.Owner]
	}
	return f.Queues[e.Owner]
}
