package storetest

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"botwork/workqueue"
	"botwork/workqueue/storetest/reference"
)

// runLease is the duration of leases of claims and heartbeats.
const runLease = time.Minute

func (m *machine) claim(t *rapid.T) {
	p := m.process(t)
	if !seldom(t, "any process") {
		p = one(t, "process with assigned items", m.withAssigned())
	}
	band, limit := band(t), rapid.IntRange(1, 4).Draw(t, "max")
	params := workqueue.ClaimParams{WorkerID: p.Worker, InstanceID: p.Instance, Band: band, Max: limit, Lease: runLease}
	if seldom(t, "with a limit of waiting work") {
		params.Begin, params.Work = rapid.IntRange(0, 2).Draw(t, "begin"), time.Minute
	}
	got, err := m.Store.Claim(m.ctx, params)
	must(t, err)
	same(t, "claimed items", reference.Plain(got), reference.Plain(m.model.Claim(params)))
	for _, it := range got {
		if want := m.model.Items[it.ID].RecordBegin; it.RecordBegin != want {
			t.Fatalf("item %d was claimed with RecordBegin %v, want %v", it.ID, it.RecordBegin, want)
		}
		m.history.claimed(t, p, it)
	}
}

func (m *machine) begin(t *rapid.T) {
	p, held := m.holder(t, 1)
	got, err := m.Store.Begin(m.ctx, workqueue.BeginParams{WorkerID: p.Worker, InstanceID: p.Instance, Items: held})
	must(t, err)
	want := m.model.Begin(p, held)
	sameIDs(t, "claims whose begin was refused", got, want)
	m.history.started(held, held, got)
}

func (m *machine) beat(t *rapid.T) {
	p, held := m.holder(t, 0)
	stuck := rapid.IntRange(0, 1).Draw(t, "stuck")
	lease := rapid.SampledFrom([]time.Duration{3 * runLease, runLease}).Draw(t, "lease")
	beat := workqueue.BeatParams{WorkerID: p.Worker, InstanceID: p.Instance, Lease: lease, Held: held, Stuck: stuck}
	if rapid.Bool().Draw(t, "a run has ended") {
		beat.Ended = new(time.Duration(rapid.Int64Range(0, 5_000_000_000).Draw(t, "time since its end")))
	}
	if rapid.IntRange(0, 3).Draw(t, "gated") == 0 {
		beat.Gate = "cpu 97% over 90%"
	}
	for _, ref := range each(held) {
		if rapid.Bool().Draw(t, "has begun") {
			beat.Started = append(beat.Started, ref)
		}
	}
	got, err := m.Store.Beat(m.ctx, beat)
	if err == nil {
		m.history.started(beat.Started, held, got.Lost)
	}
	want, wantErr := m.model.Beat(beat)
	m.sameError(t, err, wantErr)
	same(t, "the state that the heartbeat returns", got.State, want.State)
	sameIDs(t, "claims that the heartbeat lost", got.Lost, want.Lost)
}

func (m *machine) progress(t *rapid.T) {
	p, held := m.holder(t, 1)
	var notes []workqueue.ProgressNote
	for _, ref := range each(held) {
		note := workqueue.ProgressNote{ItemRef: ref, Step: "fetch"}
		if rapid.Bool().Draw(t, "with more") {
			note.Progress, note.Percent, note.LogTail, note.Output = "half", new(50), "a line\n", `{"half":true}`
			note.StepTimes = `[{"step":"load","ms":7}]`
			note.PipelineHash = textOf("import", "one").Hash
		}
		notes = append(notes, note)
	}
	lost, err := m.Store.Progress(m.ctx, p.Worker, p.Instance, notes)
	must(t, err)
	sameIDs(t, "claims that the progress lost", lost, m.model.Progress(p, notes))
	m.history.started(held, held, lost)
	lost, err = m.Store.Lost(m.ctx, p.Worker, p.Instance, held)
	must(t, err)
	sameIDs(t, "lost claims", lost, m.model.Lost(p, held))
}

func (m *machine) finish(t *rapid.T) {
	p, held := m.holder(t, 1)
	var ends []workqueue.Finish
	for _, ref := range each(held) {
		ends = append(ends, m.drawEnd(t, ref))
		m.touched = append(m.touched, ref.ItemID)
	}
	if seldom(t, "names one twice") {
		ends = append(ends, ends[0])
	}
	got, err := m.Store.Finish(m.ctx, p.Worker, p.Instance, ends)
	must(t, err)
	sameIDs(t, "claims that the finish lost", got, m.model.Finish(p, ends))
	m.history.finished(t, p, ends, got)
}

