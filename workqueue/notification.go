package workqueue

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// NotificationQueue is the queue of the messages to people. It is created when a process that has
// notifications starts.
const NotificationQueue = "botwork.notifications"

// NotificationStore keeps the state of alerts. An evaluation reads the state, then what happened since,
// and writes its result with CommitAlerts, in one transaction with the items that carry the messages.
// It may run in many processes at the same time: only one of them writes.
type NotificationStore interface {
	// AlertState returns what the last evaluation has written.
	AlertState(ctx context.Context) (AlertState, error)

	// Happenings lists what happened since a time and was not part of an evaluation yet, the first first.
	Happenings(ctx context.Context, f HappeningFilter) ([]Happening, error)

	// CommitAlerts writes an evaluation: all of it, or nothing. If another evaluation was written
	// since the state was read, it writes nothing: ErrEvaluated.
	CommitAlerts(ctx context.Context, e Evaluation) error

	// RaiseEvents records events for the next evaluation. Code with a transaction of its own raises
	// them in it, so that neither is without the other. Events that no evaluation reads are removed
	// after EventAge.
	RaiseEvents(ctx context.Context, events []Event) error

	// MuteAlerts stops the messages of a rule, or of one of its groups, for a time. A mute that
	// exists is replaced. UnmuteAlerts ends it; changed is false if there is none.
	MuteAlerts(ctx context.Context, m Mute, length time.Duration) error
	UnmuteAlerts(ctx context.Context, rule, group, reason string) (changed bool, err error)

	// RecordTest writes to the audit log that a person tests a target.
	RecordTest(ctx context.Context, target string) error
}

// ErrEvaluated is returned by CommitAlerts if another evaluation was written meanwhile.
var ErrEvaluated = errors.New("another process has evaluated the notifications meanwhile")

// EventAge is how long events are kept if no evaluation reads them.
const EventAge = 7 * 24 * time.Hour

// HappeningOverlap is how far before its position a source is read again: a transaction may commit later
// than the time that it has written says. What was read is remembered for as long, so that it counts
// once. Sessions that stay in a transaction are ended long before: see EndStalledSessions.
const HappeningOverlap = 10 * time.Minute

// AlertState is what an evaluation begins with.
type AlertState struct {
	// Version is raised by each evaluation. EvaluatedAt is zero before the first one.
	Version     int64
	EvaluatedAt time.Time
	EvaluatedBy string

	// Positions are up to where each source was read.
	Positions map[HappeningSource]time.Time

	Now    time.Time // by the database's clock
	Alerts []Alert
	Mutes  []Mute // those that have not ended
}

// AlertPhase is the state of an alert.
type AlertPhase string

// The states of an alert.
const (
	AlertPending AlertPhase = "pending" // the condition is true, and no message was sent yet
	AlertFiring  AlertPhase = "firing"
	AlertOK      AlertPhase = "ok" // it is over
)

// Alert is the state of one group of a rule: a row of BotAlerts. All times are UTC by the database's
// clock. JSON field names are part of the command line's contract.
type Alert struct {
	Rule  string `json:"rule"`
	Group string `json:"group"` // such as queue=orders; "" if the rule has no groups

	Phase     AlertPhase `json:"state"`
	StartedAt time.Time  `json:"startedAt"` // of this occurrence
	LastAt    time.Time  `json:"lastAt"`    // when the condition was last true, or the latest event
	EndedAt   *time.Time `json:"endedAt"`
	SentAt    *time.Time `json:"sentAt"` // the latest message of this occurrence

	// Events counts the events of this occurrence, Occurrence the occurrences.
	Events     int64 `json:"events"`
	Occurrence int64 `json:"occurrence"`

	// Memory is what later messages say; only the evaluation reads it.
	Memory JSONText `json:"-"`
}

// Mute is a rule, or one of its groups, that sends nothing for a time.
type Mute struct {
	Rule   string    `json:"rule"`
	Group  string    `json:"group"` // "": the whole rule
	Until  time.Time `json:"until"`
	Reason string    `json:"reason"`
	By     string    `json:"by"`
	At     time.Time `json:"at"`
}

