package workqueue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// QueueOverride says that a command has changed a queue, whose definition in the
// settings is not in force until it is defined again.
type QueueOverride struct {
	By string     `json:"by"`
	At *time.Time `json:"at"`

	// Defined is the definition in the settings as JSON, as Queue.PolicyText returns it;
	// "" if there is none.
	Defined JSONText `json:"defined"`
}

// DeletedQueue is a queue that a command has deleted although settings define it. By is the
// actor of the deletion, or "a command".
type DeletedQueue struct {
	Name string    `json:"name"`
	By   string    `json:"by"`
	At   time.Time `json:"at"`
}

// DefinedBySettings reports whether the settings of a worker, or a Go program, define the queue,
// as far as the database shows.
func (q *Queue) DefinedBySettings() bool {
	if q.Override != nil {
		return q.Override.Defined != ""
	}
	return q.DefinedBy != nil
}

// notPolicy are the keys of a queue's JSON that are not part of its definition.
var notPolicy = []string{"id", "name", "paused", "revision", "definedBy", "createdAt", "updatedAt", "override"}

// PolicyText returns the definition of the queue as JSON, with the keys of the queue's
// JSON in their order. Equal definitions give equal texts.
func (q *Queue) PolicyText() (JSONText, error) {
	policy, err := q.policy()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(policy)
	return JSONText(text), err
}

func (q *Queue) policy() (map[string]json.RawMessage, error) {
	c := *q
	if c.Description != nil && *c.Description == "" {
		c.Description = nil
	}
	c.Consumer, c.RetryAs = cmp.Or(c.Consumer, ConsumerWorkers), cmp.Or(c.RetryAs, RetrySame)
	c.KeyScope, c.Deletion = cmp.Or(c.KeyScope, KeyScopeNone), cmp.Or(c.Deletion, DeletionPhysical)
	c.OnExpiry, c.Payloads = cmp.Or(c.OnExpiry, ExpiryArchive), cmp.Or(c.Payloads, PayloadsVisible)
	c.Robots = slices.SortedStableFunc(slices.Values(c.Robots), func(a, b QueueRobot) int { return cmp.Compare(a.Robot, b.Robot) })
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var policy map[string]json.RawMessage
	if err := json.Unmarshal(text, &policy); err != nil {
		return nil, err
	}
	for _, key := range notPolicy {
		delete(policy, key)
	}
	return policy, nil
}

// QueueDifference is one setting of a queue that a command has changed. Now and Defined
// are JSON.
type QueueDifference struct {
	Key     string   `json:"key"`
	Now     JSONText `json:"now"`
	Defined JSONText `json:"defined"`
}

// Differences returns what a command has changed of the definition in the settings, by
// key; nil if no command has changed it or no settings define it.
func (q *Queue) Differences() ([]QueueDifference, error) {
	if q.Override == nil || q.Override.Defined == "" {
		return nil, nil
	}
	now, err := q.policy()
	if err != nil {
		return nil, err
	}
	var defined map[string]json.RawMessage
	if err := json.Unmarshal([]byte(q.Override.Defined), &defined); err != nil {
		return nil, err
	}
	var list []QueueDifference
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if !bytes.Equal(now[key], defined[key]) {
			list = append(list, QueueDifference{Key: key, Now: JSONText(now[key]), Defined: JSONText(defined[key])})
		}
	}
	return list, nil
}