// drawEnd draws an end, which depends on the item as it was claimed, as in a worker.
func (m *machine) drawEnd(t *rapid.T, ref workqueue.ItemRef) workqueue.Finish {
	it := m.history.item(ref)
	f := workqueue.Finish{ItemID: ref.ItemID, Fence: ref.Fence, QueueName: it.QueueName, RetryCount: it.RetryCount}
	if it.StartedAt != nil {
		f.StartedAt = *it.StartedAt
	}
	kind := rapid.SampledFrom([]string{"success", "failure", "released", "snoozed", "permanent", "returned"}).Draw(t, "end")
	if kind == "returned" {
		f.State = workqueue.Ready
		return f
	}
	if rapid.Bool().Draw(t, "with its duration") {
		f.Took = time.Duration(rapid.Int64Range(1, 30_000_000_000).Draw(t, "took"))
	}
	if seldom(t, "with its progress") {
		f.Step, f.Progress, f.LogTail, f.PipelineHash = "load", "done", "another line\n", textOf("import", "two").Hash
	}
	if seldom(t, "with the times of its steps") {
		f.StepTimes = `[{"step":"load","ms":7},{"step":"save","ms":0}]`
	}
	if kind == "success" {
		f.State, f.Output = workqueue.Processed, `{"done":true}`
		if seldom(t, "with a retention") {
			f.Retain = new(rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "kept for"))
		}
		return f
	}
	f.State, f.Error = workqueue.Ready, "no such host"
	f.Delay = rapid.SampledFrom([]time.Duration{0, time.Millisecond, time.Minute}).Draw(t, "delay")
	f.Attempt = &workqueue.AttemptNote{Number: it.Attempt(), Outcome: kind, Step: rapid.SampledFrom([]string{"", "store"}).Draw(t, "step")}
	switch kind {
	case "released", "snoozed":
		f.Attempt.Reason = "not now"
		f.Error, f.ErrorKind = text(it.Error), workqueue.ErrorKind(text(it.ErrorKind))
	case "failure", "permanent":
		f.Attempt.Outcome, f.ErrorKind = "failed", workqueue.KindError
		if f.RetryCount++; kind == "permanent" || f.RetryCount >= limit(it) {
			f.State, f.Delay, f.ErrorKind = workqueue.Cancelled, 0, workqueue.KindPermanent
		}
	}
	return f
}

// text returns the value of a column, "" for NULL.
func text[T ~string](p *T) string {
	if p == nil {
		return ""
	}
	return string(*p)
}

// limit returns the total number of attempts of an item.
func limit(it workqueue.Item) int {
	switch it.ResilienceConfig {
	case `{"limit":1}`:
		return 1
	case `{"limit":2}`:
		return 2
	}
	return 3
}

// holder draws a process and at least this number of claims for it to name: mostly
// its own, current ones, but also past claims, claims of other processes, and fences
// that no claim has yet.
func (m *machine) holder(t *rapid.T, least int) (reference.Process, []workqueue.ItemRef) {
	claims := m.history.claims
	if len(claims) == 0 {
		if least > 0 {
			t.Skip("no claims")
		}
		return m.process(t), nil
	}
	var live []claim
	for _, c := range claims {
		if m.model.Holds(c.process, c.ref) {
			live = append(live, c)
		}
	}
	draw := func() claim {
		if len(live) == 0 || seldom(t, "any claim") {
			return one(t, "claim", claims)
		}
		return one(t, "live claim", live)
	}
	p := draw().process
	if seldom(t, "another process") {
		p = m.process(t)
	}
	var refs []workqueue.ItemRef
	for range rapid.IntRange(least, 4).Draw(t, "claims") {
		ref := draw().ref
		if seldom(t, "a wrong fence") {
			ref.Fence += rapid.SampledFrom([]int64{-1, 1}).Draw(t, "by")
		}
		refs = append(refs, ref)
	}
	return p, refs
}

// each returns each claim once.
func each(refs []workqueue.ItemRef) []workqueue.ItemRef {
	var once []workqueue.ItemRef
	for _, ref := range refs {
		if !slices.Contains(once, ref) {
			once = append(once, ref)
		}
	}
	return once
}
