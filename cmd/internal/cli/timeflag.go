package cli

import (
	"time"

	"github.com/spf13/cobra"

	"botwork/internal/moments"
)

// TimeForms describes what [moments.Parse] accepts, for the help of a command.
const TimeForms = `Times are RFC 3339 (2026-01-31T13:45:00Z), local times (2026-01-31, "2026-01-31 13:45"),
times of day (06:00 is the latest 06:00 before now), today, yesterday, "yesterday 22:00",
now, or how long ago (6h, 7d). With --utc they are in UTC.`

// TimeFlag adds a flag for a time and returns its value as a function: the zero time if the flag is
// not given. Call it when the command runs.
func TimeFlag(cmd *cobra.Command, s *Streams, name, usage string) func() (time.Time, error) {
	var text string
	cmd.Flags().StringVar(&text, name, "", usage)
	return func() (time.Time, error) {
		if text == "" {
			return time.Time{}, nil
		}
		at, err := moments.Parse(text, time.Now(), s.Zone())
		if err != nil {
			return at, Usagef("--%s: %v", name, err)
		}
		return at, nil
	}
}
