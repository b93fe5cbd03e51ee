package config

import "botwork/internal/author/strictyaml"

// Encryption has the settings of the keys for encrypted queues.
type Encryption struct {
	// Keyset is the JSON of a keyset, as written by `botwork keys new`. Without it, this process
	// has no keys.
	Keyset Text `yaml:"keyset" env:"KEYSET"`
}

const pathKeyset = "encryption.keyset"

// HasKeyset reports whether the settings name a keyset.
func (c *Config) HasKeyset() bool { return !c.Encryption.Keyset.absent() }

// KeysetSource returns where the keyset's text is: in the file of an absolute path, or in an
// environment variable. Both are "" if it is in the settings file itself, or if there is none.
func (c *Config) KeysetSource() (file, variable string) {
	if source, ok := c.from[pathKeyset]; ok {
		return "", source
	}
	return c.Encryption.Keyset.file, c.Encryption.Keyset.env
}

// KeysetFinding returns the reason why the keyset cannot be used as a finding, at the position
// of the setting. This package reads the text but does not parse it.
func (c *Config) KeysetFinding(message string) strictyaml.Finding {
	return c.finding(pathKeyset, "invalid-value", message, "")
}

// encryption checks that the keyset's text exists.
func (k *checker) encryption() {
	keyset := k.Encryption.Keyset
	const hint = "botwork keys new makes a keyset"
	switch {
	case keyset.problem != "":
		k.add(pathKeyset, "no-value", keyset.problem, hint)
	case !keyset.absent() && !keyset.pending() && !k.broken[pathKeyset] && keyset.Reveal() == "":
		k.add(pathKeyset, "invalid-value", "got an empty text", hint)
	}
}
