package queue_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/report"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// The step reports what a database has, from since on.
func TestReportOfADatabase(t *testing.T) {
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: filepath.Join(t.TempDir(), "botwork.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := queue.Services{Report: func() report.Store { return store }}
	reported := func(with map[string]any) map[string]any {
		t.Helper()
		out, err := run(t, s, "Report", with, handlers.Call{})
		if err != nil {
			t.Fatal(err)
		}
		return out.(map[string]any)
	}
	quiet := reported(nil)
	if quiet["quiet"] != true || quiet["complete"] != true || quiet["headline"] != "nothing failed" || quiet["items"] != 0 {
		t.Errorf("an empty database: %v", quiet)
	}
	storetest.NewFactory(t, store).Item(storetest.ItemOpts{State: workqueue.Cancelled})
	night := reported(map[string]any{"since": "1h", "timezone": "Asia/Tokyo"})
	if night["quiet"] != false || night["headline"] != "1 item failed" || night["items"] != 1 || night["givenUp"] != 1 || night["attempts"] != 1 || night["groups"] != 1 {
		t.Errorf("after a failure: %v", night)
	}
	if text := night["text"].(string); !strings.Contains(text, "Work, step work: permanent") || !strings.Contains(text, "+09:00") {
		t.Errorf("the text is\n%s", text)
	}
	if age := time.Since(night["since"].(time.Time)); age < time.Hour-time.Second || age > time.Hour+time.Minute {
		t.Errorf("since is %v", night["since"])
	}
	if other := reported(map[string]any{"since": "1h", "pipeline": "other"}); other["quiet"] != true {
		t.Errorf("of another pipeline: %v", other)
	}
	for want, with := range map[string]map[string]any{
		"not found":     {"queue": "none"},
		"earlier since": {"since": "1h", "until": "2h"},
	} {
		_, err := run(t, s, "Report", with, handlers.Call{})
		if _, permanent := errors.AsType[*handlers.PermanentError](err); !permanent || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want a permanent error about %q", with, err, want)
		}
	}
}

func TestReportRejectsWrongParameters(t *testing.T) {
	k, _ := registry(queue.Services{}).Lookup("Report")
	for want, with := range map[string]map[string]any{
		"time zone such as": {"timezone": "Europe/Nowhere"},
		"since":             {"since": "tomorrow"},
		"until":             {"until": "later"},
		"since: got":        {"since": ""},
	} {
		if _, err := k.Build(with); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one about %q", with, err, want)
		}
	}
	if _, err := run(t, queue.Services{}, "Report", nil, handlers.Call{}); err == nil || !strings.Contains(err.Error(), "botwork run") {
		t.Errorf("without a database: %v, want a hint", err)
	}
}
