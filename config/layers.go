package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"botwork/internal/author/keydocs"
	"botwork/internal/author/strictyaml"
	"botwork/internal/filenames"
)

// Environment is the values of one environment: of botwork.prod.yaml merged over botwork.yaml.
type Environment struct {
	// Name is "" for the settings file without an environment.
	Name string

	// File is the path of the file that can set the values, in the form of findings.
	File string

	// Unread is true if the file is not YAML, so that the values are unknown.
	Unread bool

	// Values are the values as written; nil: none.
	Values *strictyaml.Node

	// Findings are the mistakes in the file of an environment that was not chosen. Mistakes
	// in the file of the chosen environment are findings of the settings.
	Findings strictyaml.Findings
}

// Map returns the values as expressions read them.
func (e Environment) Map() map[string]any {
	values, _ := e.Values.Any().(map[string]any)
	return values
}

// Files returns the absolute paths of the settings file and of the files of its environments; nil
// without a settings file.
func (c *Config) Files() []string {
	if c.File == "" {
		return nil
	}
	files := []string{c.File}
	for _, e := range c.Environments {
		if e.Name != "" {
			files = append(files, environmentFile(c.File, e.Name))
		}
	}
	return files
}

// environmentPattern matches the names of environments.
var environmentPattern = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// CheckEnvironment returns an error if an environment cannot have a name.
func CheckEnvironment(name string) error {
	if !environmentPattern.MatchString(name) {
		return fmt.Errorf("got the name %.100q, want letters, digits, - and _", name)
	}
	return filenames.Check(name)
}

// WithEnvironment returns the environment variables of a process that uses the settings of the
// environment name; "" is none.
func WithEnvironment(environ []string, name string) []string {
	environ = slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		variable, _, _ := strings.Cut(entry, "=")
		return variableName(variable) == VariableEnvironment
	})
	if name == "" {
		return environ
	}
	return append(environ, VariableEnvironment+"="+name)
}

// ChosenEnvironment returns the environment that the variables of a process choose; "" for none.
func ChosenEnvironment(environ []string) string { return variables(environ)[VariableEnvironment] }

// environmentFile returns the path of an environment's file: that of botwork.yaml and prod is
// botwork.prod.yaml.
func environmentFile(path, name string) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "." + name + ext
}

// environmentNames lists the environments of the settings file at path, in order.
func environmentNames(path string) []string {
	entries, _ := os.ReadDir(filepath.Dir(path)) // without a folder there is no environment
	ext := filepath.Ext(path)
	base := strings.TrimSuffix(filepath.Base(path), ext) + "."
	var names []string
	for _, entry := range entries {
		rest, isOurs := strings.CutPrefix(entry.Name(), base)
		name, isYAML := strings.CutSuffix(rest, ext)
		if isOurs && isYAML && !entry.IsDir() && CheckEnvironment(name) == nil {
			names = append(names, name)
		}
	}
	return names
}

// noEnvironment is the finding about a chosen environment that does not exist.
func noEnvironment(path, name string, existing []string) strictyaml.Findings {
	f := strictyaml.Finding{File: environmentFile(path, name), Code: "no-environment", Message: fmt.Sprintf("there is no environment %q", name)}
	if f.Hint = strictyaml.Suggest(name, existing); f.Hint != "" {
		f.Hint += " "
	}
	if len(existing) == 0 {
		f.Hint = filepath.Base(path) + " has no environments; create this file, or choose none"
	} else {
		f.Hint += "the environments are " + strings.Join(existing, ", ")
	}
	return strictyaml.Findings{f}
}

// readEnvironment reads the file of the chosen environment.
func readEnvironment(path, name string, read func(path string) ([]byte, error)) (layer, strictyaml.Findings) {
	if err := CheckEnvironment(name); err != nil {
		return layer{}, strictyaml.Findings{{File: "environment", Code: "invalid-name", Message: err.Error()}}
	}
	file, existing := environmentFile(path, name), environmentNames(path)
	if existing != nil && !slices.Contains(existing, name) {
		return layer{}, noEnvironment(path, name, existing) // also where files ignore case
	}
	data, err := read(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return layer{}, noEnvironment(path, name, existing)
	case err != nil:
		return layer{}, noFile(file, err)
	}
	return parseLayer(file, data), nil
}

