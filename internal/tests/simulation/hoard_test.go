package simulation

import (
	"slices"
	"time"

	"botwork/workqueue"
)

const (
	// hoardBound is how long a claimed item may wait for its slot or to be given back,
	// with the time that the statements take.
	hoardBound = time.Second + 250*time.Millisecond

	// freshBound is how old the word of the database may be that a run may begin.
	freshBound = 250 * time.Millisecond
)

// claim is an item that a process was handed and that has not begun.
type claim struct {
	at    time.Time // when it was handed
	known time.Time // when the database was last heard to say that it may begin
	well  bool      // the process was well then
}

// handed notes that a process has the answer to a claim.
func (p *process) handed(refs []workqueue.ItemRef) {
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

// answered notes that a process has the answer to which of these runs may begin.
func (p *process) answered(refs []workqueue.ItemRef, refused []int64, err error, sent time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.askedAt, p.answeredAt = sent, time.Now()
	if (err != nil || len(refused) > 0) && time.Since(sent) >= p.w.rules.Lease/2 {
		p.spoiled = true
	}
	for _, ref := range refs {
		if c := p.claims[ref]; c != nil && err == nil && !slices.Contains(refused, ref.ItemID) {
			c.known = time.Now()
		}
	}
}

// lateBegin returns what is wrong with the time at which a run begins.
func (p *process) lateBegin(ref workqueue.ItemRef) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.claims[ref]
	if c == nil {
		return "was not claimed"
	}
	delete(p.claims, ref)
	began := time.Now()
	if began.Equal(p.answeredAt) {
		began = p.askedAt // it begins together with others, whose begins had to be recorded
	}
	if since := began.Sub(c.known); since > freshBound {
		return "was last known to be startable " + since.String() + " ago"
	}
	return p.hoardedLocked(c)
}

// givenBack notes that a process has written the end of a run, which may not have begun.
func (p *process) givenBack(ref workqueue.ItemRef) {
	it := p.w.db.item(ref.ItemID)
	takes, _ := p.w.rules.Channels.Of(profile(it.IntegrationConfig).Channel)
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.claims[ref]; c != nil {
		delete(p.claims, ref)
		if takes.Cost > 1 && it.Priority >= p.turn {
			p.turn, p.turnCost = it.Priority, takes.Cost
		}
		if wrong := p.hoardedLocked(c); wrong != "" {
			p.w.judge.violation("item %d, which %s gives back, %s", ref.ItemID, p.instance, wrong)
		}
	}
}

// hoards finds what waits in a process that is well.
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

// hoardedLocked returns what is wrong with how long an item has waited, where nothing
// that went wrong can be the reason.
func (p *process) hoardedLocked(c *claim) string {
	if waited := time.Since(c.at); c.well && p.troubles == 0 && p.troubled.Before(c.at) && waited > hoardBound {
		return "has waited claimed for " + waited.String()
	}
	return ""
}
