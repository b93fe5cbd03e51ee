package workqueue

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
	"unicode/utf16"

	"botwork/internal/jsonschemas"
	"botwork/workqueue/escalation"
	"botwork/workqueue/matching"
)

// The lengths of the columns of a definition, in UTF-16 units.
const (
	queueNameMax        = 200
	queueDescriptionMax = 1000
)

// longestSpan bounds the durations of a policy: the longest that the engines can add
// to a time, 68 years.
const longestSpan = Duration(math.MaxInt32 * time.Second)

// queueName matches the names that can be used everywhere in the API.
var queueName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// QueueFault is one fault in a queue's definition.
type QueueFault struct {
	// Field is the path of the fault in the keys of the file, such as
	// "limits.perKey.rate".
	Field string `json:"field"`
	Got   string `json:"got"`
	Want  string `json:"want"`
}

func (f QueueFault) String() string {
	if f.Got == "" {
		return fmt.Sprintf("%s: want %s", f.Field, f.Want)
	}
	return fmt.Sprintf("%s: got %s, want %s", f.Field, f.Got, f.Want)
}

// QueueError lists all faults of a queue's definition.
type QueueError struct {
	Queue  string       `json:"queue"`
	Faults []QueueFault `json:"faults"`
}

func (e *QueueError) Error() string {
	texts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		texts[i] = f.String()
	}
	return fmt.Sprintf("queue %q: %s", e.Queue, strings.Join(texts, "; "))
}

// Validate checks a definition. Its error is a *QueueError with every fault.
func (q *Queue) Validate() error {
	c := queueCheck{}
	c.name(q.Name)
	if q.Description != nil {
		c.length("description", *q.Description, queueDescriptionMax)
	}
	word(&c, "consumer", q.Consumer, ConsumerWorkers, ConsumerRobots)
	if !ItemPriorityRange(q.PriorityOffset) {
		c.add("priorityOffset", fmt.Sprint(q.PriorityOffset), fmt.Sprintf("%d to %d", math.MinInt32, math.MaxInt32))
	}
	if _, err := ParseResilience(q.Resilience); err != nil {
		c.add("retry", err.Error(), "a resilience such as {\"limit\": 3, \"delay\": \"30s\"}")
	}
	word(&c, "retry.as", q.RetryAs, RetrySame, RetryCopy)
	c.distribution(q.Distribution)
	c.escalation(q)
	if q.MaxReleases < 0 || q.MaxReleases > math.MaxInt32 {
		c.add("maxReleases", fmt.Sprint(q.MaxReleases), "1 or more, or none for 5")
	}
	word(&c, "keys.unique", q.KeyScope, KeyScopeNone, KeyScopeQueue, KeyScopeGlobal)
	c.life(q.QueueLife)
	c.schema("schemas.payload", q.PayloadSchema)
	c.schema("schemas.output", q.OutputSchema)
	c.schema("schemas.analytics", q.AnalyticsSchema)
	word(&c, "payloads", q.Payloads, PayloadsVisible, PayloadsHidden)
	c.robots(q.Robots)
	c.span("checkout", q.Checkout)
	c.limits(q.QueueLimits)
	c.size("maxPayload", q.MaxPayload)
	c.size("maxOutput", q.MaxOutput)
	if n := q.KeepLog; n != nil && (*n < 0 || *n > MostKeepLog) {
		c.add("keepLog", fmt.Sprint(*n), fmt.Sprintf("0 to %d bytes (%s)", MostKeepLog, SizeText(MostKeepLog)))
	}
	if len(c.faults) > 0 {
		return &QueueError{Queue: q.Name, Faults: c.faults}
	}
	return nil
}

// distribution checks the definition of how items are given to workers.
func (c *queueCheck) distribution(text JSONText) {
	_, err := matching.ParseQueueDistribution(string(text))
	faults, _ := errors.AsType[matching.Faults](err)
	for _, f := range faults {
		got, want, cut := strings.Cut(f.Message, ", want ")
		if !cut {
			want = "a distribution such as {\"mode\": \"round-robin\"}"
		}
		c.add(strings.Join(f.WithPathPrefix("distribution").Path, "."), strings.TrimPrefix(got, "got "), want)
	}
}

