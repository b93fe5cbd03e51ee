package dashboard

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// minute returns a time of the tests.
func minute(n float64) time.Time {
	return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC).Add(time.Duration(n * float64(time.Minute)))
}

func minutes(d time.Duration) string { return fmt.Sprintf("%gm", d.Minutes()) }

// told writes phases, one a line: the minute, the length in minutes, the status and the words.
func told(phases []phase) string {
	var b strings.Builder
	for i := range phases {
		p := &phases[i]
		b.WriteString(minutes(p.From.Sub(minute(0))) + " ")
		if !p.Until.IsZero() {
			b.WriteString(minutes(p.Took()) + " ")
		}
		b.WriteString(p.Status + ": " + joined(p.What, p.More))
		if p.Open {
			b.WriteString(" (open)")
		}
		if p.Future {
			b.WriteString(" (future)")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestLifeOfAnItem(t *testing.T) {
	at := func(n float64) *time.Time { m := minute(n); return &m }
	by, failed, printer := "ann", "the printer is jammed", "print"
	for _, c := range []struct {
		name     string
		item     item
		attempts []attempt
		history  []entry
		why      reason
		want     string
	}{
		{
			name: "waits", item: item{Status: "Pending", AvailableAt: minute(0), CreatedBy: &by, Priority: 1500}, why: reason{ExpectedAt: at(12)},
			want: "0m scheduled: Enqueued · by ann · priority 1,500\n0m 10m pending: Waiting (open)\n12m scheduled: Expected to start (future)\n",
		},
		{
			name: "was snoozed many times", item: item{Status: "Scheduled", AvailableAt: minute(12), StartedAt: at(6), Fence: 3},
			attempts: []attempt{
				{Number: 1, Fence: 1, Outcome: "snoozed", Reason: &failed, StartedAt: at(2), FinishedAt: minute(3)}, {Number: 1, Fence: 2, Outcome: "snoozed", Reason: &failed, StartedAt: at(4), FinishedAt: minute(5)},
				{Number: 1, Fence: 3, Outcome: "snoozed", Reason: &failed, StartedAt: at(6), FinishedAt: minute(7)},
			},
			want: "0m scheduled: Enqueued · priority 0\n0m 2m pending: Waiting\n2m 5m snoozed: Postponed 3 times · the printer is jammed\n7m 3m scheduled: Postponed (open)\n",
		},
		{
			name: "is not due, and then waits", item: item{Status: "Pending", AvailableAt: minute(4)},
			want: "0m scheduled: Enqueued · priority 0\n0m 4m scheduled: Not due yet\n4m 6m pending: Waiting (open)\n",
		},
		{
			name: "is assigned", item: item{Status: "Assigned", AvailableAt: minute(0), AssignedAt: at(7), Worker: "bot-1"},
			want: "0m scheduled: Enqueued · priority 0\n0m 7m pending: Waiting\n7m 3m assigned: Assigned · to bot-1 (open)\n",
		},
		{
			name: "succeeds", item: item{Status: "Succeeded", StateName: "Processed", AvailableAt: minute(0), AssignedAt: at(1), StartedAt: at(2), FinishedAt: at(5), Worker: "bot-1", Fence: 1},
			want: "0m scheduled: Enqueued · priority 0\n0m 1m pending: Waiting\n1m 1m assigned: Assigned · to bot-1\n2m 3m running: Attempt 1 · on bot-1\n5m Succeeded: Succeeded\n",
		},
		{
			name: "backs off and runs again", item: item{Status: "Running", AvailableAt: minute(6), AssignedAt: at(7), StartedAt: at(8), RetryCount: 1, Fence: 2, Worker: "bot-2", Step: &printer},
			attempts: []attempt{{Number: 1, Fence: 1, Outcome: "failed", Worker: &by, Step: &printer, Error: &failed, StartedAt: at(1), FinishedAt: minute(2)}},
			want: "0m scheduled: Enqueued · priority 0\n0m 1m pending: Waiting\n1m 1m running: Attempt 1 · on ann\n2m failed: Attempt 1: failed · step print · the printer is jammed\n" +
				"2m 4m retry: Backoff after attempt 1\n6m 1m pending: Waiting\n7m 1m assigned: Assigned · to bot-2\n8m 2m running: Attempt 2 · on bot-2 · now in step print (open)\n",
		},
		{
			name: "is rescued, postponed and waits", item: item{Status: "Scheduled", AvailableAt: minute(30), StartedAt: at(5), AssignedAt: at(5), Fence: 2},
			attempts: []attempt{
				{Number: 1, Fence: 1, Outcome: "rescued", StartedAt: at(1), FinishedAt: minute(3)},
				{Number: 1, Fence: 2, Outcome: "snoozed", Reason: &failed, StartedAt: at(5), FinishedAt: minute(6)},
			},
			why: reason{At: at(30)},
			want: "0m scheduled: Enqueued · priority 0\n0m 1m pending: Waiting\n1m 2m running: Attempt 1\n3m rescued: Attempt 1: rescued\n3m 2m pending: Waiting again\n5m 1m running: Attempt 1\n" +
				"6m snoozed: Attempt 1: postponed · the printer is jammed\n6m 4m scheduled: Postponed (open)\n30m scheduled: Next change by itself (future)\n",
		},
		{
			name: "fails, is repeated and succeeds", item: item{Status: "Succeeded", StateName: "Processed", AvailableAt: minute(6), AssignedAt: at(6), StartedAt: at(7), FinishedAt: at(9), Fence: 2},
			attempts: []attempt{{Number: 1, Fence: 1, Outcome: "failed", StartedAt: at(1), FinishedAt: minute(2)}},
			history:  []entry{{At: minute(6), Action: "items.repeat", Actor: "ann", Reason: "new paper"}},
			want: "0m scheduled: Enqueued · priority 0\n0m 1m pending: Waiting\n1m 1m running: Attempt 1\n2m failed: Attempt 1: failed\n2m 4m ended: Ended, until it was repeated\n" +
				"6m 1m pending: Waiting\n6m audited: Repeat · by ann · new paper\n7m 2m running: Attempt 1\n9m Succeeded: Succeeded\n",
		},
		{
			name: "succeeds, is repeated and succeeds", item: item{Status: "Succeeded", StateName: "Processed", AvailableAt: minute(6), StartedAt: at(7), FinishedAt: at(9), Fence: 2},
			history: []entry{{At: minute(6), Action: "items.repeat", Actor: "ann", Before: json.RawMessage(`{"state":2}`)}},
			want: "0m scheduled: Enqueued · priority 0\n0m 6m ended: Waited, ran and succeeded, until it was repeated · the times of that run are not kept\n" +
				"6m 1m pending: Waiting\n6m audited: Repeat · by ann\n7m 2m running: Attempt 1\n9m Succeeded: Succeeded\n",
		},
		{
			name: "fails once, succeeds, is archived and repeated", item: item{Status: "Pending", AvailableAt: minute(6)},
			attempts: []attempt{{Number: 1, Fence: 1, Outcome: "failed", StartedAt: at(1), FinishedAt: minute(2)}},
			history:  []entry{{At: minute(6), Action: "items.repeat", Before: json.RawMessage(`{"state":3}`)}, {At: minute(5), Action: "items.archive", Before: json.RawMessage(`{"state":2}`)}},
			want: "0m scheduled: Enqueued · priority 0\n0m 1m pending: Waiting\n1m 1m running: Attempt 1\n2m failed: Attempt 1: failed\n" +
				"2m 4m ended: Waited, ran and succeeded, until it was repeated · the times of that run are not kept\n5m audited: Archive\n6m 4m pending: Waiting (open)\n6m audited: Repeat\n",
		},
		{
			name: "is cancelled while it waits, and repeated", item: item{Status: "Pending", AvailableAt: minute(6)},
			history: []entry{{At: minute(6), Action: "items.repeat", Before: json.RawMessage(`{"state":3}`)}, {At: minute(2), Action: "items.cancel", Before: json.RawMessage(`{"state":4}`)}},
			want:    "0m scheduled: Enqueued · priority 0\n0m 2m pending: Waiting\n2m 4m ended: Ended, until it was repeated\n2m audited: Cancel\n6m 4m pending: Waiting (open)\n6m audited: Repeat\n",
		},
		{
			name: "runs and has finished steps", item: item{Status: "Running", AvailableAt: minute(0), StartedAt: at(2), Fence: 1, Step: &printer, StepTimes: json.RawMessage(`[{"step":"load","ms":1200}]`)},
			want: "0m scheduled: Enqueued · priority 0\n0m 2m pending: Waiting\n2m 8m running: Attempt 1 · load 1.2 s · now in step print (open)\n",
		},
		{
			name: "is cancelled while it waits", item: item{Status: "Cancelled", StateName: "Cancelled", AvailableAt: minute(60), FinishedAt: at(3), Error: &failed},
			history: []entry{{At: minute(3), Action: "items.cancel", Actor: "ann"}},
			want:    "0m scheduled: Enqueued · priority 0\n0m 3m scheduled: Not due yet\n3m Cancelled: Cancelled · the printer is jammed\n3m audited: Cancel · by ann\n",
		},
		{
			name: "is released before it began", item: item{Status: "Pending", AvailableAt: minute(0), Fence: 1, StartedAt: at(2)},
			attempts: []attempt{{Number: 1, Fence: 1, Outcome: "released", FinishedAt: minute(4)}},
			want:     "0m scheduled: Enqueued · priority 0\n0m 4m pending: Waiting\n4m released: Attempt 1: released\n4m 6m pending: Waiting (open)\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.item.CreatedAt = minute(0)
			got := lifeOf(&c.item, c.attempts, c.history, &c.why, minute(10))
			if text := told(got); text != c.want {
				t.Errorf("got\n%swant\n%s", text, c.want)
			}
		})
	}
}

func TestChartOfALife(t *testing.T) {
	if c := chartOf([]phase{{What: "Enqueued", From: minute(0)}}); c != nil {
		t.Errorf("a life without phases is drawn: %s", c.SVG)
	}
	c := chartOf([]phase{
		{Status: "pending", What: "Waiting <b>", From: minute(0), Until: minute(59)}, {Status: "failed", What: "no phase", From: minute(59)},
		{Status: "running", What: "Attempt 1", From: minute(59), Until: minute(59.001)}, {Status: "pending", What: "Waiting", From: minute(59.001), Until: minute(60), Open: true},
	})
	if strings.Contains(string(c.SVG), "<b>") || strings.Contains(string(c.SVG), "no phase") {
		t.Errorf("got %s", c.SVG)
	}
	for _, want := range []string{`role="img"`, `aria-label="Life of the item: Waiting &lt;b&gt;, 59 min; Attempt 1, 60 ms; Waiting, 59 s so far"`, `width="1.186%" height="38" class="running"`} {
		if !strings.Contains(string(c.SVG), want) {
			t.Errorf("the chart lacks %s: %s", want, c.SVG)
		}
	}
	if len(c.Legend) != 2 || c.Legend[0].Word != "waiting" || c.Legend[1].Class != "running" {
		t.Errorf("legend %+v", c.Legend)
	}
}
