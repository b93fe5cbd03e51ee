package durations

type DurationView = durationView
