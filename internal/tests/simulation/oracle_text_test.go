package simulation

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// modelText returns the result of rowsText for the model's rows.
func (o *oracle) modelText() string {
	lines := make([]string, 0, len(o.model.Items)+len(o.model.Workers))
	var b []byte
	number := func(name string, n int64) { b = strconv.AppendInt(append(b, name...), n, 10) }
	text := func(name string, s *string) {
		b = append(b, name...)
		if s == nil || *s == "" {
			b = append(b, '-')
			return
		}
		b = append(b, *s...)
	}
	instant := func(name string, t *time.Time) {
		b = append(b, name...)
		if t == nil {
			b = append(b, '-')
			return
		}
		b = t.UTC().AppendFormat(b, "2006-01-02 15:04:05.000")
	}
	for _, it := range o.model.Items {
		b = b[:0]
		number("item ", it.ID)
		number(": state ", int64(it.State))
		number(" prio ", int64(it.Priority))
		if b = append(b, " worker "...); it.WorkerID == nil {
			b = append(b, '-')
		} else {
			number("", *it.WorkerID)
		}
		number(" fence ", it.Fence)
		number(" failures ", int64(it.RetryCount))
		number(" releases ", int64(it.ReleaseCount))
		if begun, ok := o.model.StartFences[it.ID]; ok {
			number(" begun ", begun)
		} else {
			text(" begun ", nil)
		}
		instant(" lease ", it.LeaseExpiresAt)
		instant(" due ", &it.AvailableAt)
		instant(" assigned ", it.AssignedAt)
		instant(" started ", it.StartedAt)
		instant(" first ", it.FirstStartedAt)
		instant(" finished ", it.FinishedAt)
		text(" kind ", (*string)(it.ErrorKind))
		text(" step ", it.Step)
		text(" output ", (*string)(&it.Output))
		number(" attempts ", int64(len(o.model.Attempts[it.ID])))
		lines = append(lines, string(b))
	}
	for _, w := range o.model.Workers {
		b = append(append(append(append(b[:0], "worker "...), w.Name...), ": "...), w.InstanceID...)
		b = append(append(b, ' '), w.State...)
		instant(" lease ", w.LeaseExpiresAt)
		number(" stuck ", int64(w.StuckSlots))
		text(" gate ", w.Gate)
		lines = append(lines, string(b))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
