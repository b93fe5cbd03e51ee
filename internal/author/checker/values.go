package checker

import (
	"path/filepath"

	"botwork/config"
	"botwork/internal/author/strictyaml"
	"botwork/internal/database"
	"botwork/pipelines"
)

// CodeSecretValue is the code of a value of the settings that looks like a secret.
const CodeSecretValue = "secret-value"

// Values returns the values of the settings in each environment, the one in use first. It leaves
// out environments whose values are unknown.
func Values(settings *config.Config) []pipelines.Values {
	var list []pipelines.Values
	for _, e := range settings.Environments {
		if e.Unread {
			continue
		}
		list = append(list, pipelines.Values{Environment: e.Name, File: filepath.Base(e.File), Data: e.Map()})
	}
	return list
}

// secretValues warns about values that look like secrets: all who may read the file, the logs
// and the items see values. It does not repeat them.
func (c *Checker) secretValues() strictyaml.Findings {
	var findings strictyaml.Findings
	type place struct {
		file         string
		line, column int
	}
	seen := map[place]bool{} // environments share the values of the settings file
	var walk func(key string, n *strictyaml.Node)
	walk = func(key string, n *strictyaml.Node) {
		if at := (place{n.File, n.Line, n.Column}); IsSecretValue(key, n.Text) && !seen[at] {
			seen[at] = true
			f := n.Finding(CodeSecretValue, n.Path+": got a password or a token, but values are not secret", "define it under secrets, and write ${{ secrets.NAME }}")
			f.Severity = strictyaml.Warning
			findings = append(findings, f)
		}
		for _, e := range n.Entries {
			walk(e.Key, e.Value)
		}
		for _, item := range n.Items {
			walk(key, item)
		}
	}
	for _, e := range c.settings.Environments {
		if e.Values != nil {
			walk("", e.Values)
		}
	}
	return findings
}

// IsSecretValue reports whether a text of the settings looks like a secret; key is its key.
func IsSecretValue(key, text string) bool {
	return text != "" && (pipelines.LooksSecret(key, text) || len(database.Passwords(text)) > 0)
}
