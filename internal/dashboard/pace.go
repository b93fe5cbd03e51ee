package dashboard

import (
	"sync"
	"time"
)

// How often open pages may ask for themselves again. One tab may do so every two seconds; many share what the
// database can answer: two pages a second, down to one page of each tab in a minute. What a tab follows
// is more urgent.
const (
	fastestPace = 2 * time.Second
	slowestPace = time.Minute
	pacePerTab  = 450 * time.Millisecond
)

// calmer is how many times longer the tab of a single thing waits after news that are not of this thing.
const (
	calmer      = 4
	calmestPace = 2 * time.Minute
)

// tabFor is how long a tab counts after it has asked last. It is longer than any tab waits between two requests.
const tabFor = calmestPace + 30*time.Second

// maxTabs bounds the memory for tabs.
const maxTabs = 10_000

// renewHeader names the tab of a page that asks for itself again.
const renewHeader = "X-Renew"

// newsHeader says that the page asks again because a thing that it follows has changed.
const newsHeader = "X-News"

// pace counts the tabs that ask for their pages again.
type pace struct {
	mu     sync.Mutex
	tabs   map[string]time.Time // when each has asked last
	pruned time.Time
}

// note notes that a tab asks for its page again; "" is a browser that opens a page.
func (p *pace) note(tab string) {
	if tab == "" || len(tab) > 64 {
		return
	}
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tabs == nil || len(p.tabs) >= maxTabs {
		p.tabs = map[string]time.Time{}
	}
	p.tabs[tab] = now
}

// count returns how many tabs have asked in the last minutes.
func (p *pace) count() int {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.pruned) >= time.Second {
		p.pruned = now
		for tab, at := range p.tabs {
			if now.Sub(at) > tabFor {
				delete(p.tabs, tab)
			}
		}
	}
	return len(p.tabs)
}

// between is the time between two requests of a tab.
func (p *pace) between() time.Duration {
	return min(max(time.Duration(p.count())*pacePerTab, fastestPace), slowestPace)
}

// calm is the time between two requests of the tab of a single thing, if the news are not of this thing.
func (p *pace) calm() time.Duration { return min(calmer*p.between(), calmestPace) }

// own is the time between two requests of the tab of a single thing, if that has changed.
func (p *pace) own() time.Duration { return max(p.between()/calmer, fastestPace) }

// slowFor is how long an answer serves that costs more than others, or changes by the minute.
func (p *pace) slowFor() time.Duration {
	return min(max(2*p.between(), 20*time.Second), slowestPace)
}

// sharedFor is how long an answer serves all people who may see the same: not as long as a tab waits, so that a
// tab that looks once more after an event sees what it was about.
func (p *pace) sharedFor() time.Duration { return p.between() - time.Second }

// pacedFor is sharedFor if there are several tabs; one sees everything as it is.
func (p *pace) pacedFor() time.Duration {
	if p.count() < 2 {
		return 0
	}
	return p.sharedFor()
}