// escalation checks the rules of the queue.
func (c *queueCheck) escalation(q *Queue) {
	rules, err := escalation.Parse(string(q.Escalation))
	faults, _ := errors.AsType[matching.Faults](err)
	for _, f := range faults {
		got, want, cut := strings.Cut(f.Message, ", want ")
		if !cut {
			want = "rules such as [{\"name\": \"late\", \"after\": \"10m\", \"raise\": {\"by\": 100}}]"
		}
		c.add(strings.Join(f.WithPathPrefix("escalation").Path, "."), strings.TrimPrefix(got, "got "), want)
	}
	for i, r := range rules {
		if strings.EqualFold(r.MoveTo, q.Name) && r.MoveTo != "" {
			c.add(fmt.Sprintf("escalation.%d.moveTo", i), fmt.Sprintf("%q", r.MoveTo), "another queue")
		}
	}
}

// queueCheck collects faults.
type queueCheck struct{ faults []QueueFault }

func (c *queueCheck) add(field, got, want string) {
	c.faults = append(c.faults, QueueFault{Field: field, Got: got, Want: want})
}

func (c *queueCheck) name(name string) {
	if !queueName.MatchString(name) || len(name) > queueNameMax {
		c.add("name", fmt.Sprintf("%q", name), fmt.Sprintf("1 to %d Latin letters, digits and the characters _ - .", queueNameMax))
	}
}

func (c *queueCheck) length(field, text string, limit int) {
	if n := len(utf16.Encode([]rune(text))); n > limit {
		c.add(field, fmt.Sprintf("%d characters", n), fmt.Sprintf("at most %d", limit))
	}
}

// word checks a word; "" means the first one, the default.
func word[T ~string](c *queueCheck, field string, got T, words ...T) {
	known := make([]string, len(words))
	for i, w := range words {
		if got == w || got == "" {
			return
		}
		known[i] = string(w)
	}
	last := len(known) - 1
	c.add(field, fmt.Sprintf("%q", string(got)), strings.Join(known[:last], ", ")+" or "+known[last])
}

func (c *queueCheck) life(l QueueLife) {
	c.span("ttl", l.TTL)
	word(c, "onExpiry", l.OnExpiry, ExpiryArchive, ExpiryRemove)
	if l.Retain != nil {
		c.span("retain", *l.Retain)
	}
	if l.ArchiveAge != nil {
		c.span("archive.maxAge", *l.ArchiveAge)
	}
	if l.ArchiveLimit != nil {
		c.count("archive.limit", *l.ArchiveLimit)
	}
	word(c, "deletion", l.Deletion, DeletionPhysical, DeletionLogical)
}

func (c *queueCheck) span(field string, d Duration) {
	if d < 0 || d > longestSpan {
		c.add(field, d.String(), "0s to 68 years")
	}
}

func (c *queueCheck) count(field string, n int) {
	if n < 0 || n > math.MaxInt32 {
		c.add(field, fmt.Sprint(n), fmt.Sprintf("0 to %d", math.MaxInt32))
	}
}

// size checks a number of bytes; 0 is the default.
func (c *queueCheck) size(field string, n int64) {
	if n < 0 || n > MostSize {
		c.add(field, fmt.Sprint(n), fmt.Sprintf("1 to %d bytes (%s)", int64(MostSize), SizeText(MostSize)))
	}
}

func (c *queueCheck) schema(field string, text JSONText) {
	if text == "" {
		return
	}
	if _, err := jsonschemas.Parse(string(text)); err != nil {
		c.add(field, strings.Join(schemaFaults(err), "; "), "a JSON Schema")
	}
}

func (c *queueCheck) robots(robots []QueueRobot) {
	seen := make(map[string]bool, len(robots))
	for _, r := range robots {
		field := "robots.rights." + r.Robot
		switch {
		case strings.TrimSpace(r.Robot) == "":
			c.add("robots.rights", fmt.Sprintf("%q", r.Robot), "a robot's name")
		case seen[strings.ToLower(r.Robot)]:
			// Regardless of case: SQL Server would reject it.
			c.add(field, "the robot twice", "each robot once; names that differ in case alone count as one")
		default:
			c.length(field, r.Robot, queueNameMax)
		}
		seen[strings.ToLower(r.Robot)] = true
	}
}

func (c *queueCheck) limits(l QueueLimits) {
	c.count("limits.concurrency", l.Concurrency)
	c.rate("limits.rate", l.Rate)
	c.count("limits.perKey.concurrency", l.KeyConcurrency)
	c.rate("limits.perKey.rate", l.KeyRate)
}

// rate checks that a limit has its period, and a period its limit.
func (c *queueCheck) rate(field string, r Rate) {
	if r == (Rate{}) {
		return
	}
	if r.Limit <= 0 || r.Limit > math.MaxInt32 || r.Per <= 0 || r.Per > longestSpan {
		c.add(field, fmt.Sprintf("%d in %s", r.Limit, r.Per), "a number and a period, both above 0, such as 10/1m")
	}
}
