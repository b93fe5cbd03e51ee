package durations

import "botwork/internal/operations"

type DurationView = operations.Duration
