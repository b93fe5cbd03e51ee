package handlers

import "sync"

// maxCompiled bounds what a kind keeps compiled. Texts that expressions make are of
// any number.
const maxCompiled = 256

// compiled keeps what the texts of a kind's parameters were compiled to. A step of which any
// parameter is an expression is built again in each run, and most of these texts are then the
// same. It is safe for concurrent use; nil keeps nothing.
type compiled[T any] struct {
	mu     sync.Mutex
	byText map[string]T
}

// of returns what compile makes of a text, or has made of it before. What cannot be
// compiled is not kept.
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
	made, err := compile(text) // two callers with one new text may both do that, so that none waits
	if err != nil {
		return made, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byText == nil || len(c.byText) >= maxCompiled {
		c.byText = map[string]T{} // what is in use comes back with its next run
	}
	c.byText[text] = made
	return made, nil
}
