package client

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
)

// PageSize is how many items a page has at most.
const PageSize = 500

// ItemQuery describes a list of items.
type ItemQuery struct {
	Selection
	Before int64 // only items with a smaller id; 0: all
	Limit  int   // items at most; 0: all, or a page if the list is sorted

	// Sort is id, priority, created, due, started or finished, with - before it for the largest or
	// latest first. "" lists the newest items first, and only that order has several pages.
	Sort string
}

// ItemPage is a page of a list of items.
type ItemPage struct {
	Items      []*Item     `json:"items"`
	Incomplete *Incomplete `json:"incomplete"` // nil unless the search has left items out
	Next       int64       `json:"-"`          // Before of the next page; 0: this is the last one
}

// Incomplete describes what a search has left out.
type Incomplete struct {
	Looked     int   `json:"looked"`     // the items that it has looked at
	Below      int64 `json:"below"`      // the id where it stopped; 0: it has looked at all
	Unreadable int   `json:"unreadable"` // the items whose payload cannot be read
}

// ListItems returns a page of items, up to PageSize of them.
func (c *Client) ListItems(ctx context.Context, q ItemQuery) (ItemPage, error) {
	var page struct {
		ItemPage
		Following *string `json:"next"`
	}
	query, err := q.query()
	if err != nil {
		return page.ItemPage, err
	}
	if q.Limit == 0 {
		q.Limit = PageSize
	}
	query.Set("limit", strconv.Itoa(q.Limit))
	if q.Before > 0 {
		query.Set("before", strconv.FormatInt(q.Before, 10))
	}
	if q.Sort != "" {
		query.Set("sort", q.Sort)
	}
	err = c.do(ctx, call{method: http.MethodGet, path: "/items", query: query, into: &page})
	if err != nil || page.Following == nil {
		return page.ItemPage, err
	}
	next, err := url.Parse(*page.Following)
	if err == nil {
		page.Next, err = strconv.ParseInt(next.Query().Get("before"), 10, 64)
	}
	if err != nil {
		err = fmt.Errorf("the URL of the next page: %w", err)
	}
	return page.ItemPage, err
}

// Items lists items page by page. The loop ends after an error.
//
//	for it, err := range c.Items(ctx, client.ItemQuery{Selection: client.Selection{Queue: "forms"}}) {
//		if err != nil { … }
//	}
func (c *Client) Items(ctx context.Context, q ItemQuery) iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		for left := q.Limit; ; {
			if q.Limit = PageSize; left > 0 {
				q.Limit = min(left, PageSize)
			}
			page, err := c.ListItems(ctx, q)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, it := range page.Items {
				if !yield(it, nil) {
					return
				}
			}
			q.Before = page.Next
			if left > 0 {
				if left -= len(page.Items); left == 0 {
					return
				}
			}
			if page.Next == 0 {
				return
			}
		}
	}
}

// CountItems counts the items of a selection. incomplete is nil unless the search has left
// items out.
func (c *Client) CountItems(ctx context.Context, s Selection) (n int64, incomplete *Incomplete, err error) {
	query, err := s.query()
	if err != nil {
		return 0, nil, err
	}
	var answer struct {
		Count      int64       `json:"count"`
		Incomplete *Incomplete `json:"incomplete"`
	}
	err = c.do(ctx, call{method: http.MethodGet, path: "/items/count", query: query, into: &answer})
	return answer.Count, answer.Incomplete, err
}

// GetItem returns an item with all that the token may see of it. [Client.Item] is for robots.
func (c *Client) GetItem(ctx context.Context, id int64) (*Item, error) {
	it := &Item{}
	if err := c.do(ctx, call{method: http.MethodGet, path: fmt.Sprintf("/items/%d", id), into: it}); err != nil {
		return nil, err
	}
	return it, nil
}
