package cmd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"botwork/cmd"
	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/cmd/internal/projectdir"
	"botwork/internal/doctor"
	"botwork/internal/operations"
	"botwork/internal/tests/testbuild"
)

// served is a project and a copy of it that a server serves.
type served struct {
	dir     string   // the project
	copied  string   // the copy that the server serves
	away    string   // an empty folder, from which commands call the server
	environ []string // names the server and the token
}

// bothWays makes a project of the working folder, and serves a copy of it.
func bothWays(t *testing.T, seed func()) served {
	t.Helper()
	clitest.InProject(t)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	seed()
	// The token has the name of the user, who is the creator of items without a server.
	token := strings.TrimSpace(clitest.Must(t, "tokens", "create", cli.UserName(), "--role", "admin"))
	copied := filepath.Join(t.TempDir(), "project")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return served{dir, copied, t.TempDir(), []string{"BOTWORK_SERVER=" + serve(t, copied), "BOTWORK_TOKEN=" + token}}
}

// serve runs `botwork serve` until the test ends, and returns its address. The server chooses its
// port: if the test chose a free one, its own proxy could get the same port before the server starts.
func serve(t *testing.T, dir string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var code int
	ended := make(chan struct{})
	log := testbuild.NewOutput()
	go func() {
		defer close(ended)
		code = cmd.Run(ctx, []string{"serve", "--config", filepath.Join(dir, "botwork.yaml"), "--listen", "127.0.0.1:0"}, strings.NewReader(""), io.Discard, log, nil)
	}()
	t.Cleanup(func() {
		cancel()
		if <-ended; code != cli.ExitDone {
			t.Errorf("botwork serve: exit code %d\n%s", code, log)
		}
	})
	var address string
	err := log.Await(ended, time.Minute, func(text string) bool {
		address = serverURL.FindString(text)
		return address != ""
	})
	if err != nil {
		t.Fatalf("botwork serve: %v\n%s", err, log)
	}
	return address
}

// serverURL matches the address in the log of a server.
var serverURL = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// both runs a command line without and with the server.
func (s served) both(t *testing.T, stdin string, args ...string) (local, remote clitest.Result) {
	t.Helper()
	// Both are called from a folder that holds neither project, because files are shown relative to it.
	t.Chdir(s.away)
	local = clitest.DoWith(t, stdin, nil, append(slices.Clip(args), "--config", filepath.Join(s.dir, "botwork.yaml"))...)
	return local, clitest.DoWith(t, stdin, s.environ, args...)
}

// differs matches what two databases do not have in common: the times of the changes that a test
// makes, and random keys.
var differs = regexp.MustCompile(`"[0-9-]{10}T[0-9:.]{8,}Z"|[0-9-]{10} [0-9:]{8}( [A-Z]+)?|"[0-9a-f-]{36}"|"[A-Z2-7]{26}"|"?[0-9a-f]{32}"?|in (about|less than) [0-9a-z]+|seen (less than )?[0-9a-z]+ ago|oldest due +[0-9.a-z]+|PerMinute"?: [0-9.e-]+|oldestWaiting"?: "?[0-9.a-z]+"?`)

// comparable returns an output without what differs. Paths of the server's project are as if it were
// the project of the command, and columns as wide as their texts.
func (s served) comparable(output string) string {
	output = strings.ReplaceAll(output, s.copied, s.dir)
	return spaces.ReplaceAllString(differs.ReplaceAllString(output, "~"), "  ")
}

// figures matches the numbers, times and spans of a forecast.
var figures = regexp.MustCompile(`~Z?|[0-9][0-9hms.:-]*`)

var spaces = regexp.MustCompile(` {2,}`)

