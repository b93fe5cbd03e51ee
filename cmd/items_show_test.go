package cmd

import (
	"strings"
	"testing"
)

func TestItemsShowAllFields(t *testing.T) {
	inProject(t)
	taggedQueue(t)
	byHand(t, `UPDATE BotWorkQueueItems SET State = 2, Output = '{"n": 1}', Progress = 'all done', ProgressPercent = 100, Analytics = '{"amount": 12}',
		LimitKey = 'host-1', Robot = 'robot-1', RetainMs = 7200000, RootId = 2, TaskName = 'nightly', TaskScope = 'lisbon', TaskPlannedAt = '2026-11-21 00:00:00.000', EstimatedDurationMs = 90000,
		FinishedAt = '2026-11-21 10:00:00.000', RetainUntil = '2026-11-21 12:00:00.000', ExpiresAt = '2026-11-28 10:00:00.000',
		DeletedAt = '2026-11-21 11:00:00.000', DeletedReason = 'of no use' WHERE Id = 1`)
	sheet := mustDo(t, "items", "show", "1")
	golden(t, "items_show_all.txt", shownInstants.ReplaceAllString(sheet, "YYYY-MM-DD hh:mm:ssZ"))

	byHand(t, `UPDATE BotWorkQueueItems SET Tags = 'by hand', Metadata = '["by", "hand"]' WHERE Id = 2`)
	for _, want := range []string{"by hand", `["by", "hand"]`} {
		if sheet := mustDo(t, "items", "show", "2"); !strings.Contains(sheet, want) {
			t.Errorf("the sheet lacks %s:\n%s", want, sheet)
		}
	}
}

// What looks like markup is shown as it stands, in each command that prints items.
func TestItemsJSONLeavesMarkupAlone(t *testing.T) {
	inProject(t)
	const payload = `{"name":"<b>Ada & Bo</b>"}`
	made := mustDo(t, "enqueue", "--pipeline", "hello", "--payload", payload, "-o", "json")
	for what, out := range map[string]string{
		"enqueue":    made,
		"items list": mustDo(t, "items", "list", "-o", "json"),
		"items show": mustDo(t, "items", "show", "1", "-o", "json"),
	} {
		if !strings.Contains(out, `"<b>Ada & Bo</b>"`) {
			t.Errorf("%s shows the payload %s otherwise:\n%s", what, payload, out)
		}
	}
}
