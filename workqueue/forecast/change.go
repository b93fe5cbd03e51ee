package forecast

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/matching"
)

// Change is what would be different: a what-if. The zero value changes nothing. JSON field names
// are part of the API's contract.
type Change struct {
	AddWorkers     []NewWorker    `json:"addWorkers,omitempty" doc:"workers to add"`
	WithoutWorkers []string       `json:"withoutWorkers,omitempty" doc:"names of workers to remove; their items wait again"`
	Priorities     map[string]int `json:"priorities,omitempty" doc:"priorities of waiting items, by their ids"`
	PauseQueues    []string       `json:"pauseQueues,omitempty" doc:"queues whose waiting and arriving items stay where they are"`
	Capacities     map[string]int `json:"capacities,omitempty" doc:"slots of workers, by name"`

	// ArrivalsPercent is added to what arrives by the statistics: 20 is 20 % more, -100 nothing.
	ArrivalsPercent float64 `json:"arrivalsPercent,omitempty" doc:"how much more arrives than the statistics say, in percent; -100 is nothing"`
}

// NewWorker is a worker that does not exist yet. It starts with the forecast.
type NewWorker struct {
	Capacity int               `json:"capacity" doc:"its slots"`
	Labels   map[string]string `json:"labels,omitempty" doc:"its labels; true, false and numbers are read as such"`

	// like is the worker whose labels, channels and queues it has; nil: labels as given, all queues and
	// channels.
	like *assign.SimWorker
}

// IsZero reports whether nothing changes.
func (c *Change) IsZero() bool {
	return len(c.AddWorkers)+len(c.WithoutWorkers)+len(c.Priorities)+len(c.PauseQueues)+len(c.Capacities) == 0 && c.ArrivalsPercent == 0
}

// mostSlots bounds the slots of a worker, and mostAdded the workers that are added.
const mostSlots, mostAdded = 10_000, 1000

// ChangeError is returned for a what-if that cannot be applied, with everything that is wrong.
type ChangeError struct{ Err error }

func (e *ChangeError) Error() string { return e.Err.Error() }

// Unwrap returns the joined errors.
func (e *ChangeError) Unwrap() error { return e.Err }

