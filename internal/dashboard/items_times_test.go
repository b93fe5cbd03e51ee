package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// A time without a zone is one of the zone in which the pages show times, in the list, its exports and its changes.
func TestTimesInTheZoneOfThePage(t *testing.T) {
	s := newSite(t)
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "a"}}); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator)
	zone, err := time.LoadLocation("Pacific/Kiritimati") // 14 hours before UTC
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	b.client.Jar.SetCookies(at, []*http.Cookie{{Name: "botwork-zone", Value: zone.String(), Path: "/"}})
	since := time.Now().In(zone).Add(-time.Hour).Format("2006-01-02 15:04")
	query := "?" + url.Values{"createdSince": {since}}.Encode()
	got := wantShown(t, b, "/items"+query, "1 item", since)
	if got.sent("filters").Get("createdSince") != since {
		t.Error("the form has another time than the address")
	}
	exports := 0
	for _, link := range got.links() {
		if strings.Contains(link, "/items/export/") || strings.Contains(link, "ndjson") {
			exports++
			if text := b.get(link).text; !strings.Contains(text, "default") {
				t.Errorf("GET %s: %s", link, text)
			}
		}
	}
	if exports != 3 {
		t.Errorf("%d exports, want 3", exports)
	}
	if text := b.get("/items/export/csv" + query).text; !strings.Contains(text, "default") {
		t.Errorf("the export of the address: %s", text)
	}
	form := wantShown(t, b, "/items/actions/cancel"+query, "Cancel 1 item").form("/items/actions/cancel")
	if _, err := time.Parse(time.RFC3339, form.Get("createdSince")); err != nil {
		t.Errorf("the change has a time that may move on: %v", err)
	}
	if got := b.post("/items/actions/cancel", form, nil); !strings.Contains(got.visible(), "1 item ") {
		t.Errorf("change: %s", got.visible())
	}
	wantShown(t, b, "/items?createdSince=24h", "1 item")
}
