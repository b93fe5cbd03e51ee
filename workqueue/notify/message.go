package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"botwork/workqueue"
)

// Status is what a message says about an alert.
type Status string

// The statuses.
const (
	StatusFiring   Status = "firing"   // the first message
	StatusRepeat   Status = "repeat"   // it goes on
	StatusResolved Status = "resolved" // it is over
	StatusSummary  Status = "summary"  // what was held in quiet hours
	StatusTest     Status = "test"
)

// Message is what a target gets. It is the payload of the item that carries it, and the body of a
// webhook. Times are UTC. The JSON field names are part of the contract with receivers.
type Message struct {
	// ID identifies the message and its target. It is the same whenever the message is sent again.
	ID     string `json:"id"`
	Target string `json:"target"`

	Status Status    `json:"status"`
	Title  string    `json:"title"` // one line
	Urgent bool      `json:"urgent"`
	At     time.Time `json:"at"` // when it was decided

	Alert

	// Alerts are those of a summary; empty for other messages.
	Alerts []Alert `json:"alerts,omitempty"`
}

// Alert is an alert as a message shows it.
type Alert struct {
	Rule   string            `json:"rule"`
	Event  Event             `json:"event"`
	Group  string            `json:"group"`
	Labels map[string]string `json:"labels,omitempty"`

	State     string     `json:"state"` // firing or ok
	StartedAt time.Time  `json:"startedAt"`
	EndedAt   *time.Time `json:"endedAt"`

	// Title says in one line what happened, or that it is over. In a message with one alert, it is the
	// message's title.
	Title string `json:"title,omitempty"`

	// Text says what is the matter. Count is the number of events since the last message, Total that
	// of the whole occurrence; 0 for a condition.
	Text  string `json:"text"`
	Count int64  `json:"count"`
	Total int64  `json:"total"`

	Samples []Sample `json:"samples,omitempty"` // the first ones
}

// Sample is one event.
type Sample struct {
	At       time.Time `json:"at"`
	Text     string    `json:"text"`
	ItemID   int64     `json:"itemId,omitempty"`
	RunID    int64     `json:"runId,omitempty"`
	Queue    string    `json:"queue,omitempty"`
	Pipeline string    `json:"pipeline,omitempty"`
	Step     string    `json:"step,omitempty"`
	Worker   string    `json:"worker,omitempty"`
	Error    string    `json:"error,omitempty"`
}

// deliveryKey is the natural key of the item of a message: the occurrence of an alert, the number of the
// message in it, and the target. The start of the occurrence keeps the key different from those of an
// alert that was forgotten and counts its occurrences again.
func deliveryKey(a *workqueue.Alert, number int64, target string) string {
	key := fmt.Sprintf("%s/%s/%d/%d/%d/%s", a.Rule, a.Group, a.StartedAt.UnixMilli(), a.Occurrence, number, target)
	if len(key) > 200 {
		sum := sha256.Sum256([]byte(key))
		return hex.EncodeToString(sum[:])
	}
	return key
}

// MessageID returns the id of a message from the key of its item.
func messageID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// TestMessage returns the message of a test of a target.
func TestMessage(target, by string, now time.Time) Message {
	m := Message{ID: "test-" + now.UTC().Format("20060102T150405.000"), Target: target, Status: StatusTest, Title: "Test of the target " + target, At: now.UTC()}
	m.State, m.StartedAt = "ok", now.UTC()
	m.Text = "This is a test of Botwork's notifications, requested by " + by + "."
	return m
}

// TargetTag is the tag of the items for a target.
func TargetTag(target string) string { return "target:" + target }

// items returns an item for each target of a message.
func items(m Message, targets []string, key func(target string) string, by string) ([]workqueue.NewItem, error) {
	list := make([]workqueue.NewItem, len(targets))
	for i, target := range targets {
		m.Target = target
		natural := key(target)
		m.ID = messageID(natural)
		payload, err := json.Marshal(m)
		if err != nil {
			return nil, fmt.Errorf("write a message of rule %q: %w", m.Rule, err)
		}
		tags := []string{TargetTag(target)}
		if m.Rule != "" {
			tags = append(tags, "rule:"+m.Rule)
		}
		list[i] = workqueue.NewItem{
			QueueName: workqueue.NotificationQueue, State: workqueue.Pending, Priority: workqueue.RequestPriority, Payload: workqueue.JSONText(payload),
			NaturalKey: natural, CreatedBy: by, Tags: tags, Metadata: map[string]string{"status": string(m.Status), "title": cut(m.Title, 200)},
		}
	}
	return list, nil
}

// Plain returns the message as plain text, such as for a mail.
func (m *Message) Plain() string {
	var b strings.Builder
	alerts := m.Alerts
	if m.Status != StatusSummary {
		alerts = []Alert{m.Alert}
	}
	if m.Status == StatusTest {
		return m.Text + "\n"
	}
	for i := range alerts {
		a := &alerts[i]
		if i > 0 {
			b.WriteString("\n")
		}
		if m.Status == StatusSummary {
			fmt.Fprintf(&b, "%s\n", a.Title)
		}
		a.plain(&b)
	}
	return b.String()
}

func (a *Alert) plain(b *strings.Builder) {
	fmt.Fprintf(b, "%s\n\n", a.Text)
	fmt.Fprintf(b, "Since: %s\n", a.StartedAt.UTC().Format(time.DateTime+" UTC"))
	if a.EndedAt != nil {
		fmt.Fprintf(b, "Until: %s\n", a.EndedAt.UTC().Format(time.DateTime+" UTC"))
	}
	if a.Total > 0 {
		fmt.Fprintf(b, "Events: %d, %d of them since the last message\n", a.Total, a.Count)
	}
	if len(a.Samples) == 0 {
		return
	}
	b.WriteString("\n")
	for i := range a.Samples {
		fmt.Fprintf(b, "  %s\n", a.Samples[i].Line())
	}
	if more := a.Count - int64(len(a.Samples)); more > 0 {
		fmt.Fprintf(b, "  … and %d more\n", more)
	}
}

// Line returns the sample in one line.
func (s *Sample) Line() string {
	parts := []string{s.At.UTC().Format(time.TimeOnly)}
	for _, part := range []struct{ name, value string }{
		{"item", number(s.ItemID)}, {"run", number(s.RunID)}, {"queue", s.Queue}, {"pipeline", s.Pipeline}, {"step", s.Step}, {"worker", s.Worker}, {"error", s.Error},
	} {
		if part.value != "" {
			parts = append(parts, part.name+" "+part.value)
		}
	}
	line := strings.Join(parts, " ")
	if s.Text != "" {
		line += ": " + s.Text
	}
	return line
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
