package cli

import (
	"botwork/config"
)

// Settings are the settings of the program and where they come from.
type Settings struct {
	// ConfigFile is the flag --config; "" if it was not given.
	ConfigFile string

	// Environ is the environment, in the form of os.Environ.
	Environ []string

	// Unset removes a variable from the environment of this process; if it is nil, no variable is
	// removed.
	Unset func(name string) error

	// Config holds the settings after LoadConfig.
	Config config.Config
}

// LoadConfig reads the settings into Config. Its error is a strictyaml.Findings.
func (s *Settings) LoadConfig() error {
	cfg, err := config.Load(s.ConfigFile, s.Environ)
	if err != nil {
		return err
	}
	s.Config = cfg
	s.ForgetSecrets()
	return nil
}
