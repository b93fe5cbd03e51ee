package doctor

import (
	"context"
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"testing"
)

func TestAccounts(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "botwork.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		service Service
		err     error
		state   State
		text    string
	}{
		{"none", Service{}, nil, OK, `no service "nightly" is installed`},
		{"not known", Service{}, errors.New("access is denied"), Warning, "access is denied"},
		{"this account", Service{Installed: true, Account: me.Username, Config: file}, nil, OK, `the service "nightly" as ` + me.Username},
		{"no such account", Service{Installed: true, Account: "botwork-no-such-user"}, nil, Warning, "this machine does not know"},
		{"failed", Service{Installed: true, Account: me.Username, Config: file, Failed: true, ExitCode: 2}, nil, Warning, "failed with exit code 2"},
		{"other environment", Service{Installed: true, Account: me.Username, Config: file, Environment: "prod"}, nil, Warning, "--environment \"prod\""},
		{"other settings", Service{Installed: true, Account: me.Username, Config: file + "x"}, nil, Warning, "check that file with --config"},
	} {
		d := New(Options{File: file, ServiceName: "nightly", Service: func(context.Context) (Service, error) { return c.service, c.err }})
		wantResult(t, c.name, d.accounts(t.Context())[0], c.state, c.text)
		if d.account.name != "" {
			t.Errorf("%s: folders are checked for %q, want the current account", c.name, d.account.name)
		}
	}
}
