package forecast_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/forecast"
)

// busy makes a project with a worker of one slot, and three items of ten minutes, of which the last has a
// deadline in fifteen minutes. The fourth item is low.
func busy(t *testing.T) {
	t.Helper()
	clitest.InProject(t)
	for _, more := range [][]string{nil, nil, {"--deadline-in", "15m"}, {"--priority", "100"}} {
		args := []string{"enqueue", "--pipeline", "hello", "--estimated-duration", "10m"}
		clitest.Must(t, append(args, more...)...)
	}
	spec := workqueue.WorkerSpec{Name: "bot-1", InstanceID: "1", Host: "h", Capacity: 1, Lease: time.Hour}
	if _, err := clitest.OpenQueue(t).RegisterWorker(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
}

func TestForecast(t *testing.T) {
	busy(t)
	args := []string{"forecast", "--item", "1,2", "--item", "4", "--until", "7d"}
	answer := clitest.Decode[forecast.Answer](t, clitest.Must(t, append(args, "-o", "json")...))
	f := answer.Present
	if f.Histories != 200 || f.All.Due != 4 || len(f.Items) != 3 || f.Until.Sub(f.At).Round(time.Hour) != 7*24*time.Hour {
		t.Fatalf("got %+v, want 4 items", f)
	}
	// The item with a deadline goes first.
	if in := f.Items[0].Start.P50.Sub(f.At); in < 8*time.Minute || in > 12*time.Minute {
		t.Errorf("item 1 starts in %s, want about 10m", in)
	}
	for _, it := range f.Items {
		why := clitest.Decode[assign.Reason](t, clitest.Must(t, "items", "why", fmt.Sprint(it.ID), "-o", "json"))
		if it.ExpectedAt == nil || why.ExpectedAt == nil || it.ExpectedAt.Sub(*why.ExpectedAt).Abs() > 5*time.Second {
			t.Errorf("item %d is expected at %v, items why says %v", it.ID, it.ExpectedAt, why.ExpectedAt)
		}
	}
	table := clitest.Must(t, args...)
	for _, want := range []string{"200 histories", "WHAT", "band medium", "pipeline hello", "█", "ITEM", "WORKER", "bot-1"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
}

func TestForecastOfAChange(t *testing.T) {
	busy(t)
	args := []string{"forecast", "--add-worker", "capacity=2,label=gpu,label=ram=64", "--priority", "4=1500", "--item", "4", "--arrivals", "+20%", "--meet-deadlines"}
	answer := clitest.Decode[forecast.Answer](t, clitest.Must(t, append(args, "-o", "json")...))
	if answer.WhatIf == nil || answer.Enough == nil || answer.Enough.Deadlines != 1 || len(answer.WhatIf.Items) != 1 {
		t.Fatalf("got %+v, want a what-if", answer)
	}
	if want := "a new worker with 2 slots gpu=true ram=64, item 4 with priority 1500, arrivals +20 %"; answer.WhatIf.Change != want {
		t.Errorf("change = %q, want %q", answer.WhatIf.Change, want)
	}
	if in := answer.WhatIf.Items[0].Start.P50.Sub(answer.WhatIf.At); in > time.Second {
		t.Errorf("item 4 starts in %s, want now", in)
	}
	table := clitest.Must(t, args...)
	for _, want := range []string{"what if: a new worker", "IF SO", "DIFFERENCE", "4 if so", "deadlines: 1"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
}

func TestForecastRefusals(t *testing.T) {
	busy(t)
	for line, want := range map[string]string{
		"--until yesterday":           "--until: got",
		"--until 2020-01-01":          "is over",
		"--until 90d":                 "at most 45 days",
		"--histories 0":               "--histories: got 0, want 1 to 2000",
		"--add-worker 4":              "want capacity=N",
		"--add-worker capacity=x":     "want capacity=N",
		"--add-worker capacity=-1":    "capacity of a worker to add: got -1",
		"--add-worker capacity=1,a=b": "want capacity=N",
		"--priority 4":                "want ID=PRIORITY",
		"--priority 99=1":             "item 99 does not wait",
		"--capacity bot-1=many":       "want NAME=SLOTS",
		"--capacity bot-2=4":          `no live worker "bot-2"; live workers: bot-1`,
		"--without-worker bot-2":      `no live worker "bot-2"`,
		"--pause-queue invoices":      `no queue "invoices"; queues: default`,
		"--arrivals many":             "want a percentage",
		"--arrivals -200%":            "got -200 %",
	} {
		clitest.Do(t, append([]string{"forecast"}, strings.Fields(line)...)...).WantFailure(t, cli.ExitUsage, want)
	}
	clitest.Do(t, "forecast", "--item", "99").WantFailure(t, cli.ExitFailed, "item 99 is not part of the forecast")
}

func TestForecastWithoutWorkersAndItems(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "db", "migrate")
	answer := clitest.Decode[forecast.Answer](t, clitest.Must(t, "forecast", "--meet-deadlines", "-o", "json"))
	if answer.Present.All.Items != 0 || len(answer.Present.Notes) == 0 {
		t.Errorf("got %+v, want an empty queue and a note", answer.Present)
	}
	if table := clitest.Must(t, "forecast"); !strings.Contains(table, "note: no worker is alive") || !strings.Contains(table, "now") {
		t.Errorf("the table is\n%s", table)
	}
	clitest.Must(t, "enqueue", "--pipeline", "hello")
	if table := clitest.Must(t, "forecast", "--item", "1"); !strings.Contains(table, "note: 1 items never start") || !strings.Contains(table, "later") {
		t.Errorf("the table is\n%s", table)
	}
}

func TestForecastAccuracy(t *testing.T) {
	busy(t)
	if table := clitest.Must(t, "forecast", "accuracy"); !strings.Contains(table, "no forecast was recorded") {
		t.Errorf("the table is\n%s", table)
	}
	store := clitest.OpenQueue(t)
	at := func(ago time.Duration) *time.Time { return new(time.Now().Add(-ago)) }
	list := []workqueue.ItemForecast{
		{ItemID: 1, Pipeline: "hello", EndP50: at(20 * time.Hour), EndP95: at(time.Hour)},
		{ItemID: 2, Pipeline: "hello", EndP50: at(2 * time.Hour), EndP95: at(-time.Hour)},
	}
	if _, err := store.RecordForecasts(t.Context(), *at(30 * time.Hour), list); err != nil {
		t.Fatal(err)
	}
	a := clitest.Decode[forecast.Accuracy](t, clitest.Must(t, "forecast", "accuracy", "-o", "json"))
	if a.All.Forecasts != 2 || a.All.Compared != 1 || a.All.Overdue != 1 || a.All.Open != 1 || *a.All.Coverage != 0 || len(a.Pipelines) != 1 || a.Pipelines[0].Name != "hello" {
		t.Errorf("got %+v, want one overdue and one open forecast", a)
	}
	if a := clitest.Decode[forecast.Accuracy](t, clitest.Must(t, "forecast", "accuracy", "--since", "24h", "--queue", "default", "-o", "json")); a.All.Forecasts != 0 {
		t.Errorf("of a day: %+v, want none", a)
	}
	table := clitest.Must(t, "forecast", "accuracy", "--pipeline", "hello")
	for _, want := range []string{"BY P95", "NEAR P50", "queue default", "pipeline hello", "0.0 %", "the forecasts are too early"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	clitest.Do(t, "forecast", "accuracy", "--since", "2100-01-01").WantFailure(t, cli.ExitUsage, "want a time before now")
	clitest.Do(t, "forecast", "accuracy", "--queue", "nowhere").WantFailure(t, cli.ExitFailed, "nowhere")
}
