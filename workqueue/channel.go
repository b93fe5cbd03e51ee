package workqueue

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// HighPriority is the priority above which items are high: they may use the slots
// that a worker reserves. The value itself is not high.
const HighPriority = 1000

// MaxCapacity is the largest capacity of a worker.
const MaxCapacity = 10_000

// Channel is how a worker runs the items of one channel.
type Channel struct {
	// Cost is how many slots an item of the channel uses, 1 or more.
	Cost int `json:"cost"`

	// Max is how many items of the channel run at a time; 0: as many as fit.
	Max int `json:"max,omitempty"`
}

// Channels are the channels whose items a worker runs, by name. If there are none,
// the worker runs every channel, at one slot an item. An item without a channel uses
// one slot on any worker.
type Channels map[string]Channel

// For returns how the worker runs items of a channel ("" is none); false if it does
// not run them.
func (c Channels) For(channel string) (Channel, bool) {
	if channel == "" || len(c) == 0 {
		return Channel{Cost: 1}, true
	}
	found, ok := c[channel]
	return found, ok
}

// Text returns the channels as BotWorkers stores them; "" if there are none.
func (c Channels) Text() (JSONText, error) {
	if len(c) == 0 {
		return "", nil
	}
	text, err := json.Marshal(c)
	return JSONText(text), err
}

// ParseChannels reads what Text wrote. Text written by hand may be invalid.
func ParseChannels(text JSONText) (Channels, error) {
	if text == "" {
		return nil, nil
	}
	var c Channels
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return nil, fmt.Errorf("channels %.100q: %w; want {\"name\": {\"cost\": 1, \"max\": 2}}", string(text), err)
	}
	for name, channel := range c {
		if channel.Cost < 1 || channel.Max < 0 {
			return nil, fmt.Errorf("channel %q: got cost %d and max %d, want a cost of 1 or more and no negative max", name, channel.Cost, channel.Max)
		}
	}
	return c, nil
}

// ServedText returns a list of queues as BotWorkers stores it; "" if it is empty.
func ServedText(queues []string) (JSONText, error) {
	if len(queues) == 0 {
		return "", nil
	}
	text, err := json.Marshal(queues)
	return JSONText(text), err
}

// ParseServed reads what ServedText wrote; nil serves all queues.
func ParseServed(text JSONText) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	var queues []string
	if err := json.Unmarshal([]byte(text), &queues); err != nil {
		return nil, fmt.Errorf("queues %.100q: %w; want [\"name\"]", string(text), err)
	}
	return queues, nil
}

// CheckName returns an error if the name of a queue or a channel is invalid.
func CheckName(name string) error {
	if queueName.MatchString(name) && len(name) <= queueNameMax {
		return nil
	}
	return fmt.Errorf("got the name %q, want 1 to %d Latin letters, digits and the characters _ . -", name, queueNameMax)
}

// CheckSlots checks a worker's slots: each channel must fit beside the slots that are
// reserved for high items, or its other items could never run.
func (s *WorkerSpec) CheckSlots() error {
	if s.Capacity < 1 {
		return fmt.Errorf("capacity %d: want 1 or more slots", s.Capacity)
	}
	if s.ReservedSlots < 0 || s.ReservedSlots >= s.Capacity {
		return fmt.Errorf("reservedSlots %d: want 0 to %d, less than the capacity", s.ReservedSlots, s.Capacity-1)
	}
	var errs []error
	for name, c := range s.Channels {
		if err := CheckName(name); err != nil {
			errs = append(errs, fmt.Errorf("channels: %w", err))
		}
		if most := s.Capacity - s.ReservedSlots; c.Cost < 1 || c.Cost > most {
			errs = append(errs, fmt.Errorf("channel %q: got cost %d, want 1 to %d: the capacity without the reserved slots", name, c.Cost, most))
		}
		if c.Max < 0 {
			errs = append(errs, fmt.Errorf("channel %q: got max %d, want 1 or more, or 0 for as many as fit", name, c.Max))
		}
	}
	slices.SortStableFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}
