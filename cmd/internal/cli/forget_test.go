package cli

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSecretVariablesAreClearedOnceRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "botwork.yaml")
	text := "database: {dsn: {env: QUEUE_DSN}}\nsecrets: {token: {env: API_TOKEN}, database: {env: PGPASSWORD}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a := New(strings.NewReader(""), io.Discard, []string{"QUEUE_DSN=queue.db", "API_TOKEN=hunter22", "PGPASSWORD=hunter23", "BOTWORK_SECRET_MAIL=hunter24", "HOME=" + dir})
	var cleared []string
	a.Unset = func(name string) error {
		cleared = append(cleared, name)
		return nil
	}
	a.ConfigFile = file
	for range 2 { // a second read, as for a reload, still finds them
		cleared = nil
		if err := a.LoadConfig(); err != nil {
			t.Fatal(err)
		}
		slices.Sort(cleared)
		// PostgreSQL's driver reads PGPASSWORD whenever it connects.
		if want := []string{"API_TOKEN", "BOTWORK_SECRET_MAIL", "QUEUE_DSN"}; !slices.Equal(cleared, want) {
			t.Errorf("cleared %q, want %q", cleared, want)
		}
		if a.Config.Secrets["token"].Reveal() != "hunter22" || a.Config.Database.DSN.Reveal() != filepath.Join(dir, "queue.db") {
			t.Errorf("the settings lost their secrets: %q", a.Config.Secrets["token"].Reveal())
		}
	}
}

func TestErrorsOfCommandsShowNoSecret(t *testing.T) {
	var stderr strings.Builder
	a := New(strings.NewReader(""), &stderr, []string{"API_TOKEN=hunter22"})
	a.ConfigFile = filepath.Join(t.TempDir(), "botwork.yaml")
	if err := os.WriteFile(a.ConfigFile, []byte("secrets: {token: {env: API_TOKEN}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := a.LoadConfig(); err != nil {
		t.Fatal(err)
	}
	a.Complain(Usagef("got hunter22"))
	if got := stderr.String(); got != "botwork: got <secret>\n" {
		t.Errorf("it prints %q", got)
	}
}
