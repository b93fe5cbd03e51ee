package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"botwork/internal/database"
)

// trial has the results so far.
type trial struct {
	dsn     string
	report  string // the path of the report
	started time.Time
	facts   []fact
	done    []outcome
}

// outcome is the result of a step.
type outcome struct {
	step
	took   time.Duration
	err    error // of the command
	tests  *testRun
	output string // of a command that is not a test
}

// try runs a step.
func (t *trial) try(ctx context.Context, s step) outcome {
	cmd := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
	// The variables override the settings file in the folder. The trial never uses the
	// tables of the configured queue.
	cmd.Env = append(os.Environ(), append(s.environ, dsnVariable+"="+t.dsn, "BOTWORK_DATABASE_DRIVER="+string(database.SQLServer), "BOTWORK_DATABASE_DSN="+t.dsn)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	started := time.Now()
	o := outcome{step: s, err: cmd.Run()}
	o.took = time.Since(started)
	if s.command[1] == "test" {
		var err error
		if o.tests, err = readTests(&out); err != nil {
			o.err = errors.Join(o.err, err)
		}
		o.output = errs.String()
	} else {
		o.output = out.String() + errs.String()
	}
	return o
}

// ok reports whether a step succeeded. If it has tests, at least one must have run.
func (o outcome) ok() bool {
	return o.err == nil && (o.tests == nil || o.tests.passed > 0 && len(o.tests.failed) == 0)
}

// verdict returns the result of a step in one line.
func (o outcome) verdict() string {
	word := "failed"
	switch {
	case o.ok():
		word = "passed"
	case o.err == nil && o.tests != nil && len(o.tests.failed) == 0 && len(o.tests.skipped) > 0:
		word = "skipped"
	}
	if o.tests == nil {
		return fmt.Sprintf("%s in %s", word, o.took.Round(time.Second))
	}
	return fmt.Sprintf("%s in %s: %d tests passed, %d failed, %d skipped", word, o.took.Round(time.Second), o.tests.passed, len(o.tests.failed), len(o.tests.skipped))
}

func (t *trial) failed() (n int) {
	for _, o := range t.done {
		if !o.ok() {
			n++
		}
	}
	return n
}

// write writes the whole report again, without the password.
func (t *trial) write() error {
	return os.WriteFile(t.report, []byte(database.Redact(errors.New(t.text()), t.dsn).Error()), 0o600)
}

// text returns the report with all output of the tests.
func (t *trial) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Trial on SQL Server\n\n%s, on %s\n\n| Server | |\n|---|---|\n", t.started.UTC().Format(time.DateTime+" UTC"), database.SafeDSN(t.dsn))
	for _, f := range t.facts {
		fmt.Fprintf(&b, "| %s | %s |\n", f.name, strings.NewReplacer("|", `\|`, "\r", "", "\n", " ", "\t", "").Replace(f.value))
	}
	b.WriteString("\n| Step | |\n|---|---|\n")
	for _, o := range t.done {
		fmt.Fprintf(&b, "| %s | %s |\n", o.title, o.verdict())
	}
	for _, o := range t.done {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s: `%s`\n", o.title, o.about, o.verdict(), strings.TrimSpace(strings.Join(o.environ, " ")+" "+strings.Join(o.command, " ")))
		o.details(&b)
	}
	return b.String()
}

// details writes what failed, what was skipped and what was logged.
func (o outcome) details(b *strings.Builder) {
	block := func(text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(b, "\n```text\n%s\n```\n", strings.ReplaceAll(text, "```", "'''"))
		}
	}
	if o.err != nil {
		fmt.Fprintf(b, "\nThe command ended with %q.\n", o.err)
	}
	if !o.ok() || o.tests == nil {
		block(o.output)
	}
	if o.tests == nil {
		return
	}
	for _, name := range o.tests.failed {
		fmt.Fprintf(b, "\nFailed: `%s`\n", name)
		block(o.tests.output[name])
	}
	if o.logs {
		for _, name := range o.tests.ran {
			block(o.tests.output[name])
		}
	}
	reasons := map[string]int{}
	var order []string
	for _, name := range o.tests.skipped {
		why := o.tests.reason(name)
		if reasons[why] == 0 {
			order = append(order, why)
		}
		reasons[why]++
	}
	for _, why := range order {
		fmt.Fprintf(b, "\nSkipped, %d: %s\n", reasons[why], why)
	}
}
