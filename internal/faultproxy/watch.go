package faultproxy

import (
	"bytes"
	"sync/atomic"
)

// watched is the request whose answer is to be lost.
type watched struct {
	first, text []byte
	left        atomic.Int64 // so many requests that hold the text, this one included
	then        Fault
}

// CutAnswerTo passes on the nth request that holds a text, and ends its connection with an RST
// instead of the answer: the request was executed, and the caller never learns of it. Requests
// count only on connections over which one with the text first went since the last that was
// counted. From then on the fault then holds; the zero Fault lets everything through. Each text
// must come in one piece, as a short statement such as "commit" does.
func (p *Proxy) CutAnswerTo(first, text string, nth int, then Fault) {
	w := &watched{first: []byte(first), text: []byte(text), then: then}
	w.left.Store(int64(nth))
	p.watched.Store(w)
}

// watch looks at a request before it is passed on.
func (p *Proxy) watch(l *link, request []byte) {
	w := p.watched.Load()
	if w == nil {
		return
	}
	if bytes.Contains(request, w.first) {
		l.began = true
	}
	if !l.began || !bytes.Contains(request, w.text) {
		return
	}
	l.began = false
	if w.left.Add(-1) == 0 {
		l.cut.Store(true)
	}
}

// lose ends a connection in place of its answer.
func (p *Proxy) lose(l *link) {
	if w := p.watched.Swap(nil); w != nil && w.then != (Fault{}) {
		p.Set(w.then)
	}
	l.reset()
}
