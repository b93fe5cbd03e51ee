// Package operations has what the command line and the HTTP API both answer about pipelines,
// their runs, scheduled tasks and learned durations: the values that both write as JSON, and
// how they are read.
package operations