// overServerCases are command lines of all commands that work over a server, in the order in which
// they run. A test refuses a command that is missing. SINCE and UNTIL are two hours before and after the
// start of the test: both calls of a line are about the same periods.
var overServerCases = []struct {
	line  string
	stdin string
}{
	{line: "items list"},
	{line: "items list --status pending,cancelled --sort -priority --limit 3"},
	{line: "items list --created-since 2d --tag urgent --meta customer=4711"},
	{line: "items list --payload 'name == \"Ada\"' --min-priority 100"},
	{line: "items list --count"},
	{line: "items list --queue nowhere"},
	{line: "items list --key none"},
	{line: "items show 1"},
	{line: "items show 99"},
	{line: "items show 99 --follow"},
	{line: "items logs 1"},
	{line: "items why 1"},
	{line: "items why 2"},
	{line: "items batch batch-key-1"},
	{line: "items batch unknown-key"},
	{line: "items update 3 --priority 1500 --tag +new --meta a=b --limit-key k"},
	{line: "items update 3 --clear limit-key --payload '{\"name\": \"Bo\"}' --if-version 2"},
	{line: "items update 3 --priority 1 --if-version 1"},
	{line: "items update --queue default --status pending --max-priority 900 --priority 901 --dry-run"},
	{line: "items update --queue default --status pending --max-priority 900 --priority 901"},
	{line: "items cancel 2 4 99 --reason 'no longer wanted'"},
	{line: "items logs 2 --follow"},
	{line: "items cancel 1 --dry-run"},
	{line: "items archive 1"},
	{line: "items repeat --status cancelled --dry-run"},
	{line: "items repeat --status cancelled"},
	{line: "items run 5"},
	{line: "items clone 1"},
	{line: "items clone --key order-1"},
	{line: "items release 1"},
	{line: "items delete 6"},
	{line: "items delete --queue mail"},
	{line: "items delete --queue mail --yes"},
	{line: "enqueue --pipeline hello --payload '{\"name\": \"Eve\"}' --priority 1200 --tag urgent"},
	{line: "enqueue --pipeline hello --payload '{\"name\": \"Eve\"}' --key order-1 --unique"},
	{line: "enqueue --pipeline hello --payload '{\"name\": \"Eve\"}' --count 3"},
	{line: "enqueue --pipeline helo"},
	{line: "enqueue --queue nowhere --pipeline hello"},
	{line: "enqueue -", stdin: "{\"pipeline\": \"hello\", \"payload\": {\"name\": \"F\"}, \"in\": \"1h\", \"unique\": \"1h\"}\n\n{\"pipeline\": \"hello\", \"payload\": {\"name\": \"G\"}, \"labels\": {\"a\": 1}, \"selectors\": [\"ram >= 32\"], \"retain\": \"2h\", \"attempts\": 3}\n"},
	{line: "enqueue - --pipeline hello", stdin: "{\"payload\": {\"name\": \"F\"}}\n{\"payload\": 5}\n{\"pipeline\": \"none\"}\n"},
	{line: "queues list"},
	{line: "queues show default"},
	{line: "queues show nowhere"},
	{line: "queues stats default"},
	{line: "queues pause mail nowhere"},
	{line: "queues pause mail"},
	{line: "queues resume mail"},
	{line: "queues create post limits.concurrency=5 'retry={limit: 3, delay: 5s}'"},
	{line: "queues create post"},
	{line: "queues create forms tll=5"},
	{line: "queues set post ttl=7d 'retry={limit: 4}' 'limits={rate: 10/1m}'"},
	{line: "queues set post ttl=7d"},
	{line: "queues set default consumer=robots"},
	{line: "queues set default consumer=robots --yes"},
	{line: "queues set default consumer=workers --yes"},
	{line: "queues set post ttl=soon"},
	{line: "queues set nowhere ttl=1d"},
	{line: "queues show post"},
	{line: "queues escalations default"},
	{line: "queues escalations nowhere"},
	{line: "queues set post 'escalation=[{name: late, after: 10m, raise: {by: 100}}, {name: long, when: length > 500, notify: true}]'"},
	{line: "queues escalations post"},
	{line: "queues delete post default nowhere"},
	{line: "queues purge default --lifecycle completed"},
	{line: "queues purge nowhere --yes"},
	{line: "queues purge mail --yes --reason 'a test'"},
	{line: "workers list"},
	{line: "workers show WORKER"},
	{line: "workers drain WORKER"},
	{line: "workers drain nobody"},
	{line: "workers resume WORKER"},
	{line: "pipelines list"},
	{line: "pipelines show hello"},
	{line: "pipelines show helo"},
	{line: "pipelines versions CleanUp"},
	{line: "pipelines versions hello --limit 1"},
	{line: "pipelines versions helo"},
	{line: "pipelines versions hello --limit 0"},
	{line: "pipelines diff hello"},
	{line: "pipelines diff helo"},
	{line: "pipelines diff hello --hash 1f3a9c"},
	{line: "pipelines diff --item 1"},
	{line: "pipelines diff --item 1 --attempt 7"},
	{line: "pipelines diff --item 999999"},
	{line: "pipelines next --from 2030-01-31T00:00:00Z --count 3"},
	{line: "pipelines next ExecuteLowPriorityWorkQueue --from 2030-01-31T00:00:00Z"},
	{line: "pipelines next hello"},
	{line: "pipelines next helo"},
	{line: "pipelines next --count 0"},
	{line: "pipelines backfill ExecuteLowPriorityWorkQueue --from 2026-01-30T00:00:00Z --to 2026-01-31T00:00:00Z --dry-run"},
	{line: "pipelines backfill ExecuteLowPriorityWorkQueue --from 2026-01-30T00:00:00Z --to 2026-01-31T00:00:00Z"},
	{line: "pipelines backfill hello --from 2026-01-30T00:00:00Z --to 2026-01-31T00:00:00Z"},
	{line: "pipelines backfill helo --from 2026-01-30T00:00:00Z --to 2026-01-31T00:00:00Z"},
	{line: "pipelines backfill ExecuteLowPriorityWorkQueue --from 2026-01-31T00:00:00Z --to 2026-01-30T00:00:00Z"},
	{line: "pipelines graph"},
	{line: "pipelines graph hello CleanUp"},
	{line: "pipelines graph hello -o svg"},
	{line: "pipelines graph helo"},
	{line: "assign --dry-run"},
	{line: "assign --dry-run ExecuteWorkQueue"},
	{line: "assign --dry-run hello"},
	{line: "assign --dry-run helo"},
	{line: "assign"},
	{line: "check --due-for 1000h"},
	{line: "check --due-for 0s"},
	{line: "pipelines pause CleanUp --reason maintenance"},
	{line: "pipelines pause CleanUp"},
	{line: "pipelines run CleanUp"},
	{line: "pipelines resume CleanUp nowhere"},
	{line: "pipelines resume CleanUp"},
	{line: "runs list"},
	{line: "runs list --outcome failed"},
	{line: "runs show 1"},
	{line: "runs show 99"},
	{line: "tasks list"},
	{line: "tasks show greet"},
	{line: "tasks show none"},
	{line: "tasks run greet"},
	{line: "durations list"},
	{line: "durations forget --pipeline none"},
	{line: "durations forget --all --yes"},
	{line: "workers set WORKER --capacity 8 --label gpu=true --queues mail --channel voice=3:2"},
	{line: "workers set WORKER --label=-gpu --all-queues --all-channels"},
	{line: "workers show WORKER"},
	{line: "workers set WORKER --reset"},
	{line: "workers set nobody --capacity 8"},
	{line: "workers set WORKER --capacity 2 --reserved 3"},
	{line: "stats --since SINCE --until UNTIL --by day"},
	{line: "stats --since SINCE --until UNTIL --group pipeline --queue default"},
	{line: "stats --queue nowhere"},
	{line: "stats --worker nobody"},
	{line: "stats --since SINCE --until UNTIL --pipeline hello"},
	{line: "report --since SINCE --until UNTIL"},
	{line: "report --since SINCE --until UNTIL --queue mail --pipeline hello"},
	{line: "report --queue nowhere"},
	{line: "forecast --until 2d --item 4"},
	{line: "forecast --until 2d --item 4 --arrivals +20% --priority 4=2000"},
	{line: "forecast --until 2d --item 99"},
	{line: "forecast accuracy"},
	{line: "forecast accuracy --since 2d --queue mail --pipeline hello"},
	{line: "forecast accuracy --queue nowhere"},
	{line: "notifications list"},
	{line: "notifications mute failures --for 2h"},
	{line: "notifications unmute failures"},
	{line: "notifications test chta"},
	{line: "users create ada --role operator --queue mail --password-stdin", stdin: "correct horse battery"},
	{line: "users create ada --role operator"},
	{line: "users create bob --role viewer --password-stdin", stdin: "short"},
	{line: "users create bob --role viewer --queue nowhere"},
	{line: "users create bob --role viewer"},
	{line: "users list"},
	{line: "users set ada --role editor --all-queues"},
	{line: "users set nobody --role editor"},
	{line: "users password ada --password-stdin", stdin: "battery horse correct"},
	{line: "users password ada --password-stdin", stdin: "short"},
	{line: "users sign-out ADA"},
	{line: "users disable ada --reason 'has left'"},
	{line: "users disable ada"},
	{line: "users link ada"},
	{line: "users link nobody"},
	{line: "users enable ada"},
	{line: "audit list --limit 3 --action tokens"},
	{line: "audit show 1"},
	{line: "audit show 9999"},
}

