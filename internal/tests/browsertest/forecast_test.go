//go:build unix

package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserForecast asks what would be with sliders: they set the fields of the form, and follow them.
func TestBrowserForecast(t *testing.T) {
	x := newProject(t)
	x.worker("bot-1")
	x.enqueue(`{"pipeline": "book-invoice", "queue": "orders", "payload": {"invoice": "INV-1", "amount": 1}, "in": "1h"}`)
	p := x.browser().as("viewer")
	p.open("/forecast")
	p.until(`!!document.querySelector(".whatif summary") && !document.querySelector("[data-again]")`)
	p.run(chromedp.Click(".whatif summary", chromedp.ByQuery))
	slide := func(name, value string) {
		t.Helper()
		p.run(chromedp.Evaluate(`(() => {
			const slider = document.querySelector('input[name="`+name+`"]').nextElementSibling;
			slider.value = "`+value+`";
			slider.dispatchEvent(new Event("input", { bubbles: true }));
		})()`, nil))
	}
	field := func(name string) (text string) {
		t.Helper()
		p.run(chromedp.Evaluate(`document.querySelector('input[name="`+name+`"]').value`, &text))
		return text
	}
	for name, value := range map[string]string{"add": "3", "slots": "2", "arrivals": "50", "hours": "48", "slots.bot-1": "7"} {
		slide(name, value)
		if got := field(name); got != value {
			t.Errorf("%s: the slider at %s makes the field %q", name, value, got)
		}
	}
	slide("arrivals", "0")
	if got := field("arrivals"); got != "" {
		t.Errorf("the slider at the present leaves %q in the field", got)
	}
	p.run(chromedp.SetValue(`input[name="add"]`, "5", chromedp.ByQuery), chromedp.Evaluate(`document.querySelector('input[name="add"]').dispatchEvent(new Event("input"))`, nil))
	p.until(`document.querySelector('input[name="add"]').nextElementSibling.value === "5"`)
	p.accessible("the form of a what-if with sliders")
	p.run(chromedp.Click(".whatif button.primary", chromedp.ByQuery))
	p.see("What if: ")
	p.until(`location.search.includes("add=5") && location.search.includes("slots.bot-1=7") && !location.search.includes("arrivals")`)
}
