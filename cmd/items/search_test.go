package items_test

import (
	"slices"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

func TestItemsSearch(t *testing.T) {
	clitest.InProject(t)
	clitest.BusyQueue(t)
	clitest.ByHand(t, `UPDATE BotWorkQueueItems SET CreatedAt = datetime('now', '-3 days'), AvailableAt = datetime('now', '-3 days') WHERE Id IN (1, 3)`)
	clitest.ByHand(t, `UPDATE BotWorkQueueItems SET FinishedAt = datetime('now', '-3 days') WHERE Id = 1`)
	clitest.ByHand(t, `UPDATE BotWorkQueueItems SET Error = 'Connection refused', ErrorKind = 'timeout', NaturalKey = 'order-17' WHERE Id = 3`)
	for _, c := range []struct {
		flags string
		want  []int64
	}{
		{"--created-since 2d", []int64{7, 6, 5, 4, 2}},
		{"--created-until 2d", []int64{3, 1}},
		{"--created-since 4d --created-until 2d", []int64{3, 1}},
		{"--finished-since 1h", []int64{3}},
		{"--failed-since 1h", []int64{3}},
		{"--failed-until 1h", nil},
		{"--error-kind timeout,panic", []int64{3}},
		{"--error CONNECTION", []int64{3}},
		{"--key-part ORDER", []int64{3}},
		{"--sort id --limit 2", []int64{1, 2}},
		{"--sort -priority --limit 1", []int64{4}},
		{"--sort created --status failed", []int64{3}},
	} {
		var ids []int64
		args := append([]string{"items", "list", "-o", "json"}, strings.Fields(c.flags)...)
		for _, it := range clitest.Decode[[]clitest.Listed](t, clitest.Must(t, args...)) {
			ids = append(ids, it.ID)
		}
		if !slices.Equal(ids, c.want) {
			t.Errorf("%s: got the items %d, want %d", c.flags, ids, c.want)
		}
	}
	if out := clitest.Must(t, "items", "list", "--created-since", "2d", "--count"); out != "5\n" {
		t.Errorf("--count printed %q, want 5", out)
	}
	if out := clitest.Must(t, "items", "repeat", "--failed-since", "1h", "--error", "refused"); out != "1 item repeated\n" {
		t.Errorf("repeat of a filter printed %q", out)
	}
}

func TestItemsSearchRefusals(t *testing.T) {
	clitest.InProject(t)
	clitest.BusyQueue(t)
	clitest.Do(t, "items", "list", "--pipeline", "helo").WantFailure(t, cli.ExitUsage, "no item has the pipeline", `did you mean "hello"?`)
	clitest.Do(t, "items", "cancel", "--pipeline", "helo").WantFailure(t, cli.ExitUsage, `did you mean "hello"?`)
	for _, c := range []struct{ flags, want string }{
		{"--failed-since 25:00", "want a time such as"},
		{"--created-since 1h --created-until 2h", "which is not before"},
		{"--error-kind bug", "want one of error, business"},
		{"--sort size", "want one of"},
		{"--sort due --before 3", "want one of them"},
	} {
		clitest.Do(t, append([]string{"items", "list"}, strings.Fields(c.flags)...)...).WantFailure(t, cli.ExitUsage, c.want)
	}
	for _, flag := range []string{"--error", "--key-part", "--error-kind", "--created-since", "--failed-until"} {
		clitest.Do(t, "items", "cancel", flag, "").WantFailure(t, cli.ExitUsage, "got an empty text")
	}
}
