package pipelines

import (
	"container/list"
	"slices"
	"sync"

	"botwork/internal/author/strictyaml"
)

// maxInline bounds the number of compiled inline pipelines in the cache: a client that
// writes each item's data into its pipeline creates a new one for every item.
const maxInline = 256

// inlineCache caches the most recently used pipelines that are part of items. It caches
// broken ones too, because their items are retried.
type inlineCache struct {
	size int

	mu     sync.Mutex
	byText map[string]*list.Element
	recent *list.List // of *inlinePipeline, the latest in front
}

type inlinePipeline struct {
	text     string
	pipeline *Pipeline // nil when there are findings
	findings strictyaml.Findings
}

func newInlineCache(size int) *inlineCache {
	return &inlineCache{size: size, byText: map[string]*list.Element{}, recent: list.New()}
}

// parse compiles the text, or returns the cached result. The caller may append to the
// findings. Two callers with the same new text may both compile it, so that neither waits
// for the other.
func (k *inlineCache) parse(c *Compiler, text string) (*Pipeline, strictyaml.Findings) {
	if found := k.get(text); found != nil {
		return found.pipeline, slices.Clip(found.findings)
	}
	p, _, findings := c.parse(InlineFile, inlineName, []byte(text))
	if len(findings) > 0 {
		p = nil
	}
	k.put(&inlinePipeline{text, p, findings})
	return p, slices.Clip(findings)
}

func (k *inlineCache) get(text string) *inlinePipeline {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.byText[text]
	if !ok {
		return nil
	}
	k.recent.MoveToFront(e)
	return e.Value.(*inlinePipeline)
}

func (k *inlineCache) put(p *inlinePipeline) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e, ok := k.byText[p.text]; ok {
		k.recent.MoveToFront(e)
		return
	}
	k.byText[p.text] = k.recent.PushFront(p)
	if k.recent.Len() > k.size {
		oldest := k.recent.Remove(k.recent.Back()).(*inlinePipeline)
		delete(k.byText, oldest.text)
	}
}