// layer is a settings file before it is merged with others. The node is nil if the file is empty
// or not YAML.
type layer struct {
	file     string
	node     *strictyaml.Node
	findings strictyaml.Findings
}

func parseLayer(file string, data []byte) layer {
	node, findings := strictyaml.Parse(file, data)
	if len(findings) == 1 && findings[0].Code == "empty-file" {
		return layer{file: file}
	}
	return layer{file, node, findings}
}

// decode decodes the layers over the defaults, each merged over the one before it.
func decode(layers ...layer) (Config, strictyaml.Findings) {
	c := Default()
	var findings strictyaml.Findings
	c.name = layers[0].file
	for _, l := range layers {
		findings = append(findings, l.findings...)
		c.unread = c.unread || l.node == nil && len(l.findings) > 0
		c.node = merge(c.node, l.node, keydocs.Key{Type: "object", Keys: Keys()})
	}
	if c.node != nil {
		findings = append(findings, c.node.Decode(&c)...)
		c.recordBroken(findings)
		c.recordSources()
	}
	return c, findings
}

// merge returns base with the settings of over, a node of an environment's file. Mappings are
// merged key by key, other values replace those of base. An explicit null removes the key of
// base; a key without a value, as in a section whose keys are all commented out, changes nothing.
// key describes the value: a source of a text such as {env: …} is replaced as a whole, because
// it can have only one key.
func merge(base, over *strictyaml.Node, key keydocs.Key) *strictyaml.Node {
	switch {
	case over == nil || over.Kind == strictyaml.Null && over.Text == "" && base != nil:
		return base
	case base == nil || base.Kind != strictyaml.Mapping || over.Kind != strictyaml.Mapping || key.Type == "source":
		return over
	}
	merged := *over
	merged.Entries = slices.Clone(base.Entries)
	for _, e := range over.Entries {
		i := slices.IndexFunc(merged.Entries, func(b strictyaml.Entry) bool { return b.Key == e.Key })
		switch {
		case i < 0:
			merged.Entries = append(merged.Entries, e)
		case e.Value.Kind == strictyaml.Null && e.Value.Text != "":
			merged.Entries = slices.Delete(merged.Entries, i, i+1)
		default:
			if value := merge(merged.Entries[i].Value, e.Value, below(key, e.Key)); value != merged.Entries[i].Value {
				e.Value = value
				merged.Entries[i] = e
			}
		}
	}
	return &merged
}

// below describes the value of a key in a mapping.
func below(of keydocs.Key, name string) keydocs.Key {
	if typ, ok := strings.CutPrefix(of.Type, "map of "); ok {
		return keydocs.Key{Type: typ, Keys: of.Keys}
	}
	key, _ := of.Keys.Find(name)
	return key
}

// readEnvironments returns the chosen environment with these values, then the others of the
// file.
func readEnvironments(base layer, chosen Environment, read func(path string) ([]byte, error)) []Environment {
	list := []Environment{chosen}
	for _, name := range environmentNames(base.file) {
		if name == chosen.Name {
			continue
		}
		e := Environment{Name: name, File: environmentFile(base.file, name)}
		data, err := read(e.File)
		if err != nil {
			e.Findings, e.Unread = noFile(e.File, err), true
			list = append(list, e)
			continue
		}
		c, findings := decode(base, parseLayer(e.File, data))
		if c.Readable() {
			c.inferDrivers()
			c.fitPool()
			// What is missing may be in variables of another machine.
			findings = append(findings, slices.DeleteFunc(c.check(), func(f strictyaml.Finding) bool { return f.Code == "missing-key" })...)
		}
		e.Values, e.Unread = c.Values, c.unread
		e.Findings = slices.DeleteFunc(findings, func(f strictyaml.Finding) bool { return f.File != e.File })
		e.Findings.Sort()
		list = append(list, e)
	}
	return list
}
