package config

import (
	_ "embed"
	"slices"
)

//go:embed sample.yaml
var sample []byte

// Sample returns the text of a settings file that explains each setting and changes none.
func Sample() []byte { return slices.Clone(sample) }
