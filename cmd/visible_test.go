package cmd_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"

	"botwork/cmd/internal/clitest"
)

// nasty has what a foreign text may contain to control a terminal or to look like another text.
const nasty = "x\x1b[2J\x1b]0;t\a\rok\b\u009b1m\u202egpj\u200b"

// The rows of a database may contain any characters. No command shows one that controls a
// terminal; JSON has them as they are.
func TestForeignTextCannotControlTheTerminal(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "Ada"}`)
	clitest.OpenQueue(t)
	quoted := strings.NewReplacer("'", "''").Replace(nasty)
	clitest.ByHand(t, `UPDATE BotWorkQueueItems SET CreatedBy = '`+quoted+`', Error = '`+quoted+"\nsecond', ErrorKind = 'error', LogTail = '"+quoted+`', State = 3, FinishedAt = AvailableAt,
		Robot = '`+quoted+`', NaturalKey = '`+quoted+`', IntegrationConfig = '`+quoted+`', Progress = '`+quoted+`'`)
	clitest.ByHand(t, `INSERT INTO BotWorkers (Name, InstanceId, Host, Version, Pid, Capacity) VALUES ('`+quoted+"\nw2', 'i', '"+quoted+`', '`+quoted+`', 1, 1)`)
	shown := 0
	for _, args := range []string{
		"items list --status failed", "items list", "items show 1", "items why 1", "items update 1 --priority 5", "items repeat 1", "workers list", "queues list", "queues show default",
		"stats", "report", "audit list", "runs list", "durations list", "doctor", "check", "assign --dry-run", "forecast", "notifications list", "items cancel 1 --reason " + nasty,
		"items show " + nasty, "items list --queue " + nasty, "pipelines show " + nasty, "nonsense-" + nasty,
	} {
		r := clitest.Do(t, strings.Split(args, " ")...)
		out := r.Stdout + r.Stderr
		if at := strings.IndexFunc(out, controls); at >= 0 {
			t.Errorf("botwork %q shows %q in\n%q", args, []rune(out[at:])[0], out)
		}
		if strings.Contains(out, `\x1b[2J`) {
			shown++
		}
	}
	if shown < 8 {
		t.Errorf("%d commands show the escaped text, want at least 8", shown)
	}
	type item struct{ CreatedBy string }
	if got := clitest.Decode[item](t, clitest.Must(t, "items", "show", "1", "-o", "json")); got.CreatedBy != nasty {
		t.Errorf("created by in JSON = %q, want %q", got.CreatedBy, nasty)
	}
}

// controls reports whether a character must not reach a terminal.
func controls(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
}

func TestAnswerOfServerCannotControlTheTerminal(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusConflict)
		_ = json.NewEncoder(w).Encode(map[string]any{"code": "item-running", "detail": nasty, "status": http.StatusConflict})
	}))
	defer server.Close()
	r := clitest.DoWith(t, "", []string{"BOTWORK_SERVER=" + server.URL, "BOTWORK_TOKEN=token-of-a-test"}, "items", "list")
	if !strings.Contains(r.Stderr, `x\x1b[2J`) || strings.ContainsFunc(r.Stderr, controls) {
		t.Errorf("standard error = %q, want the escaped text", r.Stderr)
	}
}
