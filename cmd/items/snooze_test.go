package items_test

import (
	"regexp"
	"strings"
	"testing"

	"botwork/cmd/internal/clitest"
)

// A snooze is not a failure: it is shown with its reason, and an error shown with it belongs
// to an earlier attempt.
func TestItemsShowSnooze(t *testing.T) {
	type shown struct {
		Error     *string
		ErrorKind *string
		Attempts  []struct {
			Outcome       string
			Error, Reason *string
		}
	}
	for _, c := range []struct {
		name, with string
		reason     string
	}{
		{"with a reason", "{for: 1h, reason: the file is not there yet}", "the file is not there yet"},
		{"without a reason", "{for: 1h}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			clitest.InProject(t)
			clitest.WriteFile(t, "pipelines/wait.yaml", "steps: [{name: later, handler: Snooze, with: "+c.with+"}]\n")
			clitest.Must(t, "enqueue", "--pipeline", "wait")
			clitest.Must(t, "enqueue", "--pipeline", "wait")
			clitest.ByHand(t, `UPDATE BotWorkQueueItems SET RetryCount = 1, Error = 'no such host', ErrorKind = 'timeout' WHERE Id = 2`)
			clitest.Must(t, "run", "--once", "ExecuteWorkQueue")

			first := clitest.Must(t, "items", "show", "1")
			if strings.Contains(first, "\nerror ") || strings.Contains(first, `step "later"`) {
				t.Errorf("the sheet shows an error:\n%s", first)
			}
			line := regexp.MustCompile(`(?m)^snoozed +until \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ(.*)$`).FindStringSubmatch(first)
			want := c.reason
			if want != "" {
				want = ": " + want
			}
			if line == nil || strings.TrimSpace(line[1]) != want {
				t.Errorf("the sheet's line of the snooze is %q, want it to end with %q:\n%s", line, want, first)
			}
			if list := clitest.Must(t, "items", "list"); !regexp.MustCompile(`(?m)^1 .* due [^,]+, snoozed` + want + `\s*$`).MatchString(list) {
				t.Errorf("the list's note of the snooze does not end with %q:\n%s", "snoozed"+want, list)
			}
			if why := clitest.Must(t, "items", "why", "1"); !strings.Contains(why, "it was snoozed until ") || !strings.Contains(why, c.reason) {
				t.Errorf("items why lacks the snooze and its reason:\n%s", why)
			}
			if second := clitest.Must(t, "items", "show", "2"); !strings.Contains(second, "no such host") || !strings.Contains(second, "snoozed") {
				t.Errorf("the sheet lacks the earlier error or the snooze:\n%s", second)
			}
			for id, wantError := range map[string]string{"1": "", "2": "no such host"} {
				got := clitest.Decode[shown](t, clitest.Must(t, "items", "show", id, "-o", "json"))
				if plain(got.Error) != wantError || len(got.Attempts) != 1 {
					t.Fatalf("item %s: %+v, want the error %q and one attempt", id, got, wantError)
				}
				if a := got.Attempts[0]; a.Outcome != "snoozed" || a.Error != nil || plain(a.Reason) != c.reason || (a.Reason == nil) != (c.reason == "") {
					t.Errorf("item %s: the attempt is %+v, want a snooze with the reason %q and no error", id, a, c.reason)
				}
			}
			clitest.Must(t, "items", "cancel", "1")
			clitest.Must(t, "items", "repeat", "1")
			if again := clitest.Must(t, "items", "show", "1"); regexp.MustCompile(`(?m)^snoozed`).MatchString(again) {
				t.Errorf("the repeated item is shown as snoozed:\n%s", again)
			}
		})
	}
}

func plain(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Snoozes that follow each other are one line.
func TestItemsShowCountsSnoozes(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/wait.yaml", "steps: [{name: later, handler: Snooze, with: {for: 1h, reason: no file}}]\n")
	clitest.Must(t, "enqueue", "--pipeline", "wait")
	const times = 3
	for range times {
		clitest.Must(t, "items", "run", "1")
		clitest.Must(t, "run", "--once", "ExecuteWorkQueue")
	}
	shown := clitest.Must(t, "items", "show", "1")
	if lines := regexp.MustCompile(`(?m)^\d+ +snoozed.*no file$`).FindAllString(shown, -1); len(lines) != 1 || !strings.Contains(lines[0], "snoozed 3 times") {
		t.Errorf("the lines of the snoozes are %q, want one with their number:\n%s", lines, shown)
	}
}
