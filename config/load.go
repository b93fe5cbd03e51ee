package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"botwork/internal/author/strictyaml"
)

// DefaultFile is read from the working folder when no file is named.
const DefaultFile = "botwork.yaml"

// Parse parses a settings file over the defaults and checks the result, without reading
// anything else: paths stay relative, and texts in variables or files are not read. file is
// the name for findings. A file that has only comments results in the defaults.
func Parse(file string, data []byte) (Config, strictyaml.Findings) {
	c, findings := decode(parseLayer(file, data))
	if c.node != nil || len(findings) == 0 {
		c.inferDrivers()
		c.fitPool()
		findings = append(findings, c.check()...)
	}
	findings.Sort()
	return c, findings
}

// Load returns the defaults, overlaid with the file at path, then with the file of the chosen
// environment, then with the variables in environ (as from os.Environ), checked and with all paths absolute: relative ones are resolved against the file's
// folder, or the working folder when there is no file. When path is "", the variable
// BOTWORK_CONFIG names the file; when that is not set either, DefaultFile is read if it exists.
// The variable BOTWORK_ENVIRONMENT chooses the environment, whose file is beside that at path: for
// prod, botwork.prod.yaml is merged over botwork.yaml, and both files must exist.
//
// The error is a strictyaml.Findings with all errors. A missing variable or file of a secret
// or connection is not an error here, because most commands do not need it: see CheckSecrets.
func Load(path string, environ []string) (Config, error) {
	c, findings, err := LoadFrom(path, environ, os.ReadFile)
	if err == nil {
		err = findings.Err()
	}
	return c, err
}

// LoadFrom is Load with a function that reads the settings files, such as one that returns
// unsaved text of an editor. All errors in the settings are in the findings, and the returned
// settings are those that could be read; see Readable. The error is an error of the machine.
func LoadFrom(path string, environ []string, read func(path string) ([]byte, error)) (Config, strictyaml.Findings, error) {
	vars := variables(environ)
	if path == "" {
		path = vars[variableConfig]
	}
	chosen := Environment{Name: vars[VariableEnvironment]}
	named := path != "" || chosen.Name != ""
	if path == "" {
		path = DefaultFile
	}
	data, err := read(path)
	c, findings, dir := Default(), strictyaml.Findings(nil), "."
	switch chosen.File = path; {
	case err == nil:
		base := parseLayer(path, data)
		layers := []layer{base}
		if chosen.Name != "" {
			over, wrong := readEnvironment(path, chosen.Name, read)
			if len(wrong) > 0 {
				return Config{unread: true}, wrong, nil
			}
			layers, chosen.File = append(layers, over), over.file
		}
		c, findings = decode(layers...)
		c.File, dir = path, filepath.Dir(path)
		chosen.Values = c.Values
		c.Environment, c.Environments = chosen.Name, readEnvironments(base, chosen, read)
	case named || !errors.Is(err, fs.ErrNotExist):
		return Config{unread: true}, noFile(path, err), nil
	default:
		c.Environments = []Environment{chosen}
	}

	if dir, err = filepath.Abs(dir); err != nil {
		return Config{}, nil, fmt.Errorf("find the folder of %s: %w", path, err)
	}
	if c.File != "" {
		c.File = filepath.Join(dir, filepath.Base(path))
	}
	findings = append(findings, c.applyEnvironment(vars)...)
	if c.Worker.Name == "" {
		if c.Worker.Name, err = os.Hostname(); err != nil {
			return Config{}, nil, fmt.Errorf("find a name for the worker, for worker.name is not set: %w", err)
		}
		c.hostNamed = true
	}
	c.resolve(dir, vars)
	if c.Readable() {
		c.fitPool()
		findings = append(findings, c.check()...)
	}
	findings.Sort()
	return c, findings, nil
}

// fitPool lowers the default number of idle connections to a smaller maxOpen: only a number that a person has set can
// be too large.
func (c *Config) fitPool() {
	named := c.isSet("database.pool.maxIdle")
	if p := &c.Database.Pool; !named && p.MaxOpen > 0 {
		p.MaxIdle = min(p.MaxIdle, p.MaxOpen)
	}
}

// Readable reports whether the settings file is valid YAML or missing. The values of
// unreadable settings are unknown.
func (c *Config) Readable() bool { return !c.unread }

func noFile(path string, err error) strictyaml.Findings {
	f := strictyaml.Finding{File: path, Code: "no-file", Message: "read the settings: " + err.Error()}
	if errors.Is(err, fs.ErrNotExist) {
		f.Message, f.Hint = "there is no such settings file", "botwork init writes one"
	}
	return strictyaml.Findings{f}
}
