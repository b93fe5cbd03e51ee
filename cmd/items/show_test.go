package items_test

import (
	"strings"
	"testing"

	"botwork/cmd/internal/clitest"
)

func TestItemsShowAllFields(t *testing.T) {
	clitest.InProject(t)
	taggedQueue(t)
	clitest.ByHand(t, `UPDATE BotWorkQueueItems SET State = 2, Output = '{"n": 1}', Progress = 'all done', ProgressPercent = 100, Analytics = '{"amount": 12}',
		LimitKey = 'host-1', Robot = 'robot-1', RetainMs = 7200000, RootId = 2, TaskName = 'nightly', TaskScope = 'lisbon', TaskPlannedAt = '2026-11-21 00:00:00.000', EstimatedDurationMs = 90000,
		FinishedAt = '2026-11-21 10:00:00.000', RetainUntil = '2026-11-21 12:00:00.000', ExpiresAt = '2026-11-28 10:00:00.000',
		DeletedAt = '2026-11-21 11:00:00.000', DeletedReason = 'of no use' WHERE Id = 1`)
	sheet := clitest.Must(t, "items", "show", "1")
	clitest.Golden(t, "items_show_all.txt", clitest.ShownInstants.ReplaceAllString(sheet, "YYYY-MM-DD hh:mm:ssZ"))

	clitest.ByHand(t, `UPDATE BotWorkQueueItems SET Tags = 'by hand', Metadata = '["by", "hand"]' WHERE Id = 2`)
	for _, want := range []string{"by hand", `["by", "hand"]`} {
		if sheet := clitest.Must(t, "items", "show", "2"); !strings.Contains(sheet, want) {
			t.Errorf("the sheet lacks %s:\n%s", want, sheet)
		}
	}
}

// Text that looks like markup is printed unchanged by each command that prints items.
func TestItemsJSONDoesNotEscapeMarkup(t *testing.T) {
	clitest.InProject(t)
	const payload = `{"name":"<b>Ada & Bo</b>"}`
	made := clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload", payload, "-o", "json")
	for what, out := range map[string]string{
		"enqueue":    made,
		"items list": clitest.Must(t, "items", "list", "-o", "json"),
		"items show": clitest.Must(t, "items", "show", "1", "-o", "json"),
	} {
		if !strings.Contains(out, `"<b>Ada & Bo</b>"`) {
			t.Errorf("%s shows the payload %s otherwise:\n%s", what, payload, out)
		}
	}
}
