package pipelines

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	top, findings := strictyaml.Parse(file, data)
	if top == nil {
		return p, nil, findings
	}
	text := bytes.TrimPrefix(data, []byte("\ufeff")) // columns are counted after the byte order mark
	run := &compilation{Compiler: c, lines: strings.Split(string(text), "\n"), findings: findings}
	run.pipeline(p, top)
	run.findings.Sort()
	if len(run.findings) == 0 {
		p.Warnings = append(warnings(p, top), run.warned...)
		p.Warnings.Sort()
	}
	return p, top, run.findings
}

// compilation is the state of compiling one text.
type compilation struct {
	*Compiler
	lines    []string
	findings strictyaml.Findings
	warned   strictyaml.Findings // collected during compilation; reported only for a pipeline without errors

	// The names that expressions may use, for the checks and for the expression compiler.
	names  names
	env    types.Map
	shapes shapes

	programs map[string]*bounded.Program // by their sources

	readsItem, readsSteps bool // see Pipeline
}

func (c *compilation) reportAt(at place, code, message, hint string) {
	c.findings = append(c.findings, strictyaml.Finding{File: at.file, Line: at.line, Column: at.column, EndLine: at.endLine, EndColumn: at.endColumn,
		Code: code, Message: message, Hint: hint})
}

// suggestEdit adds an edit to the last finding.
func (c *compilation) suggestEdit(edit *strictyaml.Edit) { c.findings[len(c.findings)-1].Edit = edit }

// report adds a finding at the node's position and puts the node's path in front of the
// message.
func (c *compilation) report(n *strictyaml.Node, code, message, hint string) {
	if n.Path != "" {
		message = n.Path + ": " + message
	}
	c.findings = append(c.findings, n.Finding(code, message, hint))
}

// given reports whether a key is in the file and has a value.
func given(n *strictyaml.Node) bool { return n != nil && n.Kind != strictyaml.Null }

// value decodes a node that may be absent. check, which may be nil, returns the problem of
// the value, "" if none. The result is zero if the node is absent or was reported.
func value[T any](c *compilation, n *strictyaml.Node, check func(T) string) T {
	var got, none T
	if !given(n) {
		return none
	}
	if findings := n.Decode(&got); len(findings) > 0 {
		c.findings = append(c.findings, findings...)
		return none
	}
	if check != nil {
		if wrong := check(got); wrong != "" {
			c.report(n, CodeInvalidValue, wrong, "")
			return none
		}
	}
	return got
}

// choice decodes a node that has one of a few values, or is absent.
func choice[T ~string](c *compilation, n *strictyaml.Node, words ...T) T {
	got := value[string](c, n, nil)
	known := make([]string, len(words))
	for i, word := range words {
		if known[i] = string(word); got == known[i] {
			return word
		}
	}
	if got != "" || given(n) && n.Value == "" {
		c.report(n, CodeInvalidValue, fmt.Sprintf("got %q, want %s", got, alternatives(known)), strictyaml.Suggest(got, known))
		c.suggestEdit(n.ReplaceWord(known, false))
	}
	return words[0]
}

// alternatives joins words as in a sentence: "a, b or c".
func alternatives(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// positive and notNegative check durations.
func positive(d handlers.Duration) string {
	if d <= 0 {
		return fmt.Sprintf("got %v, want more than 0", d)
	}
	return ""
}

func notNegative(d handlers.Duration) string {
	if d < 0 {
		return fmt.Sprintf("got %v, want 0 or more", d)
	}
	return ""
}
