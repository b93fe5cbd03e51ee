package workqueue_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
)

// readings is a Checker that returns one list of violations after the other.
type readings struct {
	lists [][]workqueue.Violation
	times []time.Time
	fail  error // of the second reading
}

func (r *readings) Check(context.Context, workqueue.CheckParams) (workqueue.CheckReport, error) {
	r.times = append(r.times, time.Now())
	if len(r.times) > 1 && r.fail != nil {
		return workqueue.CheckReport{}, r.fail
	}
	found := r.lists[len(r.times)-1]
	report := workqueue.CheckReport{Clean: len(found) == 0, Violations: found}
	for _, name := range workqueue.Checks() {
		n := 0
		for _, v := range found {
			if v.Check == name {
				n++
			}
		}
		report.Checks = append(report.Checks, workqueue.CheckResult{Check: name, Violations: n})
	}
	return report, nil
}

func lost(id int64, found, mark string) workqueue.Violation {
	return workqueue.Violation{Check: workqueue.CheckLostItem, ItemID: &id, Found: found, Mark: mark}
}

func TestConfirmedCheckReportsRepeatedViolations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &readings{lists: [][]workqueue.Violation{
			{lost(1, "for 5m", ""), lost(2, "", ""), lost(4, "", "fence 1")},
			{lost(1, "for 6m", ""), lost(3, "", ""), lost(4, "", "fence 2")},
		}}
		report, err := workqueue.ConfirmedCheck(t.Context(), from, workqueue.CheckParams{})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Violations) != 1 || *report.Violations[0].ItemID != 1 || report.Violations[0].Found != "for 6m" || report.Clean {
			t.Errorf("report = %+v, want item 1 with the values of the second reading", report)
		}
		if got := report.Checks[1]; got.Check != workqueue.CheckLostItem || got.Violations != 1 {
			t.Errorf("the check counts %+v, want 1", got)
		}
		if pause := from.times[1].Sub(from.times[0]); pause != workqueue.CheckPause {
			t.Errorf("%v between the readings, want %v", pause, workqueue.CheckPause)
		}
	})
}

func TestConfirmedCheckIgnoresTransientViolations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &readings{lists: [][]workqueue.Violation{{lost(1, "", "")}, {lost(2, "", "")}}}
		report, err := workqueue.ConfirmedCheck(t.Context(), from, workqueue.CheckParams{})
		if err != nil || !report.Clean || len(report.Violations) != 0 || report.Violations == nil {
			t.Errorf("report = %+v, %v, want a clean one with an empty list", report, err)
		}
	})
}

func TestConfirmedCheckReadsCleanDatabaseOnce(t *testing.T) {
	from := &readings{lists: [][]workqueue.Violation{nil}}
	if report, err := workqueue.ConfirmedCheck(t.Context(), from, workqueue.CheckParams{}); err != nil || !report.Clean || len(from.times) != 1 {
		t.Errorf("report = %+v, %v after %d readings, want a clean report after 1", report, err, len(from.times))
	}
}

func TestConfirmedCheckFailsIfSecondReadingFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("the database is away")
		from := &readings{lists: [][]workqueue.Violation{{lost(1, "", "")}}, fail: away}
		if _, err := workqueue.ConfirmedCheck(t.Context(), from, workqueue.CheckParams{}); !errors.Is(err, away) {
			t.Errorf("error %v, want %v: an unconfirmed violation does not count", err, away)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		from = &readings{lists: [][]workqueue.Violation{{lost(1, "", "")}}}
		if _, err := workqueue.ConfirmedCheck(ctx, from, workqueue.CheckParams{}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want the context's error", err)
		}
	})
}

func TestViolationSubject(t *testing.T) {
	id, name, at := int64(7), "nightly", time.Date(2026, 1, 31, 2, 0, 0, 0, time.UTC)
	for want, v := range map[string]workqueue.Violation{
		"item 7":         {ItemID: &id, Worker: &name},
		"queue nightly":  {Queue: &name},
		"worker nightly": {Worker: &name},
		"schedule nightly, planned for 2026-01-31T02:00:00Z": {Schedule: &name, PlannedAt: &at},
	} {
		if got := v.Subject(); got != want {
			t.Errorf("Subject() = %q, want %q", got, want)
		}
	}
}