func TestTokensOverAServer(t *testing.T) {
	s := bothWays(t, func() {
		clitest.WriteFile(t, "botwork.yaml", "queues: {mail: {}}\n")
		clitest.Must(t, "queues", "define")
	})
	for _, line := range []string{
		"create bot-7 --role robot --queue mail --expires 90d", "create bot-7 --role robot --queue mail", "create bot-8 --role robot --queue nowhere", "create bot-8 --role robot",
		"revoke bot-7 --reason lost", "revoke bot-7", "revoke nobody",
	} {
		local, remote := s.both(t, "", append([]string{"tokens"}, words(line)...)...)
		if local.Code != remote.Code || len(local.Stdout) != len(remote.Stdout) || strings.HasPrefix(line, "revoke") && local.Stdout != remote.Stdout {
			t.Errorf("tokens %s: got %+v, over a server %+v", line, local, remote)
		}
		if remote.Code != cli.ExitDone && remote.Stderr == "" {
			t.Errorf("tokens %s over a server: exit code %d without an error", line, remote.Code)
		}
	}
	for _, list := range [2]clitest.Result{clitest.DoWith(t, "", s.environ, "tokens", "list", "-o", "json"), clitest.DoWith(t, "", s.environ, "audit", "list", "--action", "tokens", "-o", "json")} {
		if !strings.Contains(list.Stdout, `"bot-7"`) || list.Code != cli.ExitDone {
			t.Errorf("got %+v", list)
		}
	}
	made := strings.TrimSpace(clitest.DoWith(t, "", s.environ, "tokens", "create", "eve", "--role", "viewer").Stdout)
	as := []string{s.environ[0], "BOTWORK_TOKEN=" + made}
	if got := clitest.DoWith(t, "", as, "items", "list"); got.Code != cli.ExitDone {
		t.Errorf("the new token is refused: %+v", got)
	}
	clitest.DoWith(t, "", as, "tokens", "list").WantFailure(t, cli.ExitFailed, "the role viewer may not call tokens-list")
}

