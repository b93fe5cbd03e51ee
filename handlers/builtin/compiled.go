package builtin

import "sync"

// maxCompiled is the maximum number of compiled texts that a kind caches, because expressions
// can produce any number of texts.
const maxCompiled = 256

// compiled is a cache of compiled texts of a kind's parameters. A step with an expression in
// any parameter is built again in each run, and most of its texts are the same. It is safe for
// concurrent use; nil caches nothing.
type compiled[T any] struct {
	mu     sync.Mutex
	byText map[string]T
}

// of returns the compiled text from the cache, or calls compile. Errors are not cached.
func (c *compiled[T]) of(text string, compile func(text string) (T, error)) (T, error) {
	if c == nil {
		return compile(text)
	}
	c.mu.Lock()
	made, known := c.byText[text]
	c.mu.Unlock()
	if known {
		return made, nil
	}
	made, err := compile(text) // two callers with the same new text may both compile it, so that none waits
	if err != nil {
		return made, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byText == nil || len(c.byText) >= maxCompiled {
		c.byText = map[string]T{} // texts in use are cached again in the next run
	}
	c.byText[text] = made
	return made, nil
}
