package cli

import (
	"botwork/config"
)

// Settings are the settings of the program and where they come from.
type Settings struct {
	// ConfigFile is the flag --config; "" if it was not given.
	ConfigFile string

	// Environment is the flag --environment. Begin puts it into Environ.
	Environment string

	// Environ is the environment, in the form of os.Environ. It also chooses the environment of the
	// settings.
	Environ []string

	// Set sets a variable in the environment of this process; if it is nil, no variable is set.
	Set func(name, value string) error

	// Unset removes a variable from the environment of this process; if it is nil, no variable is
	// removed.
	Unset func(name string) error

	// Config holds the settings after LoadConfig.
	Config config.Config
}

// chooseEnvironment makes the environment of a flag that was given the one in use, also for the
// programs that steps start.
func (s *Settings) chooseEnvironment(given bool) error {
	if !given {
		return nil
	}
	if err := config.CheckEnvironment(s.Environment); s.Environment != "" && err != nil {
		return Usagef("--environment: %v", err)
	}
	s.Environ = config.WithEnvironment(s.Environ, s.Environment)
	if s.Set != nil {
		return s.Set(config.VariableEnvironment, s.Environment)
	}
	return nil
}

// Values returns the values of the settings, as pipelines use them.
func (s *Settings) Values() map[string]any {
	return config.Environment{Values: s.Config.Values}.Map()
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