// A server with rules evaluates them and has a queue for the messages, so its database is not like one
// that no process uses.
func TestNotificationsOverAServer(t *testing.T) {
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("thank you")) }))
	defer sink.Close()
	s := bothWays(t, func() {
		clitest.WriteFile(t, "botwork.yaml", "handlers: {http: {allow: [127.0.0.1]}}\nnotifications:\n"+
			"  targets: {chat: {kind: webhook, url: \""+sink.URL+"\"}}\n  rules: {failures: {event: item-cancelled, targets: [chat]}}\n")
	})
	t.Chdir(s.away)
	over := func(args ...string) clitest.Result {
		return clitest.DoWith(t, "", s.environ, append([]string{"notifications"}, args...)...)
	}
	if got := over("test", "chat"); got.Stdout != "sent to chat: status 200 thank you\n" {
		t.Errorf("test: got %+v", got)
	}
	over("test", "chta").WantFailure(t, cli.ExitUsage, `did you mean "chat"?`)
	over("mute", "failres", "--for", "2h").WantFailure(t, cli.ExitUsage, `did you mean "failures"?`)
	if got := over("mute", "failures", "--for", "90m", "--reason", "works"); !strings.HasPrefix(got.Stdout, "rule failures: muted until ") {
		t.Errorf("mute: got %+v", got)
	}
	var list operations.Notifications
	if err := json.Unmarshal([]byte(over("list", "-o", "json").Stdout), &list); err != nil || len(list.Rules) != 1 || list.Rules[0].State != "muted" || list.Rules[0].Mute.Reason != "works" {
		t.Errorf("got %+v, %v", list, err)
	}
	for _, want := range []string{"unmuted", "it was not muted"} {
		if got := over("unmute", "failures"); got.Stdout != "rule failures: "+want+"\n" {
			t.Errorf("unmute: got %+v, want %s", got, want)
		}
	}
}

