package simulation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/escalation"
	"botwork/workqueue/matching"
)

// escalationJudge has the documented rules in plain Go. It checks each statement by the rows before
// and after it, and remembers by itself which steps have acted.
type escalationJudge struct {
	w     *escalationWorld
	rules map[string]*ruleState // by Escalation.String
	steps map[stepKey]stepMark

	entry, item, event int64 // the last rows of the audit log, of its items and of the events
}

type ruleState struct {
	known    bool
	checked  time.Time // the latest turn
	since    time.Time // since when the condition holds
	reported bool      // the condition has been reported
	missed   bool      // the process with the latest turn has not used it
}

type stepKey struct {
	rule string
	item int64
}

type stepMark struct {
	due  time.Time
	step int
}

// escalationRow is an item as the judge reads it.
type escalationRow struct {
	id              int64
	queue, pipeline string
	state           workqueue.State
	priority        int
	selectors       string
	due             time.Time
	hidden, paused  bool
	version         int64
	kind, text      string // of its error
	places          int    // in the order of its queue, among those that wait
	stepsOf         map[string]stepMark
}

func newEscalationJudge(w *escalationWorld) *escalationJudge {
	return &escalationJudge{w: w, rules: map[string]*ruleState{}, steps: map[stepKey]stepMark{}}
}

func (j *escalationJudge) define(rules []workqueue.Escalation) {
	for i := range rules {
		j.rules[rules[i].String()] = &ruleState{}
	}
}

// look reads all items, with the steps that have acted on them.
func (j *escalationJudge) look() map[int64]*escalationRow {
	rows, err := j.w.eyes.Query(`
		SELECT i.Id, i.QueueName, i.IntegrationConfig, i.State, i.Priority, COALESCE(i.Selectors, ''), CAST(i.AvailableAt AS TEXT), i.DeletedAt IS NOT NULL,
			COALESCE(q.Paused, 0), i.Version, COALESCE(i.ErrorKind, ''), COALESCE(i.Error, '')
		FROM BotWorkQueueItems i LEFT JOIN BotQueues q ON q.Name = i.QueueName`)
	if err != nil {
		j.w.t.Fatal(err)
	}
	defer rows.Close()
	all := map[int64]*escalationRow{}
	for rows.Next() {
		r, due := &escalationRow{stepsOf: map[string]stepMark{}}, ""
		if err := rows.Scan(&r.id, &r.queue, &r.pipeline, &r.state, &r.priority, &r.selectors, &due, &r.hidden, &r.paused, &r.version, &r.kind, &r.text); err != nil {
			j.w.t.Fatal(err)
		}
		r.selectors = keysOf(r.selectors)
		if r.due, err = time.Parse("2006-01-02 15:04:05.000", due); err != nil {
			j.w.t.Fatal(err)
		}
		all[r.id] = r
	}
	if err := rows.Err(); err != nil {
		j.w.t.Fatal(err)
	}
	for key, mark := range j.steps {
		if r := all[key.item]; r != nil && mark.due.Equal(r.due) {
			r.stepsOf[key.rule] = mark
		}
	}
	return all
}

// rank gives the waiting items their places in the order of their queues.
func rank(all map[int64]*escalationRow, now time.Time) {
	places := map[string]int{}
	for _, r := range slices.SortedFunc(maps.Values(all), func(a, b *escalationRow) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.id, b.id))
	}) {
		if r.waits(now) {
			places[r.queue]++
			r.places = places[r.queue]
		}
	}
}

// waits reports whether the item waits and is due.
func (r *escalationRow) waits(now time.Time) bool {
	return (r.state == workqueue.Ready || r.state == workqueue.Pending) && !r.hidden && !r.due.After(now)
}

// figuresOf counts the items that belong to a rule's queue or pipeline.
func figuresOf(all map[int64]*escalationRow, now time.Time, of func(r *escalationRow) bool) (f escalation.Figures) {
	for _, r := range all {
		switch {
		case !of(r) || r.hidden:
		case r.waits(now):
			f.Length++
			f.Oldest = max(f.Oldest, now.Sub(r.due))
		case r.state == workqueue.Assigned:
			f.Assigned++
		case r.state == workqueue.Blocked:
			f.Running++
		}
	}
	return f
}

