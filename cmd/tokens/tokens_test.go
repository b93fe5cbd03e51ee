package tokens_test

import (
	"encoding/json"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue/access"
)

func TestTokens(t *testing.T) {
	clitest.InProject(t)
	text := strings.TrimSpace(clitest.Must(t, "tokens", "create", "bot-7", "--role", "robot", "--queue", "default"))
	if !strings.HasPrefix(text, access.TokenPrefix) || strings.ContainsAny(text, " \n") {
		t.Fatalf("got %q, want a token alone", text)
	}
	var made struct {
		access.Token
		Text string `json:"token"`
	}
	if err := json.Unmarshal([]byte(clitest.Must(t, "tokens", "create", "dash", "--role", "viewer", "--expires", "90d", "-o", "json")), &made); err != nil {
		t.Fatal(err)
	}
	if made.Role != access.Viewer || made.ExpiresAt == nil || made.Start != access.ShownStart(made.Text) {
		t.Errorf("got %+v", made)
	}
	list := clitest.Must(t, "tokens", "list")
	if strings.Contains(list, text) || !strings.Contains(list, access.ShownStart(text)) || !strings.Contains(list, "valid") {
		t.Errorf("got the list\n%s", list)
	}
	if out := clitest.Must(t, "tokens", "revoke", "bot-7", "--reason", "lost"); out != "token 1 (bot-7) revoked\n" {
		t.Errorf("got %q", out)
	}
	if out := clitest.Must(t, "tokens", "revoke", "1"); out != "token 1 (bot-7) was revoked before\n" {
		t.Errorf("got %q", out)
	}
	clitest.Must(t, "tokens", "create", "bot-7", "--role", "robot", "--queue", "default") // the name is free again
	if log := clitest.Must(t, "audit", "list", "--action", "tokens", "-o", "json"); strings.Contains(log, access.Hash(text)) || !strings.Contains(log, `"reason": "lost"`) {
		t.Errorf("got the audit log\n%s", log)
	}
}

func TestWrongTokens(t *testing.T) {
	clitest.InProject(t)
	clitest.Do(t, "tokens", "create", "x", "--role", "robot", "--queue", "defalt").WantFailure(t, cli.ExitFailed, `did you mean "default"?`)
	clitest.Must(t, "tokens", "create", "one", "--role", "viewer")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"create", "x"}, "--role: got none"},
		{[]string{"create", "x", "--role", "root"}, `--role: got "root", want one of`},
		{[]string{"create", "x", "--role", "robot"}, "queues: got none"},
		{[]string{"create", "x", "--role", "viewer", "--expires", "0s"}, "--expires: got 0s, want more than 0s"},
		{[]string{"create", "x", "--role", "viewer", "--expires", "soon"}, "--expires"},
		{[]string{"create", " x", "--role", "viewer"}, "no spaces around it"},
		{[]string{"create", "one", "--role", "viewer"}, `there is a token "one" already`},
		{[]string{"revoke", "two"}, `there is no token "two"`},
	} {
		clitest.Do(t, append([]string{"tokens"}, c.args...)...).WantFailure(t, cli.ExitUsage, c.want)
	}
}
