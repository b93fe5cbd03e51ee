package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

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
	for name, target := range c.Notifications.Targets {
		for key, text := range target.secrets() {
			all["notifications.targets."+name+"."+key] = text
		}
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
// logins and secret headers of the notifications' targets, the passwords in the DSNs, and the DSNs with a password.
// The keyset is not included, because only its keys are secret.
func (c *Config) SecretValues() []string {
	var values []string
	for path, text := range c.texts() {
		value := text.Reveal()
		switch {
		case path == pathKeyset || value == "":
		case isDSN(path):
			if passwords := database.Passwords(value); len(passwords) > 0 {
				values = append(append(values, passwords...), value)
			}
		default:
			values = append(values, value)
		}
	}
	return values
}

// isDSN reports whether the text at path is a DSN.
func isDSN(path string) bool {
	return path == "database.dsn" || strings.HasPrefix(path, "connections.")
}

// minSecret is the minimum length of a secret in characters. A shorter one occurs in ordinary
// words: masking it would make every text unreadable, and not masking it would show it.
const minSecret = 4

func (k *checker) secretLengths() {
	for path, text := range k.texts() {
		secrets, what := []string{text.Reveal()}, ""
		if isDSN(path) {
			secrets, what = database.Passwords(text.Reveal()), "a password of "
		}
		for _, secret := range secrets {
			if n := utf8.RuneCountInString(secret); n > 0 && n < minSecret {
				k.add(path, "invalid-value", fmt.Sprintf("got %s%s, want at least %d: a shorter secret cannot be masked in logs and errors", what, characters(n), minSecret), "use a longer secret")
				break
			}
		}
	}
}

func characters(n int) string {
	if n == 1 {
		return "1 character"
	}
	return fmt.Sprintf("%d characters", n)
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