// Covers reports whether the mute is about a group of a rule.
func (m *Mute) Covers(rule, group string) bool {
	return m.Rule == rule && (m.Group == "" || m.Group == group)
}

// MaxMute is the longest mute.
const MaxMute = 366 * 24 * time.Hour

// CheckMute checks the length of a mute.
func CheckMute(length time.Duration) error {
	if length < time.Minute || length > MaxMute {
		return fmt.Errorf("mute: got %s, want 1m to %s", Duration(length), Duration(MaxMute))
	}
	return nil
}

// HappeningSource is where a happening is from.
type HappeningSource string

// The sources.
const (
	FromItems    HappeningSource = "item"   // items that ended without success
	FromRuns     HappeningSource = "run"    // runs of system pipelines that failed
	FromLateRuns HappeningSource = "late"   // runs that started more than RunOnTime late
	FromMissed   HappeningSource = "missed" // planned times that no worker noticed
	FromEvents   HappeningSource = "event"  // what RaiseEvents has recorded
	FromRisk     HappeningSource = "risk"   // items that have not started and whose deadline is near
)

// Happening is something that happened.
type Happening struct {
	Source HappeningSource
	ID     int64 // of the item, the run, the record of a planned time, or the event
	At     time.Time

	Queue, Pipeline, Step, Worker string

	// Kind is the kind of the error of an item, or of the event. Text is the error, the reason or the
	// detail.
	Kind, Text string

	PlannedAt time.Time // of runs; zero: none
	ItemID    int64     // 0: none
}

// HappeningFilter selects happenings.
type HappeningFilter struct {
	Source HappeningSource

	// Since is ignored for events. Until is only for FromRisk: deadlines before it.
	Since, Until time.Time

	// Limit bounds the list; 0 means MaxHappenings, which is also the maximum.
	Limit int
}

// MaxHappenings is the largest page of happenings.
const MaxHappenings = 1000

// Evaluation is the result of one evaluation.
type Evaluation struct {
	Version   int64 // of the state that it began with
	By        string
	Positions map[HappeningSource]time.Time

	// Alerts are the alerts that have changed. Ended ones whose keys are in Forget are removed.
	Alerts []Alert
	Forget []Alert

	// Seen are the happenings that were read. What was remembered of a source before its position less
	// HappeningOverlap is forgotten, and events are removed.
	Seen []Happening

	// Items carry the messages, in the queue NotificationQueue.
	Items []NewItem
}

// Event is something that another part of the program reports, such as an escalation.
type Event struct {
	Kind string // such as escalation

	Queue, Pipeline, Worker string // "": none
	ItemID                  int64  // 0: none

	Detail string // for people
}

// NotificationDefinition returns the definition of NotificationQueue. Its items are for robots, so
// that they take no slot of a worker and count against no limit: every process that has notifications
// takes them as the robot NotificationRobot, outside of its capacity. They are retried for a day.
func NotificationDefinition() Queue {
	description := "Messages to people, made and sent by Botwork itself: see docs/notifications.md"
	week, month := Duration(7*24*time.Hour), Duration(30*24*time.Hour)
	return Queue{
		Name: NotificationQueue, Description: &description, Consumer: ConsumerRobots,
		Resilience:  `{"limit": 1000, "delay": "30s", "factor": 2, "maxDelay": "10m", "jitter": 0.1, "within": "24h"}`,
		MaxReleases: 1000,
		QueueKeys:   QueueKeys{KeyScope: KeyScopeQueue},
		QueueLife:   QueueLife{TTL: week, Retain: &week, ArchiveAge: &month},
		QueueAccess: QueueAccess{Private: true, Robots: []QueueRobot{{Robot: NotificationRobot, Read: true}}, Checkout: Duration(5 * time.Minute)},
	}
}

// NotificationRobot is the robot that takes the messages.
const NotificationRobot = "botwork.notifications"
