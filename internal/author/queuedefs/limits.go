package queuedefs

import (
	"fmt"
	"strconv"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/internal/spans"
	"botwork/workqueue"
)

type rawLimits struct {
	rawLimit
	PerKey rawLimit `yaml:"perKey"`
}

type rawLimit struct {
	Concurrency *strictyaml.Node `yaml:"concurrency"`
	Rate        *strictyaml.Node `yaml:"rate"`
}

func (r *reader) limits(raw *rawLimits) workqueue.QueueLimits {
	return workqueue.QueueLimits{
		Concurrency:    strictyaml.Value(&r.Reader, raw.Concurrency, atLeast(1)),
		Rate:           r.rate(raw.Rate),
		KeyConcurrency: strictyaml.Value(&r.Reader, raw.PerKey.Concurrency, atLeast(1)),
		KeyRate:        r.rate(raw.PerKey.Rate),
	}
}

// rate reads a rate such as "10/1m". Unlike workqueue.ParseRate, it accepts days, as
// all durations in the file.
func (r *reader) rate(n *strictyaml.Node) workqueue.Rate {
	if !n.HasValue() {
		return workqueue.Rate{}
	}
	const want = "a number and a period, both above 0, such as 10/1m"
	text, ok := n.Value.(string)
	if !ok {
		r.Report(n, "wrong-type", "got a value without a period, want "+want, "")
		return workqueue.Rate{}
	}
	count, period, _ := strings.Cut(text, "/")
	limit, err := strconv.Atoi(strings.TrimSpace(count))
	per, perErr := spans.Parse(strings.TrimSpace(period))
	if err != nil || perErr != nil || limit <= 0 || per <= 0 {
		r.Report(n, "invalid-value", fmt.Sprintf("got %.40q, want %s", text, want), "")
		return workqueue.Rate{}
	}
	return workqueue.Rate{Limit: limit, Per: workqueue.Duration(per)}
}

type rawRobots struct {
	Public         *strictyaml.Node `yaml:"public"`
	DeletesOnlyOwn *strictyaml.Node `yaml:"deletesOnlyOwn"`
	Rights         *strictyaml.Node `yaml:"rights"`
}

// The rights of a robot in the file.
const (
	rightRead  = "read"
	rightWrite = "write"
	rightBoth  = "read-write"
)

// robots reads which robots can use the queue. A list of rights makes it private.
func (r *reader) robots(q *workqueue.Queue, n *strictyaml.Node) {
	if !n.HasValue() {
		return
	}
	var raw rawRobots
	r.Decode(n, &raw)
	q.RobotDeletesOnlyOwn = strictyaml.Value[bool](&r.Reader, raw.DeletesOnlyOwn, nil)
	public := strictyaml.Value[bool](&r.Reader, raw.Public, nil)
	q.Private = raw.Public.HasValue() && !public || !raw.Public.HasValue() && raw.Rights.HasValue()
	if !raw.Rights.HasValue() {
		return
	}
	if raw.Rights.Kind != strictyaml.Mapping {
		r.Report(raw.Rights, "wrong-type", "got "+raw.Rights.Kind.String()+", want a mapping of robot names to read, write or read-write", "")
		return
	}
	if public {
		r.Report(raw.Public, "invalid-value", "got true together with a list of rights, want false: the rights only apply to a queue that is not public",
			"remove the key public, or the rights")
	}
	for _, e := range raw.Rights.Entries {
		if !e.Value.HasValue() {
			r.Report(e.Value, "wrong-type", "got nothing, want read, write or read-write", "")
			continue
		}
		right := strictyaml.Choice(&r.Reader, e.Value, rights...)
		q.Robots = append(q.Robots, workqueue.QueueRobot{Robot: e.Key, Read: right != rightWrite, Write: right != rightRead})
	}
}
