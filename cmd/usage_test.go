package cmd_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"botwork/cmd"
	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/cmd/internal/projectdir"
)

func TestWrongUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		line string
		want []string
	}{
		{"itms list", []string{`unknown command "itms" for botwork; did you mean "items"?`, "botwork --help"}},
		{"items lst", []string{`unknown command "lst" for botwork items; did you mean "list"?`}},
		{"items zzzzzz", []string{"commands: list, show, logs, why, batch, update, run, cancel, archive, repeat, clone, release, delete"}},
		{"items list --stat Ready", []string{`unknown flag: --stat; did you mean "--state"?`, "botwork items list --help"}},
		{"items list -x", []string{"unknown shorthand flag"}},
		{"items list extra", []string{`got the argument "extra", want none`}},
		{"items list --limit many", []string{`--limit: got "many", want a whole number` + "\n"}},
		{"items list --limit 0", []string{"--limit: got 0, want 1 or more"}},
		{"items list --before -1", []string{"--before: got -1, want an item's id"}},
		{"items list --output jsn", []string{`--output: got "jsn", want table, json or yaml`}},
		{"items list --state Redy", []string{`got "Redy", want one of Ready`, `did you mean "Ready"?`}},
		{"run --once=never", []string{`--once: got "never", want true or false` + "\n"}},
		{"run --worker=", []string{"--worker: got an empty name"}},
		{"items list --state redy", []string{`got "redy", want one of Ready`, `did you mean "Ready"?`}},
		{"items list --state retry,Ready", []string{"got retry and Ready, which overlap", "Ready,Pending"}},
		{"items list --state retry --lifecycle pending", []string{"--state: retry does not go with --lifecycle"}},
		{"items list --state deleted", []string{`got "deleted", want one of Ready`}},
		{"items list --lifecycle retri", []string{`--lifecycle: got "retri", want one of scheduled`, `did you mean "retry"?`}},
		{"items list --meta customer", []string{`--meta: got "customer", want KEY=VALUE`}},
		{"items list --meta =4711", []string{`--meta: got "=4711", want KEY=VALUE`}},
		{"items list --meta a=1 --meta a=2", []string{"got a=1 and a=2"}},
		{"items list --all-tags", []string{"--all-tags: got no --tag"}},
		{"items list --queue=", []string{"--queue: got an empty text"}},
		{"items list --lifecycle=", []string{"--lifecycle: got an empty text"}},
		{"items list --band hgh", []string{`did you mean "high"?`}},
		{"items list --band low --min-priority 500", []string{"no priority matches"}},
		{"items show", []string{"got 0 arguments, want one: the item's id"}},
		{"items show one", []string{`got "one", want a whole number from 1 on`}},
		{"items cancel", []string{"got no ids and no filter; want the items' ids, a filter such as --queue NAME, or --all"}},
		{"items cancel 1 0", []string{`got "0"`}},
		{"items cancel 1 --queue default", []string{"got ids and a filter, want one of them"}},
		{"items cancel 1 --all", []string{"got ids and --all"}},
		{"items cancel --all --queue default", []string{"got a filter and --all"}},
		{"items cancel --all", []string{"of all items needs --yes", "--dry-run"}},
		{"items delete --all", []string{"of all items needs --yes"}},
		{"items update 1 --priority 5 --if-version 0", []string{"--if-version: got 0, want a whole number from 1 on"}},
		{"items update 1 --priority 5 --if-version -1", []string{"--if-version: got -1, want a whole number from 1 on"}},
		{"items update 1 2 --priority 5 --if-version 3", []string{"--if-version: got 2 ids, want one"}},
		{"items run --all", []string{"--all: a run of all items needs --yes"}},
		{"items archive --all", []string{"--all: an archive of all items needs --yes"}},
		{"items repeat --all", []string{"of all items needs --yes"}},
		{"items clone --all", []string{"of all items needs --yes"}},
		{"items run --queue default", []string{"got a filter without --status, --lifecycle or --state", "every matching finished item", "--yes", "--dry-run"}},
		{"items run --tag urgent --priority 3", []string{"unknown flag: --priority"}},
		{"items delete --queue=", []string{"--queue: got an empty text"}},
		{"items delete --tag=", []string{"--tag: got an empty text"}},
		{"items delete --state=", []string{"--state: got an empty text"}},
		{"items delete --min-priority -2147483648", []string{"got no ids and no filter"}},
		{"items delete --limit 5 --all", []string{"unknown flag: --limit"}},
		{"items delete --deleted", []string{"unknown flag: --deleted"}},
		{"items delete --lifecycle deleted", []string{"deleted items can only be repeated or cloned"}},
		{"items repeat --deleted", []string{"got no ids and no filter"}},
		{"items repeat 1 --deleted", []string{"got ids and a filter"}},
		{"items repeat --reason because", []string{"got no ids and no filter"}},
		{"items list --reason because", []string{"unknown flag: --reason"}},
		{"audit list --action items.cancle", []string{`got "items.cancle"`, `did you mean "items.cancel"?`}},
		{"audit list --target que:mail", []string{`--target: got "que", want one of item, queue`}},
		{"audit list --target queue:", []string{"want a name after the colon"}},
		{"audit list --target item:x", []string{"want an item's id after the colon"}},
		{"audit list --actor=", []string{"--actor: got an empty text"}},
		{"audit list --item 0", []string{"--item: got 0"}},
		{"audit list --since 6h --until 7h", []string{"want an earlier --since"}},
		{"audit show x", []string{`entry id: got "x"`}},
		{"workers drain", []string{"the worker's name"}},
		{"enqueue", []string{"--pipeline is missing"}},
		{"enqueue hello", []string{`got the argument "hello", want - or none`, "--pipeline"}},
		{"enqueue --pipeline p --payload {x", []string{"--payload is not JSON", "--payload-file"}},
		{"enqueue --pipeline p --payload=", []string{"--payload is not JSON: it is empty"}},
		{"enqueue --pipeline p --payload 1 --payload-file f", []string{"want one of them"}},
		{"enqueue --pipeline p --payload-file nothere.json", []string{"nothere.json"}},
		{"enqueue --pipeline p --at noon", []string{`--at: got "noon"`}},
		{"enqueue --pipeline p --at 2026-01-31T13:45:00Z --in 5m", []string{"got --at and --in"}},
		{"enqueue --pipeline p --in 5", []string{"--in: ", "with a unit"}},
		{"enqueue --pipeline p --in -5m", []string{"no negative duration"}},
		{"enqueue --pipeline p --estimated-duration soon", []string{"--estimated-duration: "}},
		{"enqueue --pipeline p --count 0", []string{"--count: got 0"}},
		{"enqueue --pipeline p --priority 3000000000", []string{"32 bits"}},
		{"enqueue - --count 2", []string{"do not go with --stdin"}},
		{"demo one two", []string{"got 2 arguments, want at most one"}},
		{"handlers show HTPT", []string{`there is no handler "HTPT"; did you mean "HTTP"?`}},
		{"handlers htpt", []string{"unknown command"}},
		{"version now", []string{"want none"}},
		{"init", []string{"the project's folder"}},
		{"completion fish extra", []string{"botwork completion fish --help"}},
		{"--config nothere.yaml items list", []string{"nothere.yaml", "botwork init"}},
	} {
		t.Run(c.line, func(t *testing.T) {
			r := clitest.Do(t, strings.Fields(c.line)...)
			r.WantFailure(t, cli.ExitUsage, c.want...)
			if r.Stdout != "" {
				t.Errorf("standard output = %q, want nothing", r.Stdout)
			}
		})
	}
}