func TestDoctorOverAServer(t *testing.T) {
	s := bothWays(t, func() {})
	t.Chdir(s.away)
	clitest.DoWith(t, "", s.environ, "version") // is repeated until the server listens
	got := clitest.DoWith(t, "", s.environ, "doctor", "-o", "json")
	var report doctor.Report
	if err := json.Unmarshal([]byte(got.Stdout), &report); err != nil || report.Settings != filepath.Join(s.copied, "botwork.yaml") || len(report.Results) < 10 {
		t.Errorf("got %+v, %v", report, err)
	}
	if report.Sound != (got.Code == cli.ExitDone) {
		t.Errorf("exit code %d of a report that is sound: %v", got.Code, report.Sound)
	}
	if table := clitest.DoWith(t, "", s.environ, "doctor"); table.Code != got.Code || !strings.Contains(table.Stdout, "pipelines") {
		t.Errorf("got %+v", table)
	}
	clitest.DoWith(t, "", s.environ, "doctor", "--service", "Other").WantFailure(t, cli.ExitUsage, "the server knows its own service")
}

// A sign-in link is for one use, so two never look alike.
func TestSignInLinkOverAServer(t *testing.T) {
	s := bothWays(t, func() { clitest.Must(t, "users", "create", "ada", "--role", "viewer") })
	t.Chdir(s.away)
	got := clitest.DoWith(t, "", s.environ, "users", "link", "ada")
	address, server := strings.TrimSpace(got.Stdout), strings.TrimPrefix(s.environ[0], "BOTWORK_SERVER=")
	if !strings.HasPrefix(address, server+"/auth/link?token=") || !strings.Contains(got.Stderr, "signs in as ada (viewer), once") {
		t.Fatalf("got %+v", got)
	}
	page, err := http.Get(address) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	_ = page.Body.Close()
	if page.StatusCode != http.StatusOK {
		t.Errorf("the link answers %s", page.Status)
	}
}

