package process_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// outcomes are items that run once, with their expected rows afterwards.
var outcomes = map[string]struct {
	config, payload string

	state   workqueue.State
	kind    workqueue.ErrorKind
	retries int
	words   []string // in the error
	reason  *string  // of the snooze; nil: no snooze
}{
	"a pipeline's name":       {config: "note", state: workqueue.Processed},
	"a whole pipeline, YAML":  {config: "steps:\n  - handler: Note\n", state: workqueue.Processed},
	"a whole pipeline, JSON":  {config: `{"steps": [{"handler": "Note"}]}`, state: workqueue.Processed},
	"a pipeline breaks off":   {config: `{"steps": [{"handler": "Break", "with": {"reason": "enough"}}]}`, state: workqueue.Processed},
	"a pipeline with a panic": {config: `{"steps": [{"handler": "Panic"}]}`, state: workqueue.Ready, kind: workqueue.KindPanic, retries: 1, words: []string{"Panic", "no luck"}},
	"an ordinary failure": {config: `{"steps": [{"handler": "Fail", "with": {"message": "no luck"}}]}`,
		state: workqueue.Ready, kind: workqueue.KindError, retries: 1, words: []string{"no luck"}},
	"a business error": {config: `{"steps": [{"handler": "Fail", "with": {"message": "no such customer", "kind": "business"}}]}`,
		state: workqueue.Cancelled, kind: workqueue.KindBusiness, retries: 1, words: []string{"no such customer"}},
	"a permanent error": {config: `{"steps": [{"handler": "Fail", "with": {"message": "never", "kind": "permanent"}}]}`,
		state: workqueue.Cancelled, kind: workqueue.KindPermanent, retries: 1, words: []string{"never"}},
	"a snooze": {config: `{"steps": [{"handler": "Snooze", "with": {"for": "1h", "reason": "not yet"}}]}`,
		state: workqueue.Ready, reason: new("not yet")},
	"a snooze without a reason": {config: `{"steps": [{"handler": "Snooze", "with": {"for": "1h"}}]}`,
		state: workqueue.Ready, reason: new("")},
	"an unknown pipeline": {config: "notte",
		state: workqueue.Cancelled, kind: workqueue.KindPermanent, retries: 1, words: []string{`there is no pipeline "notte"`, `did you mean "note"?`}},
	"a system pipeline": {config: medium,
		state: workqueue.Cancelled, kind: workqueue.KindPermanent, retries: 1, words: []string{medium, "has a trigger"}},
	"an unknown handler": {config: "steps:\n  - handler: Notte\n",
		state: workqueue.Cancelled, kind: workqueue.KindPermanent, retries: 1, words: []string{"2:14", `"Notte"`, `did you mean "Note"?`}},
	"YAML that is none": {config: "steps:\n  - handler: [\n",
		state: workqueue.Cancelled, kind: workqueue.KindPermanent, retries: 1, words: []string{"integrationConfig:"}},
	"JSON that is none": {config: `{"steps": [{"handler": "Note"}`,
		state: workqueue.Cancelled, kind: workqueue.KindPermanent, retries: 1, words: []string{"integrationConfig:1:"}},
	"a payload that is not JSON": {config: "note", payload: `{"open`,
		state: workqueue.Cancelled, kind: workqueue.KindPermanent, retries: 1, words: []string{"payload", "JSON"}},
	"a payload that does not fit": {config: `{"input": {"type": "object", "required": ["file"]}, "steps": [{"handler": "Note"}]}`, payload: `{}`,
		state: workqueue.Cancelled, kind: workqueue.KindBusiness, retries: 1, words: []string{"payload", "file"}},
}

func TestOutcomes(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		x.kinds["Panic"] = func(context.Context, *handlers.Call) (any, error) { panic("no luck") }
		ids := map[string]int64{}
		for name, tt := range outcomes {
			ids[name] = x.enqueue(workqueue.NewItem{Priority: 1000, IntegrationConfig: tt.config, Payload: workqueue.JSONText(tt.payload)})
		}
		before, err := x.store.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		x.runOnce(x.newOptions("w"), medium)

		for name, tt := range outcomes {
			t.Run(name, func(t *testing.T) {
				it := x.item(ids[name])
				if it.State != tt.state || text(it.ErrorKind) != string(tt.kind) || it.RetryCount != tt.retries || it.ReleaseCount != 0 {
					t.Errorf("state %s, kind %q, RetryCount %d, ReleaseCount %d; want %s, %q, %d, 0",
						it.State, text(it.ErrorKind), it.RetryCount, it.ReleaseCount, tt.state, tt.kind, tt.retries)
				}
				for _, word := range tt.words {
					if !strings.Contains(text(it.Error), word) {
						t.Errorf("error %q, want it to contain %q", text(it.Error), word)
					}
				}
				if tt.reason != nil {
					attempts, err := x.store.Attempts(t.Context(), it.ID)
					if err != nil || len(attempts) != 1 || text(attempts[0].Reason) != *tt.reason || attempts[0].Error != nil || it.Error != nil {
						t.Errorf("attempts %+v, %v, item error %q; want one attempt with the reason %q, and no error", attempts, err, text(it.Error), *tt.reason)
					}
				}
				if string(it.Payload) != tt.payload || it.IntegrationConfig != tt.config {
					t.Errorf("the row has %q and %q now, want it unchanged", it.IntegrationConfig, it.Payload)
				}
				// 30 s is the default backoff, ±10 %; the snooze asks for an hour.
				if wait := it.AvailableAt.Sub(before); tt.state == workqueue.Ready && wait < 27*time.Second {
					t.Errorf("due again after %v, want at least 27s", wait)
				}
			})
		}
	})
}

func TestRowInsertedByHandRuns(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		if _, err := e.SQL(t, x.dsn).ExecContext(t.Context(), `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig") VALUES ('note')`); err != nil {
			t.Fatal(err)
		}
		x.runOnce(x.newOptions("w"), medium)
		items, err := x.store.Items(t.Context(), workqueue.ItemFilter{})
		if err != nil || len(items) != 1 || items[0].State != workqueue.Processed || len(x.drainRuns()) != 1 {
			t.Errorf("items = %+v, %v; want one, run and Processed", items, err)
		}
	})
}
