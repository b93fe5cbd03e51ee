package stats

import (
	"bytes"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/workqueue"
)

var (
	BarWidth = barWidth
	Happened = happened
)

// Bar returns the bar of a point with these ends beside one with most of them.
func Bar(succeeded, failed, most int64, width int) string {
	return bar(&workqueue.SeriesPoint{Succeeded: succeeded, Failed: failed}, most, width)
}

// Table returns the table of statistics, with times in UTC.
func Table(p *workqueue.SeriesParams, s *workqueue.Series) string {
	var out bytes.Buffer
	a := &command{&projectdir.App{App: &cli.App{Streams: cli.Streams{Stdout: &out, UTC: true}}}}
	a.table(p, s)
	return out.String()
}

// CSV returns the statistics as CSV.
func CSV(s *workqueue.Series) (string, error) {
	var out bytes.Buffer
	err := writeCSV(&out, s)
	return out.String(), err
}
