package faultproxy

import (
	"bytes"
	"sync/atomic"
)

// watched is the request whose answer must be lost.
type watched struct {
	first, text []byte
	left        atomic.Int64 // the number of requests with the text, including this one
	then        Fault
}

// TruncateResponseTo passes on the nth request that contains text, and closes its connection with an RST
// instead of the answer: the request was executed, but the caller gets no answer. A request
// counts only if a request with first was sent on its connection since the last one that was
// counted. After that, the fault then is set; the zero Fault passes everything on. Each text
// must arrive in one piece, like a short statement such as "commit".
func (p *Proxy) TruncateResponseTo(first, text string, nth int, then Fault) {
	w := &watched{first: []byte(first), text: []byte(text), then: then}
	w.left.Store(int64(nth))
	p.watched.Store(w)
}

// watch checks a request before it is passed on.
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

// lose closes a connection instead of its answer.
func (p *Proxy) lose(l *link) {
	if w := p.watched.Swap(nil); w != nil && w.then != (Fault{}) {
		p.Set(w.then)
	}
	l.reset()
}
