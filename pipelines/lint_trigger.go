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

const emptyTriggerHint = "give it cron, every, atStart: true or wake: true"

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
		c.report(raw.Wake, CodeWakeScope, "wakes each worker for itself, and one run in the whole cluster cannot run the items of all",
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

// schedule plans what the trigger says and reports keys that have no say.
func (c *compilation) schedule(t *Trigger, n *strictyaml.Node, raw rawTrigger) {
	planned, err := (*cron.Schedule)(nil), error(nil)
	switch {
	case given(raw.Cron) && given(raw.Every):
		c.report(raw.Every, CodeTwoSchedules, "stands beside cron, want one of them", "")
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
			c.report(key, CodeNoEffect, "only a cron expression reads it", "remove it")
		}
	}
	if given(raw.CatchUp) && !given(raw.Every) {
		c.report(raw.CatchUp, CodeNoEffect, "there is no cron and no every whose firings could be missed", "remove it")
	}
}