func TestCommandsOverAServer(t *testing.T) {
	s := bothWays(t, func() {
		clitest.WriteFile(t, "botwork.yaml", "worker: {name: WORKER}\nqueues:\n  mail: {keys: {unique: queue}}\n"+
			"tasks:\n  greet: {pipeline: hello, schedule: {execute: daily, startAt: 6, startTolerance: 3, timezone: Europe/Lisbon}, scope: [a, b], payload: {name: Ada}}\n")
		clitest.Must(t, "queues", "define")
		clitest.Must(t, "tasks", "define")
		for i, line := range []string{
			`--pipeline hello --payload {"name":"Ada"} --key order-1 --tag urgent --meta customer=4711`, "--pipeline hello --priority 1200", "--pipeline hello", "--pipeline hello --in 5h",
			"--pipeline hello --priority 100", "--pipeline hello --priority 200", "--pipeline hello --queue mail --key m1",
		} {
			clitest.Must(t, append([]string{"enqueue", "--no-check", "--batch", fmt.Sprintf("batch-key-%d", i)}, strings.Fields(line)...)...)
		}
		clitest.Must(t, "items", "cancel", "5", "--reason", "a seed")
		clitest.Must(t, "run", "--once", "CleanUp")
	})
	// TestTokensOverAServer runs those of tokens: two tokens never look alike.
	// TestDoctorOverAServer runs doctor, which finds other things on the machine of another database.
	ran := map[string]bool{"botwork doctor": true, "botwork version": true, "botwork tokens create": true, "botwork tokens list": true, "botwork tokens revoke": true}
	local, remote := s.both(t, "", "version")
	if want := "server " + strings.TrimPrefix(s.environ[0], "BOTWORK_SERVER="); !strings.HasPrefix(remote.Stdout, local.Stdout+want) || !strings.Contains(remote.Stdout, "the role admin") {
		t.Errorf("botwork version over a server: %q, %s", remote.Stdout, remote.Stderr)
	}
	now := time.Now().UTC()
	stretch := strings.NewReplacer("SINCE", now.Add(-2*time.Hour).Format(time.RFC3339), "UNTIL", now.Add(2*time.Hour).Format(time.RFC3339))
	for _, c := range overServerCases {
		args := words(stretch.Replace(c.line))
		found, _, err := cmd.RootCommand(projectdir.New(nil, io.Discard, nil, nil)).Find(args)
		if err != nil {
			t.Fatal(err)
		}
		ran[found.CommandPath()] = true
		formats := [][]string{nil}
		if found.Flags().Lookup("output") != nil && !changes(found) {
			formats = append(formats, []string{"-o", "json"}, []string{"-o", "yaml"})
		} else if found.Flags().Lookup("output") != nil {
			formats = [][]string{{"-o", "json"}, nil}
		}
		for _, format := range formats {
			line := append(slices.Clip(args), format...)
			local, remote := s.both(t, c.stdin, line...)
			want, got := s.comparable(local.Stdout), s.comparable(remote.Stdout)
			if strings.HasPrefix(found.CommandPath(), "botwork forecast") { // the two are made at different moments
				want, got = figures.ReplaceAllString(want, "#"), figures.ReplaceAllString(got, "#")
			}
			if want != got || local.Code != remote.Code {
				t.Errorf("botwork %s %v\nexit code %d, over a server %d\n%s--- errors\n%s--- over a server\n%s", c.line, format, local.Code, remote.Code, gocmp.Diff(want, got), local.Stderr, remote.Stderr)
			}
			if remote.Code != cli.ExitDone && remote.Stderr == "" {
				t.Errorf("botwork %s over a server: exit code %d without an error", c.line, remote.Code)
			}
		}
	}
	walk(cmd.RootCommand(projectdir.New(nil, io.Discard, nil, nil)), func(c *cobra.Command) {
		if cli.IsOverServer(c) && !ran[c.CommandPath()] {
			t.Errorf("%s works over a server, but no case runs it both ways", c.CommandPath())
		}
	})
}

// changes reports whether a command creates something, so that running it again has another result.
func changes(c *cobra.Command) bool {
	path := c.CommandPath()
	return path == "botwork enqueue" || path == "botwork tasks run" || path == "botwork pipelines run"
}

func walk(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, child := range c.Commands() {
		walk(child, do)
	}
}

// words splits a command line at spaces, except in single quotes.
func words(line string) (list []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

// The page of the command line lists the commands that work over a server.
func TestPageListsCommandsOverAServer(t *testing.T) {
	page, err := os.ReadFile("../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Over a server\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string]string{}
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			rows[strings.Trim(cells[1], " `")] = cells[2]
		}
	}
	for _, noun := range cmd.RootCommand(projectdir.New(nil, io.Discard, nil, nil)).Commands() {
		row, listed := rows[noun.Name()]
		any, all := cli.IsOverServer(noun), true
		for _, verb := range noun.Commands() {
			is := cli.IsOverServer(verb)
			any, all = any || is, all && is
			if listed && strings.TrimSpace(row) != "all" && is != strings.Contains(row, "`"+verb.Name()+"`") {
				t.Errorf("%s: works over a server: %v; the page has %q", verb.CommandPath(), is, row)
			}
		}
		if any != listed || strings.TrimSpace(row) == "all" && !all {
			t.Errorf("%s: works over a server: %v, all of it: %v; the page has %q", noun.CommandPath(), any, all, row)
		}
	}
}