func belongs(e *workqueue.Escalation) func(r *escalationRow) bool {
	return func(r *escalationRow) bool {
		if e.Scope == workqueue.EscalatePipeline {
			return r.pipeline == e.Owner
		}
		return r.queue == e.Owner
	}
}

// read checks the figures of conditions.
func (j *escalationJudge) read(p *escalator, f workqueue.EscalationFigures) {
	all := j.look()
	slow := figuresOf(all, j.w.clock(), func(r *escalationRow) bool { return r.queue == "slow" })
	voice := figuresOf(all, j.w.clock(), func(r *escalationRow) bool { return r.pipeline == "Voice" })
	if f.Queues["slow"] != slow || f.Pipelines["Voice"] != voice {
		j.w.violation("the figures are %+v and %+v, want %+v and %+v", f.Queues["slow"], f.Pipelines["Voice"], slow, voice)
	}
	p.figures = map[string]escalation.Figures{"slow": slow, "Voice": voice}
}

// holds evaluates the conditions of queueRules and pipelineRules.
func (j *escalationJudge) holds(p *escalator, e *workqueue.Escalation) bool {
	f := p.figures[e.Owner]
	switch e.Rule.When {
	case "":
		return true
	case "oldest > 3m":
		return f.Oldest > 3*time.Minute
	case "oldest > 4m":
		return f.Oldest > 4*time.Minute
	case "length > 3":
		return f.Length > 3
	case "length > 5":
		return f.Length > 5
	case "length > 8":
		return f.Length > 8
	case "length > 4 and running == 0":
		return f.Length > 4 && f.Running == 0
	}
	j.w.t.Fatalf("the judge does not know the condition %q", e.Rule.When)
	return false
}

// turn checks which process may apply a rule: one in each period, while the condition holds.
func (j *escalationJudge) turn(p *escalator, e workqueue.Escalation, holds bool, turn workqueue.EscalationTurn, ok bool) {
	now, st := j.w.clock(), j.rules[e.String()]
	if want := j.holds(p, &e); holds != want {
		j.w.violation("the condition of the %s is %t, want %t", e.String(), holds, want)
	}
	due := !st.known || now.Sub(st.checked) >= workqueue.EscalationPeriod
	if due {
		st.known, st.checked, st.missed = true, now, holds
		switch {
		case !holds || e.Rule.When == "":
			st.since, st.reported = time.Time{}, false
		case st.since.IsZero():
			st.since, st.reported = now, false
		}
	}
	j.w.log("%s: a turn of the %s: %t, holds %t", p.name, e.String(), ok, holds)
	switch {
	case ok != (due && holds):
		j.w.violation("%s may apply the %s: %t, want %t", p.name, e.String(), ok, due && holds)
	case ok && (!turn.Since.Equal(st.since) || !turn.Now.Equal(now)):
		j.w.violation("the condition of the %s holds since %v at %v, want %v at %v", e.String(), turn.Since, turn.Now, st.since, now)
	case ok:
		p.owed[e.String()] = true
	}
}

// passed checks that a pass without a failure has applied each rule, or found that another process
// had done so.
func (j *escalationJudge) passed(p *escalator, began time.Time) {
	for name, st := range j.rules {
		if !st.known || st.checked.Before(began.Add(-workqueue.EscalationPeriod)) {
			j.w.violation("%s has not applied the %s, nor has another process for %s", p.name, name, j.w.clock().Sub(st.checked))
		}
	}
	for name := range p.owed {
		j.w.violation("%s had a turn of the %s and has not used it", p.name, name)
	}
}

// dueStep returns the latest step of a rule that is due.
func dueStep(r *escalation.Rule, due, since, now time.Time) int {
	begins := due.Add(r.After)
	if since.After(begins) {
		begins = since
	}
	if now.Before(begins) {
		return 0
	}
	if r.Raise == nil || r.Raise.Every == 0 {
		return 1
	}
	return 1 + int(now.Sub(begins)/r.Raise.Every)
}