// apply changes a copy of the situation.
func (c *Change) apply(r *Present, s *assign.Situation) error {
	var errs []error
	for _, name := range c.WithoutWorkers {
		at, err := findWorker(s, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		removeWorker(s, at)
	}
	for _, name := range sortedKeys(c.Capacities) {
		at, err := findWorker(s, name)
		switch slots := c.Capacities[name]; {
		case err != nil:
			errs = append(errs, err)
		case slots < 0 || slots > mostSlots:
			errs = append(errs, fmt.Errorf("capacity of worker %q: got %d, want 0 to %d", name, slots, mostSlots))
		default:
			s.Workers[at].Capacity = slots
		}
	}
	errs = append(errs, c.addWorkers(s), c.changeItems(r, s))
	if c.ArrivalsPercent < -100 || c.ArrivalsPercent > 10_000 {
		errs = append(errs, fmt.Errorf("arrivals: got %+v %%, want -100 to 10000", c.ArrivalsPercent))
	}
	if err := errors.Join(errs...); err != nil {
		return &ChangeError{err}
	}
	return nil
}

func findWorker(s *assign.Situation, name string) (int, error) {
	at := slices.IndexFunc(s.Workers, func(w assign.SimWorker) bool { return strings.EqualFold(w.Name, name) })
	if at >= 0 {
		return at, nil
	}
	var names []string
	for i := range s.Workers {
		names = append(names, s.Workers[i].Name)
	}
	if len(names) == 0 {
		return -1, fmt.Errorf("there is no live worker %q; no worker is alive", name)
	}
	return -1, fmt.Errorf("there is no live worker %q; live workers: %s", name, listed(names))
}

// listed lists the first names.
func listed(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// removeWorker removes a worker. What it holds waits again, as if it had been drained.
func removeWorker(s *assign.Situation, at int) {
	id := s.Workers[at].WorkerID
	s.Workers = slices.Delete(s.Workers, at, at+1)
	for i := range s.Items {
		if it := &s.Items[i]; it.Holder == id {
			it.Holder, it.Running, it.Takes = 0, false, 0
			it.Due = s.At
		}
	}
}

func (c *Change) addWorkers(s *assign.Situation) error {
	var errs []error
	if len(c.AddWorkers) > mostAdded {
		return fmt.Errorf("%d workers to add: want at most %d", len(c.AddWorkers), mostAdded)
	}
	id := int64(0)
	for i := range s.Workers {
		id = max(id, s.Workers[i].WorkerID)
	}
	for n, w := range c.AddWorkers {
		if w.Capacity < 1 || w.Capacity > mostSlots {
			errs = append(errs, fmt.Errorf("capacity of a worker to add: got %d, want 1 to %d", w.Capacity, mostSlots))
			continue
		}
		id++
		one := assign.SimWorker{WorkerLoad: workqueue.WorkerLoad{}}
		if w.like != nil {
			one = *w.like
		}
		one.WorkerID, one.Name, one.Capacity, one.AvailableSince, one.Fault = id, fmt.Sprintf("new-%d", n+1), w.Capacity, s.At, nil
		if len(w.Labels) > 0 {
			labels, err := labelsOf(w.Labels)
			if err != nil {
				errs = append(errs, fmt.Errorf("labels of a worker to add: %w", err))
				continue
			}
			one.Labels = labels
		}
		s.Workers = append(s.Workers, one)
	}
	return errors.Join(errs...)
}

// labelsOf returns labels as a worker stores them.
func labelsOf(texts map[string]string) (workqueue.JSONText, error) {
	labels := matching.Labels{}
	for key, text := range texts {
		value, err := matching.ParseValue(text)
		if err != nil {
			return "", fmt.Errorf("%s: %w", key, err)
		}
		labels[key] = value
	}
	return workqueue.JSONText(labels.JSON()), nil
}

func (c *Change) changeItems(r *Present, s *assign.Situation) error {
	var errs []error
	at := make(map[int64]int, len(s.Items))
	if len(c.Priorities) > 0 {
		for i := range s.Items {
			at[s.Items[i].ID] = i
		}
	}
	for _, text := range sortedKeys(c.Priorities) {
		var id int64
		_, err := fmt.Sscan(text, &id)
		i, ok := at[id]
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("priority of item %q: want the id of an item", text))
		case !ok:
			errs = append(errs, fmt.Errorf("item %d does not wait and does not run, or its queue is paused", id))
		case !workqueue.ItemPriorityRange(c.Priorities[text]):
			errs = append(errs, fmt.Errorf("priority %d of item %d: want a number of 32 bits", c.Priorities[text], id))
		default:
			s.Items[i].Priority = c.Priorities[text]
		}
	}
	for _, queue := range c.PauseQueues {
		if r.queues[queue] == nil {
			errs = append(errs, fmt.Errorf("there is no queue %q; queues: %s", queue, listed(sortedKeys(r.queues))))
		}
		s.Items = slices.DeleteFunc(s.Items, func(it assign.SimItem) bool { return it.QueueName == queue && !it.Running })
	}
	return errors.Join(errs...)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// text describes a number of equal new workers.
func (w *NewWorker) text(n int) string {
	words := []string{fmt.Sprintf("a new worker with %d slots", w.Capacity)}
	if n > 1 {
		words[0] = fmt.Sprintf("%d new workers with %d slots each", n, w.Capacity)
	}
	for _, key := range sortedKeys(w.Labels) {
		words = append(words, key+"="+w.Labels[key])
	}
	return strings.Join(words, " ")
}

// Text describes the change in words, for tables: "2 new workers with 4 slots each, arrivals +20 %".
func (c *Change) Text() string {
	var parts []string
	for rest := c.AddWorkers; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].text(1) == rest[0].text(1) {
			n++
		}
		parts, rest = append(parts, rest[0].text(n)), rest[n:]
	}
	for _, name := range c.WithoutWorkers {
		parts = append(parts, "without worker "+name)
	}
	for _, name := range sortedKeys(c.Capacities) {
		parts = append(parts, fmt.Sprintf("worker %s with %d slots", name, c.Capacities[name]))
	}
	for _, id := range sortedKeys(c.Priorities) {
		parts = append(parts, fmt.Sprintf("item %s with priority %d", id, c.Priorities[id]))
	}
	for _, queue := range c.PauseQueues {
		parts = append(parts, "queue "+queue+" paused")
	}
	if c.ArrivalsPercent != 0 {
		parts = append(parts, fmt.Sprintf("arrivals %+g %%", c.ArrivalsPercent))
	}
	return cmp.Or(strings.Join(parts, ", "), "no change")
}
