package config

import (
	"fmt"

	"botwork/internal/author/strictyaml"
)

// Encryption says with which keys the texts of encrypted queues are sealed.
type Encryption struct {
	// Keyset is the JSON of a keyset, as `botwork keys new` writes it. Without
	// one this process has no keys.
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

// KeysetFinding says, at the place where the settings name the keyset, why it
// cannot be used. This package reads the text and does not know what is in it.
func (c *Config) KeysetFinding(message string) strictyaml.Finding {
	return c.finding(pathKeyset, "invalid-value", message, "")
}

// FolderFinding is a finding about handlers.folders[i], at its place.
func (c *Config) FolderFinding(i int, code, message, hint string) strictyaml.Finding {
	return c.finding(fmt.Sprintf("handlers.folders[%d]", i), code, message, hint)
}

// encryption checks that the keyset's text is there.
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
