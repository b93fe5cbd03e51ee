//go:build unix

package e2e

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// dsnPassword is the database's password; URLs encode it differently.
const dsnPassword = "h@nter/22 of the database"

// withPassword returns the DSN with a password, which the servers of tests and SQLite ignore.
func withPassword(t *testing.T, e testdb.Engine, dsn string) string {
	if e.Driver == database.SQLite {
		t.Skip("SQLite has no password; the settings refuse one in the path of its file")
	}
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	if old, has := u.User.Password(); has {
		t.Skip("this server requires its own password, which the test does not know: ", len(old))
	}
	u.User = url.UserPassword(u.User.Username(), dsnPassword)
	return u.String()
}

func TestDatabasePasswordIsNeverShown(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		dsn := e.DSN(t)
		x := projectOn(t, e, dsn, e.Open(t, dsn))
		secret := withPassword(t, e, dsn)
		x.environ = []string{"PGDSN=" + secret, "ERP_DSN=" + secret, "API_TOKEN=hunter-of-the-api"}
		driver := string(e.Driver)
		x.write("botwork.yaml", "database: {driver: "+driver+", dsn: {env: PGDSN}}\n"+
			"connections: {erp: {driver: "+driver+", dsn: {env: ERP_DSN}}}\n"+
			"secrets: {apiToken: {env: API_TOKEN}}\n"+
			"log: {format: json, level: trace}\n")
		// The output of a child, a statement, a header and a program's own encoding.
		x.write("pipelines/child.yaml", "steps:\n  - {handler: Exec, with: {program: env}}\n")
		x.write("pipelines/statement.yaml", "resilience: {limit: 1}\nsteps:\n  - handler: SQL\n    with: {connection: erp, query: 'SELECT * FROM \""+dsnPassword+"\"'}\n")
		x.write("pipelines/computed.yaml", "steps:\n  - handler: Log\n    with: {message: \"${{ env[payload.name] }}\"}\n")
		encoded := base64.StdEncoding.EncodeToString([]byte("bot:" + dsnPassword))
		x.write("pipelines/encoded.yaml", "steps:\n  - {handler: Log, with: {message: 'by hand: "+encoded+" "+secret+"'}}\n"+
			"  - {handler: Exec, with: {program: printf, args: ['%s\\n', '"+dsnPassword+"', '"+url.QueryEscape(dsnPassword)+"', '"+secret+"', '"+hex.EncodeToString([]byte(dsnPassword))+"', '"+encoded+"']}}\n")
		w := x.worker("w")
		ids := map[string]int64{}
		for name, want := range map[string]workqueue.State{"child": workqueue.Processed, "statement": workqueue.Cancelled, "computed": workqueue.Cancelled, "encoded": workqueue.Processed} {
			ids[name] = x.enqueue(name, `{"name": "PGDSN"}`)
			x.awaitState(ids[name], want)
		}
		w.wantDrained(os.Interrupt)

		output := w.String()
		for name, id := range ids {
			shown := x.must("items", "show", fmt.Sprint(id), "--output", "json")
			output += shown + x.must("items", "show", fmt.Sprint(id))
			if name == "computed" && !strings.Contains(shown, "the setting database.dsn reads it as a secret") {
				t.Errorf("the item with a computed name is %s", shown)
			}
			if name == "statement" && !strings.Contains(shown, `<secret>`) {
				t.Errorf("the item with a failed statement is %s", shown)
			}
		}
		output += storedTexts(t, e, dsn)
		for _, leak := range []string{
			dsnPassword, url.QueryEscape(dsnPassword), url.PathEscape(dsnPassword), "hunter-of-the-api", "PGDSN=", "ERP_DSN=", "API_TOKEN=",
			base64.StdEncoding.EncodeToString([]byte(dsnPassword)), hex.EncodeToString([]byte(dsnPassword)), encoded,
		} {
			if at := strings.Index(output, leak); at >= 0 {
				t.Errorf("%q is visible in: %s", leak, output[max(0, at-200):min(len(output), at+100)])
			}
		}

		x.write("pipelines/direct.yaml", "steps:\n  - handler: Log\n    with: {message: \"${{ env.PGDSN }}\"}\n")
		r := x.run("pipelines", "check")
		r.want(2)
		if want := `direct.yaml:3:30: the environment variable "PGDSN" cannot be read here: the setting database.dsn reads it as a secret [secret-variable]`; !strings.Contains(r.stdout, want) {
			t.Errorf("the check prints %s%s, want %s", r.stdout, r.stderr, want)
		}
	})
}

// storedTexts returns the texts of the rows that a run writes.
func storedTexts(t *testing.T, e testdb.Engine, dsn string) string {
	t.Helper()
	db, err := database.Open(e.Driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var all strings.Builder
	for _, query := range []string{
		`SELECT COALESCE("Error", '') FROM "BotWorkItemAttempts"`,
		`SELECT COALESCE("Error", '') || COALESCE("Output", '') || COALESCE("Progress", '') FROM "BotWorkQueueItems"`,
	} {
		rows, err := db.Query(query)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				t.Fatal(err)
			}
			all.WriteString(text + "\n")
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
	return all.String()
}

func TestSystemdCredentialIsRead(t *testing.T) {
	dir, credentials := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(credentials, "dsn"), []byte(filepath.Join(dir, "queue.db")+"\n"), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "botwork.yaml"), []byte("database: {dsn: {credential: dsn}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, dir, []string{"CREDENTIALS_DIRECTORY=" + credentials}, "db", "status").want(0)
	run(t, dir, nil, "db", "status").want(2, "there is no credential dsn: the environment variable CREDENTIALS_DIRECTORY is not set")
}
