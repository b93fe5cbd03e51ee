package newitems

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// setKey sets the value of one key of a line. null leaves the default.
func setKey(it *workqueue.NewItem, key string, raw json.RawMessage, zone *time.Location) (err error) {
	if string(raw) == "null" {
		return nil
	}
	switch key {
	case "payload":
		it.Payload = workqueue.JSONText(raw)
		return nil
	case "priority":
		if err := json.Unmarshal(raw, &it.Priority); err != nil || !workqueue.ItemPriorityRange(it.Priority) {
			return fmt.Errorf("got %.40s, want a whole number of 32 bits", raw)
		}
		return nil
	case "attempts":
		if err := json.Unmarshal(raw, &it.Attempts); err != nil || it.Attempts < 1 {
			return fmt.Errorf("got %.40s, want a whole number from 1 on; 1 means no retry", raw)
		}
		return nil
	case "resilience":
		// It replaces what the flags say about the policy.
		it.Attempts, it.Timeout, it.Backoff = 0, 0, 0
		it.ResilienceConfig, err = Resilience(raw)
		return err
	case "tags":
		return setList(&it.Tags, raw)
	case "metadata":
		return setPairs(&it.Metadata, raw)
	case "labels":
		it.Labels, err = matching.ParseLabels(string(raw))
		return err
	case "selectors":
		it.Selectors, err = matching.ParseSelectors(string(raw))
		return err
	case "pipeline":
		if raw[0] == '{' {
			it.IntegrationConfig = string(raw) // JSON is YAML as well
			return nil
		}
	case "unique":
		switch string(raw) {
		case "true":
			it.UniqueFor = workqueue.UniqueWhileUnfinished
			return nil
		case "false":
			it.UniqueFor = 0
			return nil
		}
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		want := "text"
		if key == "unique" {
			want = `true, false, "done" or a duration such as "1h"`
		}
		return fmt.Errorf("got %.40s, want %s", raw, want)
	}
	return setText(it, key, text, zone)
}

// setText sets a text value of a line.
func setText(it *workqueue.NewItem, key, text string, zone *time.Location) (err error) {
	if text == "" && slices.Contains([]string{"key", "limitKey", "deadlineIn", "finishIn", "retain"}, key) {
		// An empty text may be an error of the program that generated the line, so it is not accepted
		// as "none".
		return errors.New(`got "", want text; for none, use null or omit the key`)
	}
	switch key {
	case "pipeline":
		it.IntegrationConfig = text
	case "queue":
		it.QueueName = text
	case "key":
		it.NaturalKey = text
	case "limitKey":
		it.LimitKey = text
	case "estimatedDuration":
		it.Estimate, err = ParseEstimate(text)
	case "at":
		it.In = 0
		it.At, err = ParseTime(text, zone)
	case "in":
		it.At = time.Time{}
		it.In, err = ParseWait(text)
	case "deadline":
		it.DeadlineIn = 0
		it.Deadline, err = ParseTime(text, zone)
	case "deadlineIn":
		it.Deadline = time.Time{}
		it.DeadlineIn, err = ParseWait(text)
	case "finishBy":
		it.FinishIn = 0
		it.FinishBy, err = ParseTime(text, zone)
	case "finishIn":
		it.FinishBy = time.Time{}
		it.FinishIn, err = ParseWait(text)
	case "timeout":
		it.Timeout, err = ParsePositive(text)
	case "backoff":
		it.Backoff, err = ParsePositive(text)
	case "conflict":
		it.Conflict, err = workqueue.ParseConflictRule(text)
	case "retain":
		var retain time.Duration
		retain, err = ParseWait(text)
		it.Retain = &retain
	case "unique":
		if text == UniqueUntilDone {
			it.UniqueFor = workqueue.UniqueWhileUnfinished
			return nil
		}
		it.UniqueFor, err = ParseUniqueFor(text)
	}
	return err
}

// setList sets a list of texts. The previous value belongs to another item.
func setList(to *[]string, raw json.RawMessage) error {
	var list []*string
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("got %.40s, want a list of texts", raw)
	}
	*to = make([]string, len(list))
	for i, text := range list {
		if text == nil {
			return errors.New("got null in the list, want texts")
		}
		(*to)[i] = *text
	}
	return nil
}

// setPairs sets an object of texts.
func setPairs(to *map[string]string, raw json.RawMessage) error {
	var pairs map[string]*string
	if err := json.Unmarshal(raw, &pairs); err != nil {
		return fmt.Errorf("got %.40s, want an object of texts", raw)
	}
	*to = make(map[string]string, len(pairs))
	for key, text := range pairs {
		if text == nil {
			return fmt.Errorf("got null for %q, want texts", key)
		}
		(*to)[key] = *text
	}
	return nil
}
