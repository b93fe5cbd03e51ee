package cli

import (
	"time"

	"botwork/internal/newitems"
)

// ParseTime parses a time from the command line.
func ParseTime(text string) (time.Time, error) { return newitems.ParseTime(text, time.Local) }

// ParseEstimate parses how long a run is expected to take.
func ParseEstimate(text string) (time.Duration, error) { return newitems.ParseEstimate(text) }

// ParseWait parses a duration that is not negative; "" is 0.
func ParseWait(text string) (time.Duration, error) { return newitems.ParseWait(text) }
