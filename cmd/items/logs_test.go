package items

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestFollowLogPrintsWhatIsAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		states := [][]runLog{
			{},
			{{Attempt: 1, Outcome: "failed", Log: "old\n"}, {Attempt: 2, Outcome: "running", Log: "a\n"}},
			{{Attempt: 2, Outcome: "running", Log: "a\nb\n"}},
			{{Attempt: 2, Outcome: "running", Log: "…\nb\nc\n"}},
			{{Attempt: 3, Outcome: "running", Log: "a\n"}},
			{{Attempt: 3, Outcome: "succeeded", Log: "a\nend\n"}},
			nil, // not read
		}
		began := time.Now()
		var out strings.Builder
		err := followLog(t.Context(), &out, func() ([]runLog, bool, error) {
			now := states[0]
			states = states[1:]
			return now, false, nil
		})
		if want := "a\nb\nc\na\nend\n"; out.String() != want || err != nil || len(states) != 1 || time.Since(began) != 5*logEvery {
			t.Errorf("output = %q, %v after %s, want %q", out.String(), err, time.Since(began), want)
		}
	})
}

func TestAdded(t *testing.T) {
	for _, c := range [][3]string{
		{"", "a\n", "a\n"}, {"a\n", "a\n", ""}, {"a\nb\n", "b\nc\n", "c\n"}, {"…\nx\nx\n", "…\nx\nx\nx\n", "x\n"}, {"a\n", "z\n", "z\n"}, {"a\nb", "a\nb", ""},
	} {
		if got := added(c[0], c[1]); got != c[2] {
			t.Errorf("added(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
