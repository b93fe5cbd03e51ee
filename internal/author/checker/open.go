package checker

import (
	"os"

	"botwork/config"
	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// Options say where a project is and how its files are read.
type Options struct {
	// Settings is the path of the settings file; "" means what it means to
	// config.Load.
	Settings string

	// Environ is the environment, in the form of os.Environ.
	Environ []string

	// Registry returns the handlers that pipelines may use, given what the
	// settings let them use. They are checked and not run.
	Registry func(handlers.Resources) *handlers.Registry

	// Read reads the settings file and the pipelines, such as an editor's texts
	// that are not saved yet; nil reads them from the disk. What is in the folder
	// is always listed from the disk.
	Read func(path string) ([]byte, error)

	// Shorten shows a path as findings name it; nil leaves it as it is.
	Shorten func(path string) string
}

// Project is a project that was read and checked as a whole.
type Project struct {
	// Settings are those that could be read. Where Readable says that they are
	// not YAML, nothing else was looked at: nobody knows which folder, secrets and
	// connections they mean.
	Settings config.Config

	// Wrong are the mistakes in the settings file itself. They are in the report
	// as well.
	Wrong strictyaml.Findings

	// Checker checks more texts against the settings; nil where those are not
	// readable or name no time zone.
	Checker *Checker

	// Files are the texts of the pipelines folder.
	Files []pipelines.File

	Report
}

// Open reads and checks a project. Mistakes in files are in the report; an error is
// about the machine. A folder of pipelines that is not there is a finding as well.
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
	if p.Findings = findings; !settings.Readable() {
		return p, nil
	}
	known, err := connections(&p.Settings)
	if err != nil {
		return nil, err
	}
	hosts, err := settings.Handlers.HTTP.Rules()
	if err != nil {
		hosts = nil // the settings' findings say so
	}
	registry := o.Registry(handlers.Resources{Connections: known, Folders: settings.Handlers.Folders, Hosts: hosts})
	checker, err := New(&p.Settings, registry)
	if err != nil {
		return p, nil //nolint:nilerr // the zone's name, of which the settings' findings tell
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
