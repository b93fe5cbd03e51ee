package doctor

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// manyLines bounds how much of a list is shown.
const manyLines = 8

// settings reports whether the settings could be read.
func (d *Doctor) settings(context.Context) []Result {
	if d.o.SettingsError != nil {
		return fault(firstLines(d.o.SettingsError.Error()), "fix the errors in the file or in the environment; docs/configuration.md describes all settings")
	}
	if d.o.File != "" && d.o.Environment != "" {
		return ok(fmt.Sprintf("%s, environment %s", d.o.File, d.o.Environment))
	}
	if d.o.File != "" {
		return ok(d.o.File)
	}
	folder, err := os.Getwd()
	if err != nil {
		folder = "the working folder"
	}
	return warning("no botwork.yaml in "+folder+": only the defaults and the environment are used",
		"name the file with --config or BOTWORK_CONFIG, or run in its folder; `botwork init` creates one")
}

// zoneData loads time zones as triggers do. The program contains the data, so this finds a wrong
// name from the environment, or a broken ZONEINFO.
func (d *Doctor) zoneData(context.Context) []Result {
	for _, name := range []string{d.o.Timezone, "Europe/Lisbon", "America/New_York"} {
		if _, err := time.LoadLocation(name); err != nil {
			return fault(fmt.Sprintf("the time zone %q cannot be loaded: %v", name, err),
				"use a name such as Europe/Lisbon, UTC or Local in pipelines.timezone; unset ZONEINFO if it is set")
		}
	}
	zone, err := time.LoadLocation(d.o.Timezone)
	if err != nil {
		return fault(err.Error(), "")
	}
	now := time.Now().In(zone)
	if d.o.Timezone == "Local" {
		return ok(now.Format("triggers use this machine's zone, where it is 15:04 (UTC-07:00) now"))
	}
	return ok(fmt.Sprintf("triggers use %s, where it is %s now", d.o.Timezone, now.Format("15:04 (UTC-07:00)")))
}

// secrets reports whether all secrets and DSNs in variables and files exist.
func (d *Doctor) secrets(context.Context) []Result {
	if d.o.SecretsError != nil {
		return fault(firstLines(d.o.SecretsError.Error()),
			"a worker does not start: set the variable, or allow the account to read the file. A service has its own environment, "+
				"so a variable of your environment may not be set for the service")
	}
	if len(d.o.Secrets) == 0 {
		return ok("the settings name none")
	}
	return ok(fmt.Sprintf("%s, all readable", counted(len(d.o.Secrets), "secret")))
}

// firstLines shortens a long list of errors.
func firstLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if more := len(lines) - manyLines; more > 0 {
		lines = append(lines[:manyLines], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// counted returns a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
