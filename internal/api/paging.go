package api

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
)

// NamePage selects a page of a list whose entries have names. A page is the default size of most
// of these lists.
type NamePage struct {
	After string `query:"after" maxLength:"400" doc:"only entries whose names follow this one: the next page"`
	Limit int    `query:"limit" minimum:"1" maximum:"500" default:"500" doc:"how many entries at most"`
}

// IDPage selects a page of a list whose entries have ids.
type IDPage struct {
	After int64 `query:"after" minimum:"1" doc:"only entries with a larger id: the next page"`
	Limit int   `query:"limit" minimum:"1" maximum:"500" default:"500" doc:"how many entries at most"`
}

// pageOf is a page of a list.
type pageOf[T any] struct {
	Paged
	Body struct {
		Items []T     `json:"items" nullable:"false"`
		Next  *string `json:"next" doc:"the URL of the next page; null on the last one"`
	}
}

// cut returns the page of a list that begins after a key, with the address of the next page. The
// entries are in the order of their keys, which are unique; databases order names in different ways,
// so that a page could not continue theirs.
func cut[T any, K cmp.Ordered](all []T, key func(*T) K, after K, limit int, path string) *pageOf[T] {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(x, y T) int { return cmp.Compare(key(&x), key(&y)) })
	var none K
	if after != none {
		all = all[sortedUntil(all, key, after):]
	}
	out := &pageOf[T]{}
	out.Body.Items = append([]T{}, all[:min(limit, len(all))]...)
	if len(all) > limit {
		out.Body.Next = out.nextPage(path, url.Values{}, "after", fmt.Sprint(key(&all[limit-1])), "limit", fmt.Sprint(limit))
	}
	return out
}

// sortedUntil returns how many entries have keys up to this one.
func sortedUntil[T any, K cmp.Ordered](all []T, key func(*T) K, last K) int {
	n, found := slices.BinarySearchFunc(all, last, func(entry T, last K) int { return cmp.Compare(key(&entry), last) })
	if found {
		n++
	}
	return n
}
