package remote_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"botwork/cmd/internal/remote"
)

// A list over a server has all entries, however many pages they take.
func TestListsHaveAllPages(t *testing.T) {
	names := make([]string, 1203)
	for i := range names {
		names[i] = fmt.Sprintf("q%04d", i)
	}
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		left := names
		for len(left) > 0 && left[0] <= r.URL.Query().Get("after") {
			left = left[1:]
		}
		var page struct {
			Items []map[string]string `json:"items"`
			Next  *string             `json:"next"`
		}
		for _, name := range left[:min(500, len(left))] {
			page.Items = append(page.Items, map[string]string{"name": name})
		}
		if len(left) > 500 {
			next := r.URL.Path + "?limit=500&after=" + left[499]
			page.Next = &next
		}
		_ = json.NewEncoder(w).Encode(page)
	}))
	defer served.Close()
	s, err := remote.Open(remote.Options{Server: served.URL, Token: "bw_test"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	queues, err := s.Queues(t.Context())
	if err != nil || len(queues) != len(names) || queues[1202].Name != "q1202" {
		t.Errorf("got %d queues, %v; want %d", len(queues), err, len(names))
	}
}