// Users learn commands from the help: each command has a summary line, and each command that
// runs has an example that starts with the command itself.
func TestEveryCommandIsDocumented(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: Short = %q, want a line without a full stop", c.CommandPath(), c.Short)
		}
		if c.Hidden {
			return // only the program calls it
		}
		if !c.HasSubCommands() && !strings.Contains(c.Example, "  "+c.CommandPath()) {
			t.Errorf("%s: Example = %q, want a call of the command", c.CommandPath(), c.Example)
		}
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	a := &projectdir.App{App: &cli.App{Streams: cli.Streams{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}}}
	walk(cmd.RootCommand(a))
}

func TestHelp(t *testing.T) {
	for _, line := range []string{"", "--help", "help", "items", "items list --help"} {
		if r := clitest.Do(t, strings.Fields(line)...); r.Code != cli.ExitDone || !strings.Contains(r.Stdout, "Usage:") {
			t.Errorf("botwork %s: exit code %d, output %q, want the usage", line, r.Code, r.Stdout)
		}
	}
	if out := clitest.Must(t, "items", "list", "--help"); strings.Contains(out, "-2147483648") {
		t.Errorf("the help shows an internal bound as the default:\n%s", out)
	}
}

func TestShellCompletion(t *testing.T) {
	clitest.InProject(t)
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := clitest.Must(t, "completion", shell); !strings.Contains(out, "botwork") {
			t.Errorf("completion %s printed %q", shell, out)
		}
	}
	for line, want := range map[string]string{
		"items list --state ":       "Processed",
		"items cancel --lifecycle ": "retry",
		"items list --output ":      "yaml",
		"handlers show ":            "HTTP",
		"pipelines show ":           "hello",
		"enqueue --pipeline ":       "hello",
	} {
		args := append([]string{"__complete"}, strings.Split(line, " ")...)
		if out := clitest.Must(t, args...); !strings.Contains(out, want+"\n") {
			t.Errorf("completion of %q lacks %q:\n%s", line, want, out)
		}
	}
}

func TestInterrupted(t *testing.T) {
	clitest.InProject(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stderr strings.Builder
	code := cmd.Run(ctx, []string{"items", "list"}, strings.NewReader(""), io.Discard, &stderr, nil)
	clitest.Result{Code: code, Stderr: stderr.String()}.WantFailure(t, cli.ExitFailed, "botwork: interrupted")
}
