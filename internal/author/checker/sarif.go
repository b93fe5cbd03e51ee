package checker

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"botwork/internal/author/strictyaml"
)

// Sarif is a log in the Static Analysis Results Interchange Format 2.1.0, which code
// hosts and editors support.
type Sarif struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool sarifTool `json:"tool"`

	// ColumnKind is the unit of columns: the default of the format is UTF-16.
	ColumnKind string `json:"columnKind"`

	BaseIDs map[string]sarifArtifact `json:"originalUriBaseIds"`
	Results []sarifResult            `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
	Help             sarifText `json:"help"`
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifLogical struct {
	Name string `json:"name"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI    string `json:"uri"`
	BaseID string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

// baseID identifies the folder to which the URIs of files are relative.
const baseID = "SRCROOT"

// NewSarif returns the findings as a log. URIs are relative to base, the absolute path
// of a folder; files outside it have absolute URIs. A finding about something other than
// a file, such as an environment variable, has a logical location. The log contains the
// rules of Rules that occur in the findings.
func NewSarif(findings strictyaml.Findings, version, base string) Sarif {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: "botwork", Version: version, Rules: []sarifRule{}}}, ColumnKind: "unicodeCodePoints",
		BaseIDs: map[string]sarifArtifact{baseID: {URI: strings.TrimSuffix(fileURI(base), "/") + "/"}}, Results: []sarifResult{},
	}
	rules := map[string]int{}
	for _, rule := range Rules() {
		if slices.ContainsFunc(findings, func(f strictyaml.Finding) bool { return f.Code == rule.Code }) {
			rules[rule.Code] = len(run.Tool.Driver.Rules)
			meaning := strings.ReplaceAll(rule.Meaning, "`", "")
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
				ID: rule.Code, ShortDescription: sarifText{Text: meaning},
				Help: sarifText{
					Text:     meaning + ". Fix: " + strings.ReplaceAll(rule.Fix, "`", "") + ".",
					Markdown: rule.Meaning + ".\n\nFix: " + rule.Fix + ".",
				},
			})
		}
	}
	for _, f := range findings {
		result := sarifResult{RuleID: f.Code, RuleIndex: -1, Level: "error", Message: sarifText{Text: f.Message}, Locations: []sarifLocation{location(f, base)}}
		if index, ok := rules[f.Code]; ok {
			result.RuleIndex = index
		}
		if f.Severity == strictyaml.Warning {
			result.Level = "warning"
		}
		if f.Hint != "" {
			result.Message.Text += "; " + f.Hint
		}
		run.Results = append(run.Results, result)
	}
	return Sarif{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func location(f strictyaml.Finding, base string) sarifLocation {
	if ext := strings.ToLower(filepath.Ext(f.File)); f.Line == 0 && ext == "" && !strings.ContainsAny(f.File, `/\`) {
		return sarifLocation{Logical: []sarifLogical{{f.File}}}
	}
	at := &sarifPhysical{Artifact: sarifArtifact{URI: fileURI(f.File)}}
	if rel, err := filepath.Rel(base, absolute(base, f.File)); err == nil && filepath.IsLocal(rel) {
		at.Artifact = sarifArtifact{URI: relativeURI(rel), BaseID: baseID}
	}
	if f.Line > 0 {
		at.Region = &sarifRegion{StartLine: f.Line, StartColumn: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn}
	}
	return sarifLocation{Physical: at}
}

func absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// relativeURI returns a relative path as a URI. If its first part contains a colon,
// which would otherwise end a scheme, the URI begins with ./.
func relativeURI(path string) string { return (&url.URL{Path: filepath.ToSlash(path)}).String() }

// fileURI returns an absolute path as a URI: C:\a b is file:///C:/a%20b.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
