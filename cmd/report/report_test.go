package report_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// night makes a failed item, a missed run, a dead worker and a queue at its limit.
func night(t *testing.T) {
	t.Helper()
	store := clitest.OpenQueue(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "narrow", QueueLimits: workqueue.QueueLimits{Concurrency: 1}}}, "test")
	must(err)
	factory := storetest.NewFactory(t, store)
	factory.Item(storetest.ItemOpts{State: workqueue.Cancelled, Worker: factory.Worker(storetest.WorkerOpts{Name: "ann"})})
	factory.Item(storetest.ItemOpts{State: workqueue.Blocked, Queue: "narrow", Worker: factory.Worker(storetest.WorkerOpts{Name: "bob"})})
	factory.Item(storetest.ItemOpts{Queue: "narrow"})
	must(store.RecordFirings(t.Context(), []workqueue.Firing{
		{Schedule: "nightly", PlannedAt: time.Now().Add(-10 * time.Minute), Outcome: workqueue.Missed, Reason: "no worker was running", RecordedBy: "ann"},
	}))
	clitest.ByHand(t, `UPDATE BotWorkers SET LeaseExpiresAt = '2001-01-01 00:00:00.000' WHERE Name = 'ann'`)
}

// shown is what the test reads of the report in JSON.
type shown struct {
	Failed   struct{ Items, GivenUp, Attempts, ItemsBefore, Deleted int }
	Failures []struct {
		Pipeline, Step, ErrorKind, Message, Trend string
		Items                                     int
		Samples                                   []int64
	}
	Runs    []struct{ Pipeline, Problem string }
	Workers []struct {
		Name string
		Gone bool
	}
	Queues []struct {
		Queue   string
		Held    int
		Waiting int
	}
	Bounds []string
}

func TestReport(t *testing.T) {
	clitest.InProject(t)
	for format, want := range map[string]string{"table": ": nothing failed\n", "text": "Botwork: nothing failed\n", "json": `"failures": []`, "yaml": "failures: []"} {
		if out := clitest.Must(t, "report", "--output", format); !strings.Contains(out, want) {
			t.Errorf("an empty database as %s lacks %q:\n%s", format, want, out)
		}
	}
	night(t)
	r := clitest.Decode[shown](t, clitest.Must(t, "report", "--since", "1h", "--output", "json"))
	if r.Failed.Items != 1 || r.Failed.GivenUp != 1 || r.Failed.Attempts != 1 || r.Failed.ItemsBefore != 0 || len(r.Failures) != 1 || len(r.Bounds) > 0 {
		t.Fatalf("the report is %+v", r)
	}
	if g := r.Failures[0]; g.Pipeline != "Work" || g.ErrorKind != "permanent" || g.Message != "made to fail" || g.Trend != "new" || len(g.Samples) != 1 {
		t.Errorf("the group is %+v", g)
	}
	if len(r.Runs) != 1 || r.Runs[0].Problem != "missed" || len(r.Workers) != 1 || r.Workers[0].Name != "ann" || !r.Workers[0].Gone ||
		len(r.Queues) != 1 || r.Queues[0].Queue != "narrow" || r.Queues[0].Held != 1 || r.Queues[0].Waiting != 1 {
		text, _ := json.Marshal(r)
		t.Errorf("the report is %s", text)
	}
	for format, want := range map[string][]string{
		"table": {"1 item failed, 1 run with a problem, 1 worker lost, 1 queue at its limits", "made to fail", "missed", "no worker was running", "gone", "1 of 1 run"},
		"text":  {"Botwork: 1 item failed", "1. Work", "made to fail", "nightly: 1 missed", "ann on host-1: gone", "narrow: 1 of 1 run; 1 item waits"},
		"yaml":  {"message: made to fail", "problem: missed"},
	} {
		out := clitest.Must(t, "report", "--since", "1h", "--output", format)
		for _, text := range want {
			if !strings.Contains(out, text) {
				t.Errorf("%s lacks %q:\n%s", format, text, out)
			}
		}
	}
	for args, want := range map[string]int{"--queue narrow": 0, "--queue default": 1, "--pipeline Work": 1, "--pipeline other": 0, "--until 30m": 0} {
		r := clitest.Decode[shown](t, clitest.Must(t, append([]string{"report", "--since", "1h", "-o", "json"}, strings.Fields(args)...)...))
		if r.Failed.Items != want {
			t.Errorf("report %s: %d items, want %d", args, r.Failed.Items, want)
		}
	}
}

// A person who deletes failures at night does not hide them from the report of the morning.
func TestReportCountsDeletedFailures(t *testing.T) {
	for _, deletion := range []string{"physical", "logical"} {
		t.Run(deletion, func(t *testing.T) {
			clitest.InProject(t)
			factory := storetest.NewFactory(t, clitest.OpenQueue(t))
			clitest.Must(t, "queues", "set", "default", "deletion="+deletion)
			for range 3 {
				factory.Item(storetest.ItemOpts{State: workqueue.Cancelled})
			}
			before := clitest.Decode[shown](t, clitest.Must(t, "report", "--since", "1h", "-o", "json"))
			clitest.Must(t, "items", "delete", "1")
			clitest.Must(t, "items", "delete", "--status", "failed", "--yes")
			clitest.Must(t, "queues", "purge", "default", "--yes")
			r := clitest.Decode[shown](t, clitest.Must(t, "report", "--since", "1h", "-o", "json"))
			if r.Failed.Items != 3 || r.Failed.GivenUp != 3 || r.Failed.Deleted != 3 || len(r.Failures) != 1 || len(r.Failures[0].Samples) > 0 {
				t.Fatalf("the report is %+v, before the deletion %+v", r, before)
			}
			if g, was := r.Failures[0], before.Failures[0]; g.Pipeline != was.Pipeline || g.Message != was.Message || g.ErrorKind != was.ErrorKind {
				t.Errorf("the group is %+v, before the deletion %+v", g, was)
			}
			if out := clitest.Must(t, "report", "--since", "1h"); !strings.Contains(out, "3 items deleted since") {
				t.Errorf("the table does not say that they were deleted:\n%s", out)
			}
			clitest.Must(t, "report", "--since", "1h", "--output", "text")
		})
	}
}

func TestReportWrongUsage(t *testing.T) {
	clitest.InProject(t)
	for args, want := range map[string]string{
		"--since tomorrow":      `--since: got "tomorrow", want a time such as`,
		"--until tomorrow":      `--until: got "tomorrow", want a time such as`,
		"--since 1h --until 2h": "want an earlier --since",
		"--output mail":         "want table, json, yaml or text",
	} {
		clitest.Do(t, append([]string{"report"}, strings.Fields(args)...)...).WantFailure(t, cli.ExitUsage, want)
	}
	clitest.Do(t, "report", "--queue", "none").WantFailure(t, cli.ExitFailed, `queue "none"`, "not found", "default")
}
