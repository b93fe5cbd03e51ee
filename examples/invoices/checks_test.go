package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
)

// checkLedger checks that the ledger has each valid number exactly once, with the values
// of one of the files that contain it.
func checkLedger(t *testing.T, want map[string]checked, got []invoice) {
	t.Helper()
	candidates := map[string][]invoice{}
	for _, file := range want {
		for _, v := range file.good {
			candidates[v.Number] = append(candidates[v.Number], v)
		}
	}
	shared := 0
	for _, v := range got {
		if !slices.Contains(candidates[v.Number], v) {
			t.Errorf("the ledger has %+v, want one of %+v", v, candidates[v.Number])
		}
		if len(candidates[v.Number]) > 1 {
			shared++
		}
		delete(candidates, v.Number)
	}
	for number, missing := range candidates {
		t.Errorf("the ledger lacks %s of %+v, or has it twice", number, missing)
	}
	if shared == 0 {
		t.Error("no number is in two files: the example's files no longer test that")
	}
}

// checkRejections checks the rejected lines: invalid lines, and lines whose number is
// already in another file. It returns the files with rejected lines.
func checkRejections(t *testing.T, want map[string]checked, o outcome) map[string]bool {
	t.Helper()
	owners := map[string]string{}
	for _, v := range o.Invoices {
		owners[v.Number] = v.File
	}
	type place struct {
		File string
		Line int
	}
	wrong, rejected := map[place]bool{}, map[string]bool{}
	for name, file := range want {
		for line := range file.bad {
			wrong[place{name, line}] = true
		}
		for line, v := range file.good {
			if owners[v.Number] != name {
				wrong[place{name, line}] = true
			}
		}
	}
	got := map[place]bool{}
	for _, r := range o.Rejections {
		got[place{r.File, r.Line}] = true
		rejected[r.File] = true
	}
	if diff := cmp.Diff(wrong, got); diff != "" {
		t.Errorf("rejected lines (-want +got):\n%s", diff)
	}
	if len(rejected) == 0 || len(rejected) == len(want) {
		t.Errorf("%d of %d files are rejected: the example's files no longer test both cases", len(rejected), len(want))
	}
	var done []string
	for name := range want {
		if !rejected[name] {
			done = append(done, name)
		}
	}
	slices.Sort(done)
	if diff := cmp.Diff([][]string{done, slices.Sorted(maps.Keys(rejected)), {}}, [][]string{o.Done, o.Rejected, o.Inbox}); diff != "" {
		t.Errorf("files in done, rejected and inbox (-want +got):\n%s", diff)
	}
	if o.UnderWay != 0 {
		t.Errorf("%d files are still in progress, want none", o.UnderWay)
	}
	return rejected
}

// checkReports compares each report with the ledger.
func checkReports(t *testing.T, want map[string]checked, o outcome) {
	t.Helper()
	for name := range want {
		booked, cents := 0, int64(0)
		for _, v := range o.Invoices {
			if v.File == name {
				booked++
				cents += v.EuroCents
			}
		}
		var lines []string
		for _, r := range o.Rejections {
			if r.File == name {
				lines = append(lines, fmt.Sprintf("- line %d: %s\n", r.Line, r.Reason))
			}
		}
		text := fmt.Sprintf("# %s\n\nBooked: %d invoices, %d.%02d EUR\nRejected: %d\n\n%s",
			name, booked, cents/100, cents%100, len(lines), strings.Join(lines, ""))
		got := o.Reports[strings.TrimSuffix(name, ".csv")+".md"]
		if diff := cmp.Diff(text, got); diff != "" {
			t.Errorf("report on %s (-want +got):\n%s", name, diff)
		}
	}
	if len(o.Reports) != len(want) {
		t.Errorf("there are %d reports, want %d", len(o.Reports), len(want))
	}
}

// checkItems checks that there is one item for each file, which ended after one attempt:
// processed, or cancelled because its data is invalid. Urgent items must not have waited
// for the end of others.
func checkItems(t *testing.T, p *testProject, want map[string]checked, rejected map[string]bool) {
	t.Helper()
	items := p.items(t)
	if len(items) != len(want) {
		t.Fatalf("there are %d items, want %d", len(items), len(want))
	}
	var urgent, others []time.Time // start times of urgent items, end times of others
	for _, it := range items {
		var payload struct{ Name string }
		if err := json.Unmarshal([]byte(it.Payload), &payload); err != nil {
			t.Fatal(err)
		}
		priority := 700
		if strings.HasPrefix(payload.Name, "urgent-") {
			priority = 1200
			urgent = append(urgent, *it.StartedAt)
		} else {
			others = append(others, *it.FinishedAt)
		}
		attempts, err := p.worker.Store.Attempts(t.Context(), it.ID)
		if err != nil {
			t.Fatal(err)
		}
		state, kind, tries := workqueue.Processed, workqueue.ErrorKind(""), 0
		if rejected[payload.Name] {
			state, kind, tries = workqueue.Cancelled, workqueue.KindBusiness, 1
		}
		var gotKind workqueue.ErrorKind
		if it.ErrorKind != nil {
			gotKind = *it.ErrorKind
		}
		if it.State != state || gotKind != kind || it.RetryCount != tries || it.Priority != priority {
			t.Errorf("%s: state %s, error kind %q, retry count %d, priority %d; want %s, %q, %d, %d",
				payload.Name, it.State, gotKind, it.RetryCount, it.Priority, state, kind, tries, priority)
		}
		if state == workqueue.Cancelled && (len(attempts) == 0 || attempts[0].Outcome != "failed" || *attempts[0].Step != "verdict") {
			t.Errorf("%s: attempts = %+v, want one that failed in the step verdict", payload.Name, attempts)
		}
	}
	// A start time is computed from the time when the end was written, which a slow
	// commit delays.
	const writing = 200 * time.Millisecond
	if last, first := slices.MaxFunc(urgent, time.Time.Compare), slices.MinFunc(others, time.Time.Compare); last.After(first.Add(writing)) {
		t.Errorf("an urgent item started at %s, after another had ended at %s", last, first)
	}
}
