package checker

import (
	"os"

	"botwork/config"
	"botwork/handlers"
	"botwork/handlers/builtin"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// Options define which project Open reads and how.
type Options struct {
	// Settings is the path of the settings file. For "", see [config.Load].
	Settings string

	// Environ is the environment in the form of os.Environ.
	Environ []string

	// Everywhere reports mistakes in the files of all environments, not only of the chosen one,
	// and values that are missing in any of them.
	Everywhere bool

	// Registry returns the handlers that pipelines can use with the resources of
	// the settings. The checker does not run them.
	Registry func(builtin.Resources) *handlers.Registry

	// Read reads the settings file and the pipelines. A language server returns the
	// unsaved texts of its editor; nil reads from the disk. The folder is always
	// listed from the disk.
	Read func(path string) ([]byte, error)

	// Shorten returns the form in which findings show a path; nil leaves it
	// unchanged.
	Shorten func(path string) string
}

// Project is a project that was read and checked as a whole.
type Project struct {
	// Settings are the settings as far as they could be read. If Readable reports
	// that they are not YAML, nothing else is checked: the folder, the secrets and the
	// connections are unknown.
	Settings config.Config

	// Wrong are the mistakes in the settings file itself. The report also contains
	// them.
	Wrong strictyaml.Findings

	// Checker checks further texts against the settings. It is nil if the settings
	// are not readable or their time zone is invalid.
	Checker *Checker

	// Files are the files of the pipelines folder.
	Files []pipelines.File

	Report
}

// Open reads and checks a project. The report contains the mistakes in the files; a
// pipelines folder that does not exist is one of them. An error means that the machine
// prevented the check.
func Open(o Options) (*Project, error) {
	if o.Read == nil {
		o.Read = os.ReadFile
	}
	p := &Project{}
	settings, findings, err := config.LoadFrom(o.Settings, o.Environ, o.Read)
	if err != nil {
		return nil, err
	}
	p.Settings, p.Wrong = settings, findings
	if o.Everywhere {
		for _, e := range settings.Environments {
			findings = append(findings, e.Findings...)
		}
	}
	if p.Findings = findings; !settings.Readable() {
		return p, nil
	}
	known, err := connections(&p.Settings)
	if err != nil {
		return nil, err
	}
	hosts, err := settings.Handlers.HTTP.Rules()
	if err != nil {
		hosts = nil // the findings of the settings report the error
	}
	registry := o.Registry(builtin.Resources{Connections: known, Folders: settings.Handlers.Folders, Hosts: hosts})
	checker, err := newChecker(&p.Settings, registry, o.Everywhere)
	if err != nil {
		return p, nil //nolint:nilerr // an invalid time zone, which the findings of the settings report
	}
	p.Checker = checker
	dir := settings.Pipelines.Dir
	if o.Shorten != nil {
		dir = o.Shorten(dir)
	}
	if p.Files, err = pipelines.ReadDir(dir, o.Read); err != nil {
		findings = append(findings, strictyaml.Finding{File: dir, Code: pipelines.CodeNoFolder, Message: err.Error()})
	}
	p.Report = *checker.Project(p.Files)
	p.Findings = append(append(findings, p.Findings...), checker.Exposed(p.Files)...)
	p.Findings.Sort()
	return p, nil
}