// act returns the row after a rule has acted on it at a step, the latest before being done. ok is
// false if the rule may not act on it: it is not one of those that wait for so long, or not any more.
func (j *escalationJudge) act(turn *workqueue.EscalationTurn, found, before *escalationRow) (after escalationRow, step int, ok bool) {
	rule, name, now := &turn.Rule, turn.String(), j.w.clock()
	done := found.stepsOf[name].step
	switch {
	case !belongs(&turn.Escalation)(found) || found.hidden || found.paused || found.due.Add(rule.After).After(now):
		return after, 0, false
	case !found.waits(now) && (found.state != workqueue.Assigned || rule.Raise == nil):
		return after, 0, false
	case dueStep(rule, found.due, turn.Since, now) <= done && done > 0:
		return after, 0, false
	case rule.Raise != nil && rule.Raise.To != nil && found.priority >= *rule.Raise.To, rule.Relax != nil && found.selectors == "":
		return after, 0, false
	case (rule.MoveTo != "" || rule.Cancel) && turn.Scope == workqueue.EscalateQueue && found.places <= rule.Keep:
		return after, 0, false
	}
	step = max(dueStep(rule, found.due, turn.Since, turn.Now), done+1)
	// A raise and a relax leave an item alone whose priority has changed since it was found.
	same := before.version == found.version && before.state == found.state && !before.hidden && !before.paused && !before.due.After(now)
	if !same || before.stepsOf[name].step >= step || (rule.Raise != nil || rule.Relax != nil) && before.priority != found.priority {
		return after, 0, false
	}
	after = *before
	switch rule.Action() {
	case escalation.ActionRaise:
		raised, steps := before.priority+rule.Raise.By*(step-done), rule.Raise.To
		if rule.Raise.By == 0 {
			raised = *steps
		}
		if steps != nil {
			raised = min(raised, *steps)
		}
		after.priority = raised
	case escalation.ActionMove:
		after.queue, after.priority = rule.MoveTo, before.priority+otherOffset
	case escalation.ActionRelax:
		after.selectors = relaxed(before.selectors, rule.Relax)
	case escalation.ActionCancel:
		after.state, after.kind, after.text = workqueue.Cancelled, "cancelled", turn.Reason()
	}
	return after, step, true
}

// keysOf returns the keys of selectors.
func keysOf(text string) string {
	selectors, err := matching.ParseSelectors(text)
	if err != nil {
		return err.Error()
	}
	var keys []string
	for _, s := range selectors {
		keys = append(keys, s.Key)
	}
	return strings.Join(keys, " ")
}

// relaxed returns keys without those that the rule removes.
func relaxed(keys string, r *escalation.Relax) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(keys), func(key string) bool { return r.All || slices.Contains(r.Keys, key) }), " ")
}

