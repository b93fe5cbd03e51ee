package pipelines

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/internal/bounded"

	"github.com/expr-lang/expr/types"
)

// Options configure a Compiler.
type Options struct {
	// SecretNames are the secrets that pipelines may name. If nil, the names are unknown
	// and all are accepted.
	SecretNames []string

	// SecretEnv are the environment variables that settings read as secrets, each with the
	// path of its setting. Expressions cannot read them through `env`. On Windows the names
	// are in capitals.
	SecretEnv map[string]string

	// Values are the values that pipelines may name: first those of the environment in use, in
	// which a missing value is an error, then those of the other environments, in which it is a
	// warning, or with Everywhere an error. If nil, the names are unknown and all are accepted.
	Values     []Values
	Everywhere bool

	// Location is the zone of triggers that name none; nil is UTC.
	Location *time.Location
}

// Compiler compiles the text of a pipeline into a Pipeline. All checks go through it:
// files, inline pipelines, start-up and the command line. It is safe for concurrent use.
type Compiler struct {
	registry *handlers.Registry
	opts     Options
}

// NewCompiler returns a compiler for the handlers of the registry.
func NewCompiler(registry *handlers.Registry, opts Options) *Compiler {
	if opts.Location == nil {
		opts.Location = time.UTC
	}
	return &Compiler{registry: registry, opts: opts}
}

// Parse reads one pipeline, as YAML or JSON, and returns all findings in file order. The
// pipeline is nil if there is an error; warnings are in Pipeline.Warnings. file is the name
// for findings; its base name is the default name of the pipeline.
func (c *Compiler) Parse(file string, data []byte) (*Pipeline, strictyaml.Findings) {
	base := filepath.Base(file)
	p, _, findings := c.parse(file, strings.TrimSuffix(base, filepath.Ext(base)), data)
	if len(findings) > 0 {
		return nil, findings
	}
	return p, nil
}

// parse returns a pipeline even if there are findings: its name, if it could be read,
// identifies the broken pipeline. The node is the text as YAML, nil if it is not YAML.
func (c *Compiler) parse(file, name string, data []byte) (*Pipeline, *strictyaml.Node, strictyaml.Findings) {
	sum := sha256.Sum256(data)
	p := &Pipeline{Name: name, File: file, Text: string(data), Hash: hex.EncodeToString(sum[:])}
	p.RunHash = p.Hash
	top, findings := strictyaml.Parse(file, data)
	if top == nil {
		return p, nil, findings
	}
	text := bytes.TrimPrefix(data, []byte("\ufeff")) // columns are counted after the byte order mark
	run := &compilation{Compiler: c, lines: strings.Split(string(text), "\n")}
	run.Findings = findings
	run.pipeline(p, top)
	run.Findings.Sort()
	if len(run.Findings) == 0 {
		p.Warnings = append(warnings(p, top, run.sources), run.warned...)
		p.Warnings.Sort()
	}
	return p, top, run.Findings
}

// compilation is the state of compiling one text.
type compilation struct {
	*Compiler
	strictyaml.Reader
	lines  []string
	restAt textOffset          // see rest
	warned strictyaml.Findings // collected during compilation; reported only for a pipeline without errors

	// The names that expressions may use, for the checks and for the expression compiler.
	names  names
	env    types.Map
	shapes shapes

	programs map[string]*bounded.Program // by their sources

	sources map[*Step]*source // the steps as they are in the file

	readsItem, readsSteps, readsBatch bool // see Pipeline
}

func (c *compilation) reportAt(at position, code, message, hint string) {
	c.Findings = append(c.Findings, strictyaml.Finding{File: at.file, Line: at.line, Column: at.column, EndLine: at.endLine, EndColumn: at.endColumn,
		Code: code, Message: message, Hint: hint})
}

// downgrade makes a warning of the last finding.
func (c *compilation) downgrade() {
	last := len(c.Findings) - 1
	f := c.Findings[last]
	f.Severity = strictyaml.Warning
	c.Findings, c.warned = c.Findings[:last], append(c.warned, f)
}

// suggestEdit adds an edit to the last finding.
func (c *compilation) suggestEdit(edit *strictyaml.Edit) { c.Findings[len(c.Findings)-1].Edit = edit }
