package cmd

import (
	"io"
	"time"

	"github.com/rs/zerolog"

	"botwork/config"
	"botwork/pipelines"
)

// newLogger writes the log to w as the settings say, without the secrets that
// the redactor knows. The writer takes lines that are written by hand.
func newLogger(w io.Writer, settings config.Log, redactor *pipelines.Redactor) (zerolog.Logger, io.Writer, error) {
	level, err := zerolog.ParseLevel(settings.Level)
	if err != nil {
		return zerolog.Nop(), nil, err
	}
	if terminal := isTerminal(w); settings.Format == "console" || settings.Format == "auto" && terminal {
		w = zerolog.ConsoleWriter{Out: w, TimeFormat: time.TimeOnly, NoColor: !terminal}
	}
	// One line at a time: items log from several goroutines.
	to := zerolog.SyncWriter(redactor.Writer(w))
	return zerolog.New(to).Level(level).With().Timestamp().Logger(), to, nil
}

// secrets are those of the settings by name, as pipelines see them.
func (a *app) secrets() map[string]string {
	plain := make(map[string]string, len(a.cfg.Secrets))
	for name, secret := range a.cfg.Secrets {
		plain[name] = secret.Reveal()
	}
	return plain
}

// redactor hides the values of all secrets, and the keys.
func (a *app) redactor() *pipelines.Redactor {
	values := a.keyMaterial()
	for _, value := range a.secrets() {
		values = append(values, value)
	}
	return pipelines.NewRedactor(values...)
}
