package workqueue

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"botwork/workqueue/matching"
)

// WorkerSettings decide what a worker takes. They are those of its process, except
// where a person has set others for it.
type WorkerSettings struct {
	Capacity      int      `json:"capacity"`
	ReservedSlots int      `json:"reservedSlots"`
	Labels        JSONText `json:"labels"`
	Channels      JSONText `json:"channels"`
	Queues        JSONText `json:"queues"`
}

// WorkerOverrides are the settings that a person set for a worker, in the column
// Overrides of BotWorkers. They replace those that its process reports.
type WorkerOverrides struct {
	Capacity      *int `json:"capacity,omitempty"`
	ReservedSlots *int `json:"reservedSlots,omitempty"`

	// Labels are added to those of the process, and replace those of the same key; a
	// nil value removes the label.
	Labels map[string]any `json:"labels,omitempty"`

	// Channels and Queues replace all of the process; empty ones mean all.
	Channels *Channels `json:"channels,omitempty"`
	Queues   *[]string `json:"queues,omitempty"`
}

// ParseOverrides reads what Text wrote. Text written by hand may be invalid; then
// nothing is overridden.
func ParseOverrides(text JSONText) (WorkerOverrides, error) {
	var o WorkerOverrides
	if text == "" {
		return o, nil
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return WorkerOverrides{}, fmt.Errorf("overrides %.100q: %w; want {\"capacity\": 8, \"queues\": [\"name\"]}", string(text), err)
	}
	return o, nil
}

// Text returns the overrides as BotWorkers stores them; "" if there are none.
func (o WorkerOverrides) Text() (JSONText, error) {
	if o.None() {
		return "", nil
	}
	text, err := json.Marshal(o)
	return JSONText(text), err
}

// None reports whether nothing is overridden.
func (o WorkerOverrides) None() bool {
	return o.Capacity == nil && o.ReservedSlots == nil && len(o.Labels) == 0 && o.Channels == nil && o.Queues == nil
}

// Plus returns the overrides with those of next added; next wins.
func (o WorkerOverrides) Plus(next WorkerOverrides) WorkerOverrides {
	if next.Capacity != nil {
		o.Capacity = next.Capacity
	}
	if next.ReservedSlots != nil {
		o.ReservedSlots = next.ReservedSlots
	}
	if next.Channels != nil {
		o.Channels = next.Channels
	}
	if next.Queues != nil {
		o.Queues = next.Queues
	}
	if len(next.Labels) > 0 {
		labels := maps.Clone(o.Labels)
		if labels == nil {
			labels = map[string]any{}
		}
		maps.Copy(labels, next.Labels)
		o.Labels = labels
	}
	return o
}

// With returns the settings with a person's overrides. If the overrides or the labels
// cannot be read, it returns the rest and the reason.
func (s WorkerSettings) With(text JSONText) (WorkerSettings, error) {
	o, err := ParseOverrides(text)
	if err != nil || o.None() {
		return s, err
	}
	if o.Capacity != nil {
		s.Capacity = max(*o.Capacity, 1)
	}
	if o.ReservedSlots != nil {
		s.ReservedSlots = max(*o.ReservedSlots, 0)
	}
	var errs []error
	if o.Channels != nil {
		s.Channels, err = o.Channels.Text()
		errs = append(errs, err)
	}
	if o.Queues != nil {
		s.Queues, err = ServedText(*o.Queues)
		errs = append(errs, err)
	}
	if len(o.Labels) > 0 {
		s.Labels, err = o.labels(s.Labels)
		errs = append(errs, err)
	}
	return s, errors.Join(errs...)
}

// labels returns the labels of a process with the overrides. The automatic labels of
// the process stay.
func (o WorkerOverrides) labels(of JSONText) (JSONText, error) {
	labels, err := matching.ParseLabels(string(of))
	set := map[string]any{}
	merged := maps.Clone(labels)
	if merged == nil {
		merged = matching.Labels{}
	}
	for key, value := range o.Labels {
		switch {
		case matching.AutomaticLabel(key):
		case value == nil:
			delete(merged, key)
		default:
			set[key] = value
		}
	}
	added, setErr := matching.DecodeLabels(set)
	maps.Copy(merged, added)
	return JSONText(merged.JSON()), errors.Join(err, setErr)
}

// Check returns what is wrong with the overrides for a worker whose process reports
// these settings.
func (o WorkerOverrides) Check(reported WorkerSettings) error {
	set := map[string]any{}
	for key, value := range o.Labels {
		if matching.AutomaticLabel(key) {
			return fmt.Errorf("label %q: the worker sets it itself; choose another key", key)
		}
		if value != nil {
			set[key] = value
		}
	}
	if _, err := matching.DecodeLabels(set); err != nil {
		return fmt.Errorf("labels: %w", err)
	}
	if o.Queues != nil {
		for _, name := range *o.Queues {
			if err := CheckName(name); err != nil {
				return fmt.Errorf("queues: %w", err)
			}
		}
	}
	spec := WorkerSpec{Capacity: reported.Capacity, ReservedSlots: reported.ReservedSlots}
	if o.Capacity != nil {
		spec.Capacity = *o.Capacity
	}
	if spec.Capacity > MaxCapacity {
		return fmt.Errorf("capacity %d: want 1 to %d slots", spec.Capacity, MaxCapacity)
	}
	if o.ReservedSlots != nil {
		spec.ReservedSlots = *o.ReservedSlots
	}
	if o.Channels != nil {
		spec.Channels = *o.Channels
	} else {
		spec.Channels, _ = ParseChannels(reported.Channels) // the passes report what cannot be read
	}
	return spec.CheckSlots()
}

// WorkerSettingsError is returned for settings of a worker that do not fit together.
type WorkerSettingsError struct {
	Worker string
	Err    error
}

func (e *WorkerSettingsError) Error() string { return fmt.Sprintf("worker %q: %v", e.Worker, e.Err) }

func (e *WorkerSettingsError) Unwrap() error { return e.Err }
