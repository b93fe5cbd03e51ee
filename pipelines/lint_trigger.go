package pipelines

import (
	"fmt"
	"time"

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
	c.findings = append(c.findings, n.Decode(&raw)...)
	if given(n) && n.Kind != strictyaml.Mapping {
		return nil
	}
	t := &Trigger{
		Cron:     value[string](c, raw.Cron, nil),
		Every:    time.Duration(value(c, raw.Every, positive)),
		AtStart:  value[bool](c, raw.AtStart, nil),
		Wake:     value[bool](c, raw.Wake, nil),
		Location: c.opts.Location,
		Overlap:  choice(c, raw.Overlap, overlaps...),
		Scope:    choice(c, raw.Scope, scopes...),
		CatchUp:  time.Duration(value(c, raw.CatchUp, notNegative)),
		DST:      choice(c, raw.DST, dsts...),
	}
	c.timezone(t, raw.Timezone)
	c.schedule(t, n, raw)
	if t.Wake && (!given(raw.Scope) || raw.Scope.Value == string(ScopeOnce)) {
		c.report(raw.Wake, CodeWakeScope, "wake starts a run on each worker; a single run in the cluster cannot run the items of all workers",
			"add scope: each-worker")
	}
	return t
}

func (c *compilation) timezone(t *Trigger, n *strictyaml.Node) {
	name := value[string](c, n, nil)
	if !given(n) || n.Kind != strictyaml.Scalar {
		return
	}
	location, err := time.LoadLocation(name)
	if err != nil || name == "" {
		c.report(n, CodeUnknownTimezone, fmt.Sprintf("got %q, want a zone of the IANA database", name), "write it like Europe/Lisbon or UTC")
		return
	}
	t.Location = location
}

// schedule compiles the schedule of the trigger and reports keys without effect.
func (c *compilation) schedule(t *Trigger, n *strictyaml.Node, raw rawTrigger) {
	planned, err := (*cron.Schedule)(nil), error(nil)
	switch {
	case given(raw.Cron) && given(raw.Every):
		c.report(raw.Every, CodeTwoSchedules, "got both cron and every, want one of them", "")
	case given(raw.Cron) && raw.Cron.Kind == strictyaml.Scalar:
		if planned, err = cron.Parse(t.Cron, t.Location, t.DST); err != nil {
			c.report(raw.Cron, CodeInvalidSchedule, err.Error(), "")
		}
	case t.Every > 0:
		if planned, err = cron.Every(t.Every); err != nil {
			c.report(raw.Every, CodeInvalidSchedule, err.Error(), "")
		}
	case given(raw.Cron) || given(raw.Every) || t.AtStart || t.Wake:
	case !given(raw.AtStart) && !given(raw.Wake):
		c.report(n, CodeEmptyTrigger, "nothing starts the pipeline", emptyTriggerHint)
	case given(raw.AtStart) && raw.AtStart.Value == false:
		c.report(raw.AtStart, CodeEmptyTrigger, "nothing starts the pipeline", emptyTriggerHint)
	case given(raw.Wake) && raw.Wake.Value == false:
		c.report(raw.Wake, CodeEmptyTrigger, "nothing starts the pipeline", emptyTriggerHint)
	}
	if err == nil {
		t.Schedule = planned
	}
	if given(raw.Cron) {
		return
	}
	for _, key := range []*strictyaml.Node{raw.Timezone, raw.DST} {
		if given(key) {
			c.report(key, CodeNoEffect, "it has no effect without a cron expression", "remove it")
		}
	}
	if given(raw.CatchUp) && !given(raw.Every) {
		c.report(raw.CatchUp, CodeNoEffect, "it has no effect without cron or every", "remove it")
	}
}
