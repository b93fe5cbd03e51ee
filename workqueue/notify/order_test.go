package notify_test

import (
	"testing"
	"time"

	"botwork/workqueue/notify"
)

// current checks whether a message is not outdated, and returns what is left of it.
func (w *world) current(m notify.Message, want bool) notify.Message {
	w.Helper()
	state, err := w.store.AlertState(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	if got := m.DropOutdated(&state); got != want {
		w.Errorf("at %s the message %q is current: %v, want %v", w.now().Format(time.TimeOnly), m.Title, got, want)
	}
	return m
}

// A message is outdated when a later one about its alert was decided, also in the next occurrence.
func TestOutdatedMessages(t *testing.T) {
	slow := failures
	slow.Wait = 5 * time.Minute
	each(t, func(w *world) {
		next := func(d time.Duration, want notify.Status) notify.Message {
			w.Helper()
			w.minutes(d)
			list := w.full()
			if len(list) != 1 || list[0].Status != want {
				w.Fatalf("messages = %+v, want one with the status %s", list, want)
			}
			return list[0]
		}
		w.fail(1, "orders")
		firing := next(6*time.Minute, notify.StatusFiring)
		w.current(firing, true)
		resolved := next(15*time.Minute, notify.StatusResolved)
		w.current(firing, false)
		w.current(resolved, true)
		w.fail(1, "orders")
		w.minutes(2 * time.Minute) // the next occurrence is pending
		w.current(firing, false)
		w.current(resolved, true)
		next(4*time.Minute, notify.StatusFiring)
		w.current(resolved, false)
	}, slow)
}

// A summary keeps the alerts about which there is no later message.
func TestOutdatedPartOfASummary(t *testing.T) {
	night := failures
	night.Quiet = []notify.Quiet{{From: 12 * 60, To: 13 * 60, Zone: time.UTC}}
	night.GroupBy, night.RecoverAfter = []string{notify.LabelQueue}, 24*time.Hour
	each(t, func(w *world) {
		w.fail(1, "orders")
		w.fail(1, "default")
		w.minutes(61 * time.Minute)
		list := w.full()
		if len(list) != 1 || len(list[0].Alerts) != 2 {
			w.Fatalf("messages = %+v, want a summary of two alerts", list)
		}
		w.current(list[0], true)
		w.fail(1, "orders")
		w.minutes(61 * time.Minute)
		later := w.full()
		if len(later) != 1 || !later[0].SharesAlert(&list[0]) {
			w.Fatalf("messages = %+v, want one about a group of the summary", later)
		}
		if left := w.current(list[0], true); len(left.Alerts) != 1 || left.Alerts[0].Group != "queue=default" || left.Title != "During quiet hours: Item 2 of default failed: boom" {
			w.Errorf("the summary has %+v, want only the other group", left)
		}
	}, night)
}
