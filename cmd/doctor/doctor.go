// Package doctor is the command `botwork doctor`.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/version"
	"botwork/config"
	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
	"botwork/internal/doctor"
	"botwork/internal/service"
	"botwork/pipelines"
)

// command is one call of `botwork doctor`.
type command struct{ *cli.App }

// Command returns `botwork doctor`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).doctorCommand() }

const doctorDoc = `Checks everything that a worker needs on this machine and in its database, and
reports for each check whether it passed, what was found, and what to do: settings,
secrets and keys, accounts and their permissions on folders, disk space, pipelines,
whether the database can be reached, its version, schema, permissions, settings and
clock, workers and their names, connections. docs/doctor.md describes each check.

It changes nothing: it creates no database and applies no migration, and workers can
continue to run. In folders that must be writable it creates a file and removes it.
A check that depends on a failed check is skipped and reported as skipped; no check
takes longer than --timeout.

Run it with the settings of the service, preferably as the service's account. When
another account runs it and the service is installed, permissions are checked for
the account of the service, as far as they can be read.

The exit code is 0 if there are no faults (there may be warnings), 1 if there is a
fault, including errors in the settings, or the command was interrupted, and 2 if
the command line is wrong.`

// doctorReport is what `botwork doctor --output json` prints.
type doctorReport struct {
	At       time.Time       `json:"at"` // UTC, by this machine's clock
	Version  string          `json:"version"`
	Settings string          `json:"settings"` // the file; "" for none
	Sound    bool            `json:"sound"`    // no fault, nothing skipped
	Counts   doctorCounts    `json:"counts"`
	Results  []doctor.Result `json:"results"`
}

// doctorCounts is the number of results in each state.
type doctorCounts struct {
	OK      int `json:"ok"`
	Warning int `json:"warning"`
	Fault   int `json:"fault"`
	Skipped int `json:"skipped"`
}

func (a *command) doctorCommand() *cobra.Command {
	var timeout time.Duration
	var name string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find problems that prevent a worker from working, and suggest fixes",
		Long:  doctorDoc,
		Example: `  botwork doctor
  botwork doctor --config C:\ProgramData\Botwork\botwork.yaml
  botwork doctor --output json`,
		Args: cli.NoArguments,
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 10*time.Second, "how long one check may take: a `TIME`")
	cmd.Flags().StringVar(&name, "service", config.ServiceName, "the `NAME` under which the service is installed")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if timeout <= 0 {
			return cli.Usagef("--timeout: got %s, want more than 0", timeout)
		}
		if err := service.CheckName(name); err != nil {
			return &cli.UsageError{Message: "--service: " + err.Error()}
		}
		return a.doctor(cmd.Context(), name, timeout, *output)
	}
	return cmd
}

func (a *command) doctor(ctx context.Context, name string, timeout time.Duration, output cli.Format) error {
	d := doctor.New(a.doctorOptions(name))
	report := doctorReport{At: time.Now().UTC().Truncate(time.Millisecond), Version: version.Current().Version, Settings: cmp.Or(a.Config.File, a.ConfigFile)}
	report.Results = d.Examine(ctx, timeout)
	for _, r := range report.Results {
		switch r.State {
		case doctor.OK:
			report.Counts.OK++
		case doctor.Warning:
			report.Counts.Warning++
		case doctor.Fault:
			report.Counts.Fault++
		case doctor.Skipped:
			report.Counts.Skipped++
		}
	}
	report.Sound = report.Counts.Fault == 0 && ctx.Err() == nil
	err := errors.Join(a.Print(output, report, func() { a.doctorTable(report) }), d.Close())
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && !report.Sound {
		return &cli.ReportedError{Code: cli.ExitFailed}
	}
	return err
}

// doctorOptions passes the settings as plain values. Invalid settings are reported as a
// result, like other faults.
func (a *command) doctorOptions(name string) doctor.Options {
	o := doctor.Options{ServiceName: name, Service: func(ctx context.Context) (doctor.Service, error) { return a.serviceStatus(ctx, name) }}
	if o.SettingsError = a.LoadConfig(); o.SettingsError != nil {
		return o
	}
	a.Config.ForService(name)
	c := a.Config
	o.File, o.Driver, o.DSN = c.File, c.Database.Driver, c.Database.DSN.Reveal()
	o.Worker, o.Timezone, o.Folders = c.Worker.Name, c.Pipelines.Timezone, c.Handlers.Folders
	if log := cmp.Or(c.Log.File.Path, cli.ServiceLog(c.File, name)); log != "" {
		o.Log = filepath.Dir(log)
	}
	o.SecretsError = c.CheckSecrets()
	for name := range c.Secrets {
		o.Secrets = append(o.Secrets, name)
	}
	for _, f := range c.SecretFiles() {
		if keyset, _ := c.KeysetSource(); f.File != keyset { // another check reports this
			o.SecretFiles = append(o.SecretFiles, doctor.SecretFile(f))
		}
	}
	for name, connection := range c.Connections {
		o.Connections = append(o.Connections, doctor.Connection{Name: name, Driver: connection.Driver, DSN: connection.DSN.Reveal()})
	}
	slices.SortFunc(o.Connections, func(x, y doctor.Connection) int { return cmp.Compare(x.Name, y.Name) })
	o.Keyset = doctor.Keyset{Named: c.HasKeyset()}
	o.Keyset.File, _ = c.KeysetSource()
	o.Keyset.Keys, o.Keyset.Error = a.Keyring()
	o.Exposed = a.exposedFolders()
	o.Pipelines, o.CheckPipelines = c.Pipelines.Dir, a.countPipelines
	return o
}

