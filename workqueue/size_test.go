package workqueue

import (
	"errors"
	"strings"
	"testing"
)

// text returns JSON of n bytes.
func text(n int) JSONText { return JSONText(`"` + strings.Repeat("x", n-2) + `"`) }

func TestPayloadAboveLimitIsRefused(t *testing.T) {
	for _, test := range []struct {
		queue Queue
		size  int
		limit int64 // 0: it is accepted
	}{
		{Queue{}, DefaultMaxSize, 0},
		{Queue{}, DefaultMaxSize + 1, DefaultMaxSize},
		{Queue{QueueSizes: QueueSizes{MaxPayload: 100}}, 100, 0},
		{Queue{QueueSizes: QueueSizes{MaxPayload: 100}}, 101, 100},
		{Queue{QueueSizes: QueueSizes{MaxPayload: 5 << 20}}, 5 << 20, 0},
		{Queue{QueueSizes: QueueSizes{MaxOutput: 5}}, 100, 0},
	} {
		it := NewItem{IntegrationConfig: "hello", Payload: text(test.size)}
		err := test.queue.Prepare(&it, &Schemas{})
		var size *SizeError
		switch {
		case test.limit == 0 && err != nil:
			t.Errorf("%d bytes under %+v: %v, want it accepted", test.size, test.queue.QueueSizes, err)
		case test.limit > 0 && (!errors.As(err, &size) || size.Limit != test.limit || size.Got != int64(test.size)):
			t.Errorf("%d bytes under %+v: %v, want a SizeError of %d", test.size, test.queue.QueueSizes, err, test.limit)
		}
	}
}

func TestSizeErrorNamesTheSetting(t *testing.T) {
	err := &SizeError{Queue: "orders", What: "payload", Setting: "maxPayload", Got: 52428800, Limit: 1 << 20}
	for _, want := range []string{"payload: got 52428800 bytes", "at most 1048576 bytes (1MB)", `maxPayload of the queue "orders"`, "hint: "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
}

func TestOutputAboveLimitFailsPermanently(t *testing.T) {
	queue := &Queue{Name: "q", QueueSizes: QueueSizes{MaxOutput: 100}}
	for name, test := range map[string]struct {
		run   func(*Run)
		out   JSONText
		fails bool
	}{
		"output at the limit":     {func(*Run) {}, text(100), false},
		"output":                  {func(*Run) {}, text(101), true},
		"shown":                   {func(r *Run) { r.Show(text(101)) }, `"small"`, true},
		"shown, then a small one": {func(r *Run) { r.Show(text(101)); r.Show(`1`) }, "", true},
		"analytics":               {func(r *Run) { r.Analyse(text(101)) }, "", true},
		"shown at the limit":      {func(r *Run) { r.Show(text(100)); r.Analyse(text(100)) }, "", false},
	} {
		run := &Run{Item: &Item{ID: 1, QueueName: "q"}, Queue: queue}
		test.run(run)
		got := run.CheckResult(&Schemas{}, Outcome{Verdict: Succeeded, Output: test.out})
		if failed := got.Verdict == Failed; failed != test.fails || failed && (got.Kind != KindPermanent || !strings.Contains(got.Error, "maxOutput")) {
			t.Errorf("%s: got %+v, want a permanent failure: %t", name, got, test.fails)
		}
		if n := len(run.ProgressNote().Output); n > 100 {
			t.Errorf("%s: %d bytes would be stored", name, n)
		}
	}
}

func TestRobotOutputAboveLimitIsRefused(t *testing.T) {
	queue := &Queue{Name: "q", QueueSizes: QueueSizes{MaxOutput: 100}}
	for _, end := range []RobotEnd{{Output: text(101)}, {Analytics: text(101)}, {Kind: KindError, Error: "x", Analytics: text(101)}} {
		var size *SizeError
		if _, err := queue.EndByRobot(&Item{}, end, &Schemas{}, 0, 0); !errors.As(err, &size) {
			t.Errorf("%+.20v: got %v, want a SizeError", end, err)
		}
	}
	if _, err := queue.EndByRobot(&Item{}, RobotEnd{Output: text(100)}, &Schemas{}, 0, 0); err != nil {
		t.Error(err)
	}
}
