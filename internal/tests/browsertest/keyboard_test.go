//go:build unix

package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// focused is what has the focus, as a person sees it.
type focused struct {
	Name    string  `json:"name"`
	Visible bool    `json:"visible"`
	Outline float64 `json:"outline"`
	At      int     `json:"at"` // its position among the elements of the page
}

func (p *tab) focus() focused {
	p.Helper()
	var f focused
	p.run(chromedp.Evaluate(`(() => {
		const e = document.activeElement, look = getComputedStyle(e), around = e.closest(".find"), box = e.getBoundingClientRect();
		const probe = document.body.appendChild(document.createElement("i"));
		probe.style.color = "var(--accent)";
		const accent = getComputedStyle(probe).color;
		probe.remove();
		return {
			name: e === document.body ? "BODY" : (e.getAttribute("aria-label") || e.innerText || e.name || e.tagName).trim().slice(0, 60),
			visible: e.checkVisibility() && box.width > 0 && box.bottom > 0 && box.top < innerHeight,
			outline: Math.max(parseFloat(look.outlineStyle === "none" ? 0 : look.outlineWidth), around && getComputedStyle(around).borderTopColor === accent ? 1 : 0),
			at: [...document.querySelectorAll("*")].indexOf(e),
		};
	})()`, &f))
	return f
}

// TestBrowserKeyboard reaches everything on the list of items with the Tab key, sees where the focus is, and
// opens an item without a mouse.
func TestBrowserKeyboard(t *testing.T) {
	x := newProject(t)
	id := x.enqueue(`{"pipeline": "book-invoice", "queue": "orders", "key": "INV-1", "payload": {"invoice": "INV-1", "amount": 1}}`)[0]
	p := x.browser().as("operator")
	p.open("/items")
	p.see("1 item")
	var want int
	p.run(chromedp.Evaluate(`[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")].filter((e) => e.checkVisibility() && !e.disabled).length`, &want))
	seen := map[int]string{}
	for range want + 5 {
		p.run(chromedp.KeyEvent(kb.Tab))
		f := p.focus()
		if _, again := seen[f.At]; again || f.Name == "BODY" {
			break
		}
		seen[f.At] = f.Name
		if !f.Visible || f.Outline < 1 {
			t.Errorf("the focus on %q cannot be seen: %+v", f.Name, f)
		}
	}
	// A scrolling box may take the focus, too, so there may be more.
	if len(seen) < want {
		t.Errorf("the Tab key reaches %d of %d controls: %v", len(seen), want, seen)
	}
	p.open("/items")
	p.see("1 item")
	p.ready()
	p.run(chromedp.KeyEvent("j"), chromedp.KeyEvent(kb.Enter))
	p.until(fmt.Sprintf(`location.pathname === "/items/%d"`, id))
	p.see("Cancel…")
	p.ready()
	p.run(chromedp.KeyEvent("g"), chromedp.KeyEvent("q"))
	p.until(`location.pathname === "/queues"`)
	p.ready()
	p.run(chromedp.KeyEvent("?"))
	p.until(`document.querySelector("#keys").open`)
	p.run(chromedp.KeyEvent(kb.Escape))
	p.until(`!document.querySelector("#keys").open`)
	p.run(chromedp.KeyEvent("/"))
	p.until(`document.activeElement.id === "find"`)
	// A person's / is not typed into the field; that of the debugger is, since it comes as two events.
	p.run(chromedp.Evaluate(`document.activeElement.select()`, nil), chromedp.KeyEvent("INV-1"), chromedp.KeyEvent(kb.Enter))
	p.until(`location.search === "?keyPart=INV-1"`)
}