// targets returns the items on which a rule would act now, in their order.
func (j *escalationJudge) targets(turn *workqueue.EscalationTurn, found map[int64]*escalationRow) (ids []int64) {
	rank(found, j.w.clock())
	for _, id := range slices.Sorted(maps.Keys(found)) {
		if _, _, ok := j.act(turn, found[id], found[id]); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func (r *escalationRow) values() string {
	return fmt.Sprintf("queue %s, state %v, priority %d, selectors %q, due %s, error %q %q", r.queue, r.state, r.priority, r.selectors, r.due.Format("15:04:05.000"), r.kind, r.text)
}

// escalated checks what a rule has done: found are the rows as the statement could read them that
// looks for items, before those at the time of the change.
func (j *escalationJudge) escalated(p *escalator, turn *workqueue.EscalationTurn, found, before map[int64]*escalationRow, result workqueue.EscalationResult) {
	w, name := j.w, turn.String()
	st := j.rules[name]
	st.missed = false
	if turn.Rule.Announces() {
		announces := !st.reported && !turn.Since.IsZero() && turn.Since.Equal(st.since)
		st.reported = st.reported || announces
		j.recorded(turn, announces, nil)
		return
	}
	rank(found, w.clock())
	after, acted, changed := j.look(), map[int64]string{}, 0
	for _, id := range slices.Sorted(maps.Keys(before)) {
		want, step, acts := *before[id], 0, false
		if found[id] != nil {
			var then escalationRow
			if then, step, acts = j.act(turn, found[id], before[id]); acts {
				want = then
			}
		}
		got := after[id]
		if got == nil || got.values() != want.values() {
			w.violation("the %s, acting %t at step %d on item %d (%s), leaves\n     got %v\n    want %v", name, acts, step, id, found[id].values(), got, &want)
			return
		}
		if acts {
			j.steps[stepKey{name, id}] = stepMark{before[id].due, step}
			w.log("%s: the %s acts on item %d at step %d: priority %d, queue %s, state %v", p.name, name, id, step, want.priority, want.queue, want.state)
			differs := want.values() != before[id].values()
			if differs || turn.Rule.Notify {
				changed++
				acted[id] = fmt.Sprintf("%d %d", before[id].priority, want.priority)
			}
			if differs != (got.version > before[id].version) {
				w.violation("the version of item %d is %d after %d, and its values differ: %t", id, got.version, before[id].version, differs)
			}
		} else if got.version != before[id].version {
			w.violation("the %s writes item %d, on which it does not act", name, id)
		}
	}
	if result.Changed != changed || len(result.Refused) > 0 || result.More {
		w.violation("the %s reports %+v, want %d changed", name, result, changed)
	}
	j.recorded(turn, turn.Rule.Notify && changed > 0, acted)
}

// recorded checks what the statement has written to the audit log, and its events.
func (j *escalationJudge) recorded(turn *workqueue.EscalationTurn, notifies bool, acted map[int64]string) {
	w := j.w
	want := map[string]int{}
	for id, priorities := range acted {
		if turn.Rule.Raise == nil {
			priorities = ""
		}
		want[fmt.Sprintf("audit %d %s", id, priorities)] = 1
	}
	switch {
	case notifies && acted == nil:
		want["announced"], want["event 0"] = 1, 1
	case notifies:
		for id := range acted {
			want[fmt.Sprintf("event %d", id)] = 1
		}
	}
	got := map[string]int{}
	each := func(query string, last *int64, line func(id int64, text string) string) {
		rows, err := w.eyes.Query(query, *last)
		if err != nil {
			w.t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var id, item int64
			var actor, text string
			if err := rows.Scan(&id, &item, &actor, &text); err != nil {
				w.t.Fatal(err)
			}
			*last = max(*last, id)
			if by := string(turn.Scope) + " " + turn.Owner + ": " + turn.Rule.Name; actor != by && actor != turn.Reason() {
				got["by "+actor]++
			}
			if l := line(item, text); l != "" {
				got[l]++
			}
		}
		if err := rows.Err(); err != nil {
			w.t.Fatal(err)
		}
	}
	each(`SELECT a.Id, a.ItemId, e.Actor, COALESCE(json_extract(a.Before, '$.priority') || ' ' || json_extract(a.After, '$.priority'), '')
		FROM BotAuditItems a JOIN BotAuditLog e ON e.Id = a.AuditId WHERE a.Id > ? AND e.Action = 'items.escalate' ORDER BY a.Id`, &j.item, func(id int64, text string) string {
		if turn.Rule.Raise == nil {
			text = ""
		}
		return fmt.Sprintf("audit %d %s", id, text)
	})
	each(`SELECT Id, 0, Actor, TargetKind FROM BotAuditLog WHERE Id > ? AND Action = 'items.escalate'`, &j.entry, func(_ int64, kind string) string {
		if turn.Rule.Announces() {
			return "announced"
		}
		return ""
	})
	each(`SELECT Id, COALESCE(ItemId, 0), Detail, '' FROM BotEvents WHERE Id > ? AND Kind = 'escalation'`, &j.event, func(id int64, _ string) string {
		return fmt.Sprintf("event %d", id)
	})
	if !maps.Equal(got, want) {
		w.violation("the %s records %v, want %v", turn.String(), got, want)
	}
}

// settled checks, some minutes after the trouble has ended, that all rules have been applied.
func (j *escalationJudge) settled() {
	for name, st := range j.rules {
		if st.missed {
			j.w.violation("the latest turn of the %s was not used", name)
		}
		if !st.since.IsZero() && !st.reported && j.announces(name) {
			j.w.violation("the condition of the %s is true since %s, which was not reported", name, st.since)
		}
	}
}

func (j *escalationJudge) announces(name string) bool {
	return strings.Contains(name, `"slow" of`) || strings.Contains(name, `"full" of`) || strings.Contains(name, `"many" of`)
}
