package config

import (
	"maps"
	"slices"

	"botwork/internal/database"
)

// SecretFile is a file that a setting reads a secret or a DSN from.
type SecretFile struct {
	Setting string // its path, such as "database.dsn"
	File    string // absolute after Load
}

// texts are all settings that are secrets or DSNs, by their paths.
func (c *Config) texts() map[string]Text {
	all := map[string]Text{"database.dsn": c.Database.DSN.Text, pathKeyset: c.Encryption.Keyset, pathClientSecret: c.HTTP.OIDC.ClientSecret}
	for name, connection := range c.Connections {
		all["connections."+name+".dsn"] = connection.DSN.Text
	}
	for name, secret := range c.Secrets {
		all["secrets."+name] = secret
	}
	for name, header := range c.Tracing.OTLP.Headers {
		all["tracing.otlp.headers."+name] = header
	}
	return all
}

// recordSources records which variables the file names, before the environment overrides
// settings: they are secrets even if they are overridden.
func (c *Config) recordSources() {
	c.inFile = map[string]string{}
	for path, text := range c.texts() {
		if text.env != "" {
			c.inFile[variableName(text.env)] = path
		}
	}
}

// SecretVariables returns the environment variables from which settings read a secret
// or a DSN, each with the path of the setting. On Windows, where case does not count,
// names are in capitals.
func (c *Config) SecretVariables() map[string]string {
	all := maps.Clone(c.inFile)
	if all == nil {
		all = map[string]string{}
	}
	for path := range c.texts() {
		if source, ok := c.from[path]; ok {
			all[variableName(source)] = path
		}
	}
	return all
}

// SecretValues returns the values that must not appear in logs, errors or output: the values
// of the secrets, the secret of the OpenID client, the headers for the collector of traces, the
// passwords in the DSNs, and the DSNs with a password. The keyset is not included, because only its
// keys are secret.
func (c *Config) SecretValues() []string {
	var values []string
	for _, secret := range c.Secrets {
		values = append(values, secret.Reveal())
	}
	if secret := c.HTTP.OIDC.ClientSecret.Reveal(); secret != "" {
		values = append(values, secret)
	}
	for _, header := range c.Tracing.OTLP.Headers {
		if value := header.Reveal(); value != "" {
			values = append(values, value)
		}
	}
	dsns := []string{c.Database.DSN.Reveal()}
	for _, connection := range c.Connections {
		dsns = append(dsns, connection.DSN.Reveal())
	}
	for _, dsn := range dsns {
		if passwords := database.Passwords(dsn); len(passwords) > 0 {
			values = append(append(values, passwords...), dsn)
		}
	}
	return values
}

// SecretFiles returns the files from which settings read a secret or a DSN, in the
// order of the settings' paths.
func (c *Config) SecretFiles() []SecretFile {
	texts := c.texts()
	var files []SecretFile
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		if file := texts[path].file; file != "" {
			files = append(files, SecretFile{path, file})
		}
	}
	return files
}
