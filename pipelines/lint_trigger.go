package pipelines

import (
	"fmt"
	"time"

	"botwork/handlers"
	"botwork/internal/author/policykeys"
	"botwork/internal/author/strictyaml"
	"botwork/internal/cron"
)

type rawTrigger struct {
	Cron     *strictyaml.Node `yaml:"cron"`
	Every    *strictyaml.Node `yaml:"every"`
	AtStart  *strictyaml.Node `yaml:"atStart"`
	Wake     *strictyaml.Node `yaml:"wake"`
	Timezone *strictyaml.Node `yaml:"timezone"`
	Overlap  *strictyaml.Node `yaml:"overlap"`
	Scope    *strictyaml.Node `yaml:"scope"`
	CatchUp  *strictyaml.Node `yaml:"catchUp"`
	DST      *strictyaml.Node `yaml:"dst"`
}

const emptyTriggerHint = "set cron, every, atStart: true or wake: true"

// trigger compiles a trigger; nil when the pipeline has none.
func (c *compilation) trigger(n *strictyaml.Node) *Trigger {
	if n == nil {
		return nil
	}
	var raw rawTrigger
	c.decodeMapping(n, &raw, triggerAs)
	if n.HasValue() && n.Kind != strictyaml.Mapping {
		return nil
	}
	t := &Trigger{
		Cron:     strictyaml.Value[string](&c.Reader, raw.Cron, nil),
		Every:    time.Duration(policykeys.Span(&c.Reader, raw.Every, policykeys.Positive)),
		AtStart:  strictyaml.Value[bool](&c.Reader, raw.AtStart, nil),
		Wake:     strictyaml.Value[bool](&c.Reader, raw.Wake, nil),
		Location: c.opts.Location,
		Overlap:  strictyaml.Choice(&c.Reader, raw.Overlap, overlaps...),
		Scope:    strictyaml.Choice(&c.Reader, raw.Scope, scopes...),
		CatchUp:  time.Duration(policykeys.Span(&c.Reader, raw.CatchUp, policykeys.NotNegative)),
		DST:      strictyaml.Choice(&c.Reader, raw.DST, dsts...),
	}
	c.timezone(t, raw.Timezone)
	c.schedule(t, n, raw)
	if t.Wake && (!raw.Scope.HasValue() || raw.Scope.Value == string(ScopeOnce)) {
		c.Report(raw.Wake, CodeWakeScope, "wake starts a run on each worker; a single run in the cluster cannot run the items of all workers",
			"add scope: each-worker")
	}
	return t
}

// triggerAs returns the trigger that a single value probably is: a cron expression or an interval.
func triggerAs(text string) string {
	if _, err := cron.Parse(text, time.UTC, cron.First); err == nil {
		return "{cron: " + strictyaml.Quoted(text) + "}"
	}
	if _, err := handlers.ParseDuration(text); err == nil {
		return "{every: " + text + "}"
	}
	return ""
}

func (c *compilation) timezone(t *Trigger, n *strictyaml.Node) {
	name := strictyaml.Value[string](&c.Reader, n, nil)
	if !n.HasValue() || n.Kind != strictyaml.Scalar {
		return
	}
	location, err := time.LoadLocation(name)
	if err != nil || name == "" {
		c.Report(n, CodeUnknownTimezone, fmt.Sprintf("got %q, want a zone of the IANA database", name), "write it like Europe/Lisbon or UTC")
		return
	}
	t.Location = location
}

// schedule compiles the schedule of the trigger and reports keys without effect.
func (c *compilation) schedule(t *Trigger, n *strictyaml.Node, raw rawTrigger) {
	planned, err := (*cron.Schedule)(nil), error(nil)
	switch {
	case raw.Cron.HasValue() && raw.Every.HasValue():
		c.Report(raw.Every, CodeTwoSchedules, "got both cron and every, want one of them", "")
	case raw.Cron.HasValue() && raw.Cron.Kind == strictyaml.Scalar:
		if planned, err = cron.Parse(t.Cron, t.Location, t.DST); err != nil {
			c.Report(raw.Cron, CodeInvalidSchedule, err.Error(), "")
		}
	case t.Every > 0:
		if planned, err = cron.Every(t.Every); err != nil {
			c.Report(raw.Every, CodeInvalidSchedule, err.Error(), "")
		}
	case raw.Cron.HasValue() || raw.Every.HasValue() || t.AtStart || t.Wake:
	case !raw.AtStart.HasValue() && !raw.Wake.HasValue():
		c.Report(n, CodeEmptyTrigger, "nothing starts the pipeline", emptyTriggerHint)
	case raw.AtStart.HasValue() && raw.AtStart.Value == false:
		c.Report(raw.AtStart, CodeEmptyTrigger, "nothing starts the pipeline", emptyTriggerHint)
	case raw.Wake.HasValue() && raw.Wake.Value == false:
		c.Report(raw.Wake, CodeEmptyTrigger, "nothing starts the pipeline", emptyTriggerHint)
	}
	if err == nil {
		t.Schedule = planned
	}
	if raw.Cron.HasValue() {
		return
	}
	for _, key := range []*strictyaml.Node{raw.Timezone, raw.DST} {
		if key.HasValue() {
			c.Report(key, CodeNoEffect, "it has no effect without a cron expression", "remove it")
		}
	}
	if raw.CatchUp.HasValue() && !raw.Every.HasValue() {
		c.Report(raw.CatchUp, CodeNoEffect, "it has no effect without cron or every", "remove it")
	}
}
