package notifications_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/internal/operations"
)

func TestNotifications(t *testing.T) {
	clitest.InProject(t)
	if out := clitest.Must(t, "notifications", "list"); !strings.Contains(out, "no rules") {
		t.Errorf("got %q", out)
	}
	status := http.StatusOK
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte("thank you"))
	}))
	defer sink.Close()
	clitest.WriteFile(t, "botwork.yaml", `handlers: {http: {allow: [127.0.0.1]}}
notifications:
  targets:
    chat: {kind: slack, url: "`+sink.URL+`/services/hunter2"}
    lost: {kind: webhook, url: {env: NO_SUCH_VARIABLE}}
  rules:
    failures: {event: item-cancelled, targets: [chat]}
`)
	if out := clitest.Must(t, "notifications", "list"); !strings.Contains(out, "failures") || !strings.Contains(out, "evaluated: never") {
		t.Errorf("got %q", out)
	}
	clitest.Do(t, "notifications", "test", "lost").WantFailure(t, cli.ExitUsage, "NO_SUCH_VARIABLE")
	if out := clitest.Must(t, "notifications", "test", "chat"); out != "sent to chat: status 200 thank you\n" {
		t.Errorf("got %q", out)
	}
	status = http.StatusForbidden
	if got := clitest.Do(t, "notifications", "test", "chat"); got.Code != cli.ExitFailed || !strings.Contains(got.Stderr, "403") || strings.Contains(got.Stderr, "hunter2") {
		t.Errorf("got %+v, want a failure without the address", got)
	}
	clitest.Do(t, "notifications", "test", "chta").WantFailure(t, cli.ExitUsage, `did you mean "chat"?`)
	clitest.Do(t, "notifications", "mute", "failures").WantFailure(t, cli.ExitUsage, "--for")
	clitest.Do(t, "notifications", "mute", "failures", "--for", "2x").WantFailure(t, cli.ExitUsage, "--for")
	clitest.Do(t, "notifications", "mute", "failres", "--for", "2h").WantFailure(t, cli.ExitUsage, `did you mean "failures"?`)
	if out := clitest.Must(t, "notifications", "mute", "failures", "--for", "2h", "--reason", "works"); !strings.HasPrefix(out, "rule failures: muted until ") {
		t.Errorf("got %q", out)
	}
	var list operations.Notifications
	if err := json.Unmarshal([]byte(clitest.Must(t, "notifications", "list", "-o", "json")), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Rules) != 1 || list.Rules[0].State != "muted" || list.Rules[0].Mute.Reason != "works" {
		t.Errorf("got %+v", list)
	}
	if out := clitest.Must(t, "notifications", "unmute", "failures"); out != "rule failures: unmuted\n" {
		t.Errorf("got %q", out)
	}
	if out := clitest.Must(t, "notifications", "unmute", "failures"); out != "rule failures: it was not muted\n" {
		t.Errorf("got %q", out)
	}
	if log := clitest.Must(t, "audit", "list", "--action", "notifications", "-o", "json"); strings.Count(log, `"notifications.test"`) != 2 || !strings.Contains(log, `"reason": "works"`) {
		t.Errorf("audit log: %s", log)
	}
}