// exposedFolders are the folders of handlers.folders that are too wide.
func (a *command) exposedFolders() []doctor.ExposedFolder {
	judge, err := a.Checker()
	if err != nil {
		return nil // the check of the settings reports it
	}
	files, err := pipelines.ReadDir(a.Config.Pipelines.Dir, nil)
	if err != nil {
		files = nil // the check of the pipelines reports it
	}
	var list []doctor.ExposedFolder
	for _, f := range judge.Exposed(files) {
		list = append(list, doctor.ExposedFolder{Place: f.File, Found: f.Message, Advice: f.Hint})
	}
	return list
}

// serviceStatus asks the service manager. A machine without one has no service.
func (a *command) serviceStatus(ctx context.Context, name string) (doctor.Service, error) {
	m, err := a.Services()
	if errors.Is(err, service.ErrUnsupported) {
		return doctor.Service{}, nil
	}
	var st service.Status
	if err == nil {
		st, err = m.Status(ctx, name)
	}
	if errors.Is(err, service.ErrNotInstalled) {
		return doctor.Service{}, nil
	}
	return doctor.Service{
		Installed: true, Account: st.Account, Config: st.Config, Failed: st.State == service.Failed, ExitCode: st.ExitCode,
	}, err
}

// countPipelines checks the project as `botwork pipelines check` does: its
// pipelines, and the queues and tasks of the settings.
func (a *command) countPipelines() (doctor.PipelineCounts, error) {
	if _, err := os.ReadDir(a.Config.Pipelines.Dir); err != nil {
		return doctor.PipelineCounts{}, err
	}
	project, err := a.OpenProject()
	if err != nil {
		return doctor.PipelineCounts{}, err
	}
	if project.Checker == nil {
		return doctor.PipelineCounts{}, project.Wrong.Err()
	}
	catalogue, _ := projectdir.Usable(project.Checker, project.Files)
	mistakes, warnings := project.Mistakes(), project.Warnings()
	warnings = slices.DeleteFunc(warnings, func(f strictyaml.Finding) bool { return f.Code == checker.CodeExposed }) // another check reports this
	counts := doctor.PipelineCounts{
		Good: len(catalogue.All()), Mistakes: len(mistakes), Warnings: len(warnings), Broken: catalogue.BrokenNames(),
		Refused: projectdir.SettingsHaveMistakes(mistakes, project.Files) || !projectdir.HasTriggers(catalogue),
	}
	if all := append(mistakes, warnings...); len(all) > 0 {
		counts.First = all[0].String()
	}
	return counts, nil
}

// doctorTable prints one line for each check that passed, then the other results in full.
func (a *command) doctorTable(report doctorReport) {
	g := cli.NewGrid("check", "state", "found")
	for _, r := range report.Results {
		g.Add(r.Check, string(r.State), cli.Shorten(doctorSubject(r)+r.Found, 160))
	}
	g.Print(a.Stdout)
	for _, r := range report.Results {
		if r.State == doctor.Warning || r.State == doctor.Fault {
			fmt.Fprintf(a.Stdout, "\n%s: %s\n  found: %s\n  do:    %s\n", r.State, r.Check, indented(doctorSubject(r)+r.Found), indented(r.Advice))
		}
	}
	c := report.Counts
	fmt.Fprintf(a.Stdout, "\n%s, %s", cli.Count(c.Fault, "fault"), cli.Count(c.Warning, "warning"))
	if c.Skipped > 0 {
		fmt.Fprintf(a.Stdout, ", %s not made", cli.Count(c.Skipped, "check"))
	}
	fmt.Fprintln(a.Stdout)
}

func doctorSubject(r doctor.Result) string {
	if r.About == "" {
		return ""
	}
	return r.About + ": "
}

// indented aligns the following lines of a text with its first line.
func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n         ") }
