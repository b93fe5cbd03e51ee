package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// unusable is the refusal of a value that the person has entered.
func unusable(hint, format string, args ...any) *problem {
	return &problem{Status: http.StatusUnprocessableEntity, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

// newItem returns the new item that the form describes.
func (v *itemForm) newItem() (map[string]any, error) {
	body := map[string]any{}
	if v.From != "" {
		body = v.of.carried()
	}
	priority, err := v.priority()
	if err != nil {
		return nil, err
	}
	payload, err := v.payload()
	if err != nil {
		return nil, err
	}
	metadata, err := v.metadata()
	if err != nil {
		return nil, err
	}
	body["priority"] = priority
	if payload != "" {
		body["payload"] = json.RawMessage(payload)
	}
	for name, rule := range v.rules() {
		if rule.text == "" {
			continue
		}
		if !json.Valid([]byte(rule.text)) {
			return nil, unusable(wrongJSON(rule.text), "the value of %s is not JSON", name)
		}
		body[name] = json.RawMessage(rule.text)
	}
	if len(metadata) > 0 {
		body["metadata"] = metadata
	}
	if tags := lines(v.Tags); len(tags) > 0 {
		body["tags"] = tags
	}
	for name, text := range map[string]string{"pipeline": v.Pipeline, "queue": v.Queue, "in": v.In, "key": v.Key} {
		if text != "" || name == "pipeline" {
			body[name] = text
		}
	}
	for name, at := range v.times() {
		if at.text == formTimeOf(at.was) && at.was != nil {
			body[name] = at.was.Format(time.RFC3339Nano) // to the fraction of a second
		} else if at.text != "" {
			body[name] = at.text
		}
	}
	return body, nil
}

// changes returns the values that the person has changed.
func (v *itemForm) changes() (map[string]any, error) {
	body := map[string]any{}
	was := &v.of
	priority, err := v.priority()
	if err != nil {
		return nil, err
	}
	if priority != was.Priority-v.offset(was.QueueName) {
		body["priority"] = priority
	}
	payload, err := v.payload()
	if err != nil {
		return nil, err
	}
	switch {
	case payload == pretty(was.Payload):
	case payload == "":
		body["payload"] = nil
	default:
		body["payload"] = json.RawMessage(payload)
	}
	if v.Queue != "" && v.Queue != was.QueueName {
		body["queue"] = v.Queue
	}
	if v.In != "" {
		body["in"] = v.In
	}
	tags := lines(v.Tags)
	without := func(all, other []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(tag string) bool { return slices.Contains(other, tag) })
	}
	if added := without(tags, was.Tags); len(added) > 0 {
		body["addTags"] = added
	}
	if removed := without(was.Tags, tags); len(removed) > 0 {
		body["removeTags"] = removed
	}
	if err := v.changeMetadata(body); err != nil {
		return nil, err
	}
	if err := v.changeRules(body); err != nil {
		return nil, err
	}
	for name, at := range v.times() {
		switch {
		case at.text == formTimeOf(at.was):
		case at.text == "":
			body[name] = nil
		default:
			body[name] = at.text
		}
	}
	return body, nil
}

func (v *itemForm) changeMetadata(body map[string]any) error {
	if strings.TrimSpace(v.Metadata) == pretty(v.of.Metadata) {
		return nil
	}
	now, err := v.metadata()
	if err != nil {
		return err
	}
	was := map[string]string{}
	if len(v.of.Metadata) > 0 {
		if err := json.Unmarshal(v.of.Metadata, &was); err != nil {
			return unusable("", "the metadata of the item is no object of texts, so it cannot be changed here")
		}
	}
	sendPairs(body, "metadata", "removeMetadata", was, now)
	return nil
}

// sendPairs adds the pairs to set and the names to remove, by their names in the API.
func sendPairs[V ~string | ~[]byte](body map[string]any, setting, removing string, was, now map[string]V) {
	set, removed := map[string]V{}, []string{}
	for name, value := range now {
		if old, ok := was[name]; !ok || string(old) != string(value) {
			set[name] = value
		}
	}
	for name := range was {
		if _, ok := now[name]; !ok {
			removed = append(removed, name)
		}
	}
	if len(set) > 0 {
		body[setting] = set
	}
	if len(removed) > 0 {
		slices.Sort(removed)
		body[removing] = removed
	}
}

// enteredRule is a rule as the person has entered it, and as the item has it, both as JSON.
type enteredRule struct{ text, was string }

// rules are where the item may run and how it is retried, by their names in the API.
func (v *itemForm) rules() map[string]enteredRule {
	return map[string]enteredRule{
		"labels":     {strings.TrimSpace(v.Labels), pretty(v.of.Labels)},
		"selectors":  {strings.TrimSpace(v.Selectors), pretty(v.of.Selectors)},
		"resilience": {strings.TrimSpace(v.Resilience), pretty(v.of.Resilience)},
	}
}

func (v *itemForm) changeRules(body map[string]any) error {
	for name, rule := range v.rules() {
		switch {
		case rule.text == rule.was:
		case rule.text != "" && !json.Valid([]byte(rule.text)):
			return unusable(wrongJSON(rule.text), "the value of %s is not JSON", name)
		case name == "labels":
			if err := changeLabels(body, rule); err != nil {
				return err
			}
		case rule.text == "":
			body[name] = nil
		default:
			body[name] = json.RawMessage(rule.text)
		}
	}
	return nil
}

// changeLabels adds the labels to set and those to remove.
func changeLabels(body map[string]any, rule enteredRule) error {
	was, now := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if rule.was != "" && json.Unmarshal([]byte(rule.was), &was) != nil {
		return unusable("", "the labels of the item are no object, so they cannot be changed here")
	}
	if rule.text != "" && json.Unmarshal([]byte(rule.text), &now) != nil {
		return unusable("", `the labels are no object, want one such as {"region": "eu"}`)
	}
	sendPairs(body, "labels", "removeLabels", was, now)
	return nil
}

func (v *itemForm) priority() (int, error) {
	priority, err := strconv.Atoi(strings.TrimSpace(v.Priority))
	if err != nil {
		return 0, unusable("", "the priority is %.50q, want a whole number such as 1000", v.Priority)
	}
	return priority, nil
}

func (v *itemForm) payload() (string, error) {
	payload := strings.TrimSpace(v.Payload)
	if payload == "" && v.Fields != nil {
		return payloadOf(v.Fields)
	}
	if payload != "" && !json.Valid([]byte(payload)) {
		return "", unusable(wrongJSON(payload), "the payload is not JSON")
	}
	return payload, nil
}

func (v *itemForm) metadata() (map[string]string, error) {
	text := strings.TrimSpace(v.Metadata)
	if text == "" {
		return nil, nil
	}
	var all map[string]string
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, unusable(wrongJSON(text), `the metadata is no object of texts, want one such as {"customer": "Ada"}`)
	}
	return all, nil
}

// enteredTime is a time as the person has entered it, and as the item has it.
type enteredTime struct {
	text string
	was  *time.Time
}

func (v *itemForm) times() map[string]enteredTime {
	return map[string]enteredTime{
		"deadline": {strings.TrimSpace(v.Deadline), v.of.DeadlineAt}, "finishBy": {strings.TrimSpace(v.FinishBy), v.of.FinishBy},
	}
}

// lines returns the lines of a text that are not empty.
func lines(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return all
}

// wrongJSON says where a text stops being JSON.
func wrongJSON(text string) string {
	var v any
	err := json.Unmarshal([]byte(text), &v)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return ""
	}
	before := text[:min(int(syntax.Offset), len(text))]
	return fmt.Sprintf("line %d: %v", 1+strings.Count(before, "\n"), syntax)
}
