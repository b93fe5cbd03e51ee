package workqueue

import (
	"strconv"
	"strings"
	"testing"
)

func TestStateNumbers(t *testing.T) {
	want := map[State]string{0: "Ready", 1: "Blocked", 2: "Processed", 3: "Cancelled", 4: "Pending", 5: "Assigned"}
	for i, s := range States() {
		if int(s) != i {
			t.Errorf("States()[%d] = %d, want the order of the numbers", i, int(s))
		}
		if s.String() != want[s] {
			t.Errorf("State(%d).String() = %q, want %q", int(s), s, want[s])
		}
		for _, text := range []string{want[s], strings.ToLower(want[s]), strings.ToUpper(want[s]), strconv.Itoa(i)} {
			if got, err := ParseState(text); got != s || err != nil {
				t.Errorf("ParseState(%q) = %v, %v, want %v", text, got, err, s)
			}
		}
	}
	if len(States()) != len(want) {
		t.Errorf("States() has %d states, want %d", len(States()), len(want))
	}
}

func TestParseStateRefusesUnknown(t *testing.T) {
	for _, text := range []string{"", "6", "-1", "running", "Ready ", "00"} {
		_, err := ParseState(text)
		if err == nil {
			t.Errorf("ParseState(%q): no error", text)
		} else if !strings.Contains(err.Error(), "Ready, Blocked, Processed, Cancelled, Pending, Assigned") {
			t.Errorf("ParseState(%q): %v, want an error that lists the states", text, err)
		}
	}
}

func TestUnknownStateShowsItsNumber(t *testing.T) {
	for s, want := range map[State]string{-1: "State(-1)", 6: "State(6)"} {
		if got := s.String(); got != want {
			t.Errorf("State(%d).String() = %q, want %q", int(s), got, want)
		}
	}
}
