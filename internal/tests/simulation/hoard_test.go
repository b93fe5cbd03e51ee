package simulation

import (
	"slices"
	"time"

	"botwork/workqueue"
)

const (
	// hoardBound is how long a claimed item may wait for its slot or for its release,
	// including the time of the statements.
	hoardBound = time.Second + 250*time.Millisecond

	// freshBound is the maximum age of the database's answer that a run may begin.
	freshBound = 250 * time.Millisecond
)

// claim is an item that a process has received and whose run has not begun.
type claim struct {
	at    time.Time // when the process received it
	known time.Time // when the database last answered that it may begin
	well  bool      // whether the process was well at that time
}

// received records that a process has the answer to a claim.
func (p *process) received(refs []workqueue.ItemRef) {
	if len(refs) == 0 {
		return
	}
	well := p.able()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, ref := range refs {
		p.claims[ref] = &claim{at: time.Now(), known: time.Now(), well: well}
	}
}

// beginAnswered records that a process has the answer which of these runs may begin.
func (p *process) beginAnswered(refs []workqueue.ItemRef, refused []int64, err error, sent time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beginSentAt, p.answeredAt = sent, time.Now()
	if (err != nil || len(refused) > 0) && time.Since(sent) >= p.w.rules.Lease/2 {
		p.spoiled = true
	}
	for _, ref := range refs {
		if c := p.claims[ref]; c != nil && err == nil && !slices.Contains(refused, ref.ItemID) {
			c.known = time.Now()
		}
	}
}

// lateBegin returns the fault in the time at which a run begins, "" if there is none.
func (p *process) lateBegin(ref workqueue.ItemRef) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.claims[ref]
	if c == nil {
		return "was not claimed"
	}
	delete(p.claims, ref)
	started := time.Now()
	if started.Equal(p.answeredAt) {
		started = p.beginSentAt // it begins together with runs whose begin had to be recorded
	}
	if since := started.Sub(c.known); since > freshBound {
		return "was last known to be startable " + since.String() + " ago"
	}
	return p.hoardedLocked(c)
}

// returned records that a process has written the end of a run, which may not have begun.
func (p *process) returned(ref workqueue.ItemRef) {
	it := p.w.db.item(ref.ItemID)
	takes, _ := p.w.rules.Channels.For(profile(it.IntegrationConfig).Channel)
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.claims[ref]; c != nil {
		delete(p.claims, ref)
		if takes.Cost > 1 && it.Priority >= p.turn.priority {
			p.turn = largeItem{id: it.ID, priority: it.Priority, cost: takes.Cost, due: it.AvailableAt, waited: time.Now()}
		}
		if wrong := p.hoardedLocked(c); wrong != "" {
			p.w.judge.violation("item %d, which %s releases, %s", ref.ItemID, p.instance, wrong)
		}
	}
}

// hoards checks for claimed items that wait too long in a process that is well.
func (p *process) hoards() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ref, c := range p.claims {
		if wrong := p.hoardedLocked(c); wrong != "" {
			p.w.judge.violation("item %d, which %s holds, %s", ref.ItemID, p.instance, wrong)
			return
		}
	}
}

// hoardedLocked returns the fault if an item has waited too long, and no failure can be the
// reason.
func (p *process) hoardedLocked(c *claim) string {
	if waited := time.Since(c.at); c.well && p.troubles == 0 && p.troubled.Before(c.at) && waited > hoardBound {
		return "has waited claimed for " + waited.String()
	}
	return ""
}
