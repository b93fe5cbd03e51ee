package keys_test

import (
	"os"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/config"
)

// A process without its keys would fail items of other workers, so it does not start. `botwork
// run` does not wait for keys as it does for a database.
func TestUnusableKeysetStopsAllCommands(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "keys", "new", "--out", "keyset.json")
	k := keysetIn(t, "keyset.json")
	broken := strings.Replace(clitest.ReadFile(t, "keyset.json"), `"ENABLED"`, `"DISABLED"`, 1)
	clitest.WriteFile(t, "broken.json", broken)
	clitest.WriteFile(t, "botwork.yaml", "encryption:\n  keyset: {file: broken.json}\n")
	for name, environ := range map[string][]string{
		"botwork.yaml:2:11: encryption.keyset: ":         nil,
		"BOTWORK_ENCRYPTION_KEYSET: encryption.keyset: ": {"BOTWORK_ENCRYPTION_KEYSET=" + broken},
	} {
		for _, line := range []string{
			"run", "run --once", "items list", "items show 1", "workers list", "workers drain a", "enqueue --pipeline hello",
			"db status", "db migrate",
		} {
			r := clitest.DoWith(t, "", environ, strings.Fields(line)...)
			r.WantFailure(t, cli.ExitUsage, name+"the primary key ", "is DISABLED, want ENABLED", "botwork: 1 error\n")
			wantNoKey(t, k, r.Stdout+r.Stderr)
		}
	}
	if _, err := os.Stat("botwork.db"); err == nil {
		t.Error("the database was opened without its keys")
	}
	// Commands that do not need the database still work.
	clitest.Must(t, "pipelines", "check")

	clitest.WriteFile(t, "botwork.yaml", "encryption: {keyset: {file: gone.json}}\n")
	clitest.Do(t, "items", "list").WantFailure(t, cli.ExitUsage, "botwork.yaml:1:22: encryption.keyset: open ", "gone.json", "[no-value]")

	clitest.WriteFile(t, "botwork.yaml", "encryption: {keyset: {file: keyset.json}}\n")
	clitest.Must(t, "items", "list")
	clitest.Must(t, "run", "--once", "ExecuteWorkQueue")
}

func TestCipherOfTheSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	a := &cli.App{Settings: cli.Settings{Config: config.Default()}}
	if cipher, err := a.Cipher(); cipher != nil || err != nil {
		t.Errorf("without a keyset: cipher = %v, %v; want none", cipher, err)
	}
	clitest.Must(t, "keys", "new", "--out", "keyset.json")
	a.Environ = []string{"BOTWORK_ENCRYPTION_KEYSET=" + clitest.ReadFile(t, "keyset.json")}
	if err := a.LoadConfig(); err != nil {
		t.Fatal(err)
	}
	cipher, err := a.Cipher()
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := cipher.Seal("text", "place")
	if err != nil {
		t.Fatal(err)
	}
	if opened, err := keysetIn(t, "keyset.json").Open(sealed, "place"); err != nil || opened != "text" {
		t.Errorf("the file's keys open %q, %v", opened, err)
	}
}

// Logs and errors of items hide the keys like secrets, because a pipeline can read a file or a
// variable.
func TestRedactorHidesKeys(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Must(t, "keys", "new", "--out", "keyset.json")
	text := clitest.ReadFile(t, "keyset.json")
	a := &cli.App{Settings: cli.Settings{Environ: []string{"BOTWORK_ENCRYPTION_KEYSET=" + text, "BOTWORK_SECRET_TOKEN=hunter2"}}}
	if err := a.LoadConfig(); err != nil {
		t.Fatal(err)
	}
	said := a.Redactor().Redact("got " + text + " and hunter2")
	wantNoKey(t, keysetIn(t, "keyset.json"), said)
	if strings.Contains(said, "hunter2") || !strings.Contains(said, `"primaryKeyId"`) {
		t.Errorf("redacted: %s", said)
	}
}
