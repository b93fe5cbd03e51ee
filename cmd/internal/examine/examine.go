// Package examine passes the settings of a command to the examination of botwork doctor.
package examine

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
	"botwork/internal/doctor"
	"botwork/internal/service"
	"botwork/pipelines"
)

// Options passes the settings as plain values. name is that of the service. Invalid settings are reported as a
// result, like other faults.
func Options(a *projectdir.App, name string) doctor.Options {
	o := doctor.Options{ServiceName: name, Service: func(ctx context.Context) (doctor.Service, error) { return serviceStatus(ctx, a, name) }}
	if o.SettingsError = a.LoadConfig(); o.SettingsError != nil {
		return o
	}
	a.Config.ForService(name)
	c := a.Config
	o.File, o.Environment, o.Driver, o.DSN = c.File, c.Environment, c.Database.Driver, c.Database.DSN.Reveal()
	o.Worker, o.Timezone, o.Folders = c.Worker.Name, c.Pipelines.Timezone, c.Handlers.Folders
	if log := cmp.Or(c.Log.File.Path, cli.ServiceLog(c.File, name)); log != "" {
		o.Log = filepath.Dir(log)
	}
	o.NotificationRules = len(c.Notifications.Rules)
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
	slices.SortStableFunc(o.Connections, func(x, y doctor.Connection) int { return cmp.Compare(x.Name, y.Name) })
	o.Keyset = doctor.Keyset{Named: c.HasKeyset()}
	o.Keyset.File, _ = c.KeysetSource()
	o.Keyset.Keys, o.Keyset.Error = a.Keyring()
	o.Exposed = exposedFolders(a)
	o.Pipelines, o.CheckPipelines = c.Pipelines.Dir, func() (doctor.PipelineCounts, error) { return countPipelines(a) }
	return o
}

// exposedFolders are the folders of handlers.folders that are too wide.
func exposedFolders(a *projectdir.App) []doctor.ExposedFolder {
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
func serviceStatus(ctx context.Context, a *projectdir.App, name string) (doctor.Service, error) {
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
		Installed: true, Account: st.Account, Config: st.Config, Environment: st.Environment, Failed: st.State == service.Failed, ExitCode: st.ExitCode,
	}, err
}

// countPipelines checks the project as `botwork pipelines check` does: its
// pipelines, and the queues and tasks of the settings.
func countPipelines(a *projectdir.App) (doctor.PipelineCounts, error) {
	if _, err := os.ReadDir(a.Config.Pipelines.Dir); err != nil {
		return doctor.PipelineCounts{}, err
	}
	project, err := a.OpenProject(false)
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
