package users_test

import (
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

func TestUsers(t *testing.T) {
	clitest.InProject(t)
	if out := clitest.Must(t, "users", "list"); out != "no users\n" {
		t.Errorf("got %q", out)
	}
	if r := clitest.DoWith(t, "correct horse battery\n", nil, "users", "create", "ada", "--role", "admin", "--password-stdin"); r.Code != 0 || r.Stdout != "user ada created as admin\n" || r.Stderr != "" {
		t.Errorf("got %+v", r)
	}
	if r := clitest.Do(t, "users", "create", "bob", "--role", "Viewer", "--queue", "default"); r.Code != 0 || !strings.Contains(r.Stderr, "botwork users link bob") {
		t.Errorf("got %+v", r)
	}
	list := clitest.Must(t, "users", "list")
	for _, want := range []string{"ada", "admin", "password", "bob", "default", "link", "enabled"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list has no %q:\n%s", want, list)
		}
	}
	if json := clitest.Must(t, "users", "list", "-o", "json"); strings.Contains(json, "argon2id") || !strings.Contains(json, `"role": "viewer"`) {
		t.Errorf("got %s", json)
	}
	if out := clitest.Must(t, "users", "set", "BOB", "--role", "editor", "--all-queues", "--reason", "promoted"); out != "user bob is editor for all queues\n" {
		t.Errorf("got %q", out)
	}
	if r := clitest.DoWith(t, "another good password", nil, "users", "password", "bob", "--password-stdin"); r.Stdout != "password of user bob set\n" {
		t.Errorf("got %+v", r)
	}
	own := []string{"users", "password", "bob", "--own", "--password-stdin"}
	if r := clitest.DoWith(t, "another good password\r\na third good password\n", nil, own...); r.Stdout != "password of user bob changed; all sessions have ended\n" {
		t.Errorf("got %+v", r)
	}
	clitest.DoWith(t, "another good password\na fourth good password", nil, own...).WantFailure(t, cli.ExitFailed, "the present password is wrong")
	clitest.DoWith(t, "one line", nil, own...).WantFailure(t, cli.ExitUsage, "want two lines")
	link := clitest.Must(t, "users", "link", "ada")
	if !strings.HasPrefix(link, "http://127.0.0.1:8321/auth/link?token=") || strings.Count(link, "\n") != 1 {
		t.Errorf("got %q", link)
	}
	clitest.WriteFile(t, "botwork.yaml", "http: {publicUrl: \"https://bots.example.com/\"}\n")
	if link := clitest.Must(t, "users", "link", "ada"); !strings.HasPrefix(link, "https://bots.example.com/auth/link?token=") {
		t.Errorf("got %q", link)
	}
	for _, want := range []string{"user bob disabled\n", "user bob was disabled before\n"} {
		if out := clitest.Must(t, "users", "disable", "bob"); out != want {
			t.Errorf("got %q, want %q", out, want)
		}
	}
	clitest.Do(t, "users", "link", "bob").WantFailure(t, cli.ExitUsage, "user bob is disabled")
	if out := clitest.Must(t, "users", "enable", "bob"); out != "user bob enabled\n" {
		t.Errorf("got %q", out)
	}
	if out := clitest.Must(t, "users", "sign-out", "bob"); out != "0 sessions of user bob ended\n" {
		t.Errorf("got %q", out)
	}
	log := clitest.Must(t, "audit", "list", "--action", "users", "-o", "json")
	if strings.Contains(log, "argon2id") || strings.Contains(log, "horse") || !strings.Contains(log, `"reason": "promoted"`) {
		t.Errorf("got the audit log\n%s", log)
	}
}

func TestWrongUsers(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "users", "create", "ada", "--role", "admin")
	clitest.Do(t, "users", "create", "x", "--role", "viewer", "--queue", "defalt").WantFailure(t, cli.ExitFailed, `did you mean "default"?`)
	for _, c := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"", []string{"create", "x"}, "--role: got none"},
		{"", []string{"create", "x", "--role", "robot"}, "robots use tokens"},
		{"", []string{"create", "x", "--role", "root"}, `--role: got "root"`},
		{"", []string{"create", "Ada", "--role", "viewer"}, `there is a user "Ada" already`},
		{"", []string{"create", " x", "--role", "viewer"}, "no spaces around it"},
		{"short", []string{"create", "x", "--role", "viewer", "--password-stdin"}, "password: got 5 characters, want at least 12"},
		{"a.long.name@example.com", []string{"create", "a.long.name@example.com", "--role", "viewer", "--password-stdin"}, "password: got the name of the user"},
		{"\n", []string{"create", "x", "--role", "viewer", "--password-stdin"}, "standard input is empty"},
		{strings.Repeat("x", 5000), []string{"password", "ada", "--password-stdin"}, "more than 4096 bytes"},
		{"", []string{"password", "ada"}, "--password-stdin"},
		{"", []string{"password", "ada", "correct horse battery"}, "want one: the user's name"},
		{"", []string{"set", "ada"}, "got nothing to change"},
		{"", []string{"set", "eve", "--role", "viewer"}, `there is no user "eve"`},
		{"", []string{"set", "ada", "--queue", "default", "--all-queues"}, "all-queues"},
		{"", []string{"link", "eve"}, `there is no user "eve"`},
		{"", []string{"disable", "eve"}, `there is no user "eve"`},
		{"", []string{"sign-out", "eve"}, `there is no user "eve"`},
	} {
		clitest.DoWith(t, c.stdin, nil, append([]string{"users"}, c.args...)...).WantFailure(t, cli.ExitUsage, c.want)
	}
}
