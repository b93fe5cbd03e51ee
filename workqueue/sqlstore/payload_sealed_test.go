package sqlstore_test

import (
	"errors"
	"slices"
	"testing"

	"botwork/internal/keyring"
	"botwork/workqueue"
)

// A search by payload finds encrypted items with the keys. Without them they match no expression,
// and the search reports them.
func TestSearchByEncryptedPayload(t *testing.T) {
	t.Parallel()
	eachSealed(t, func(x *sealed) {
		id := x.put(nil)
		put := func(set func(it *workqueue.NewItem)) int64 {
			return x.put(func(it *workqueue.NewItem) { it.NaturalKey = ""; set(it) })
		}
		put(func(it *workqueue.NewItem) { it.Payload = `{"card":"another"}` })
		plain := put(func(it *workqueue.NewItem) { it.QueueName = "" })
		other, err := keyring.New()
		if err != nil {
			x.Fatal(err)
		}
		for _, c := range []struct {
			name       string
			keys       *keyring.Keyring
			expression string
			want       []int64
			unreadable int
		}{
			{"with the keys", x.keys, `card startsWith "4929"`, []int64{plain, id}, 0},
			{"without keys", nil, `card startsWith "4929"`, []int64{plain}, 2},
			{"with other keys", other, `card startsWith "4929"`, []int64{plain}, 2},
			{"a negation", nil, `card != "x"`, []int64{plain}, 2},
			{"for a caller that must not see them", x.keys, `card startsWith "4929"`, []int64{plain}, 2},
			{"the text in place of the payload", nil, `$ == "` + string(workqueue.EncryptedText) + `"`, nil, 2},
		} {
			filter, err := workqueue.ParsePayloadFilter(c.expression)
			if err != nil {
				x.Fatal(err)
			}
			if c.name == "for a caller that must not see them" {
				filter = filter.PlainOnly()
			}
			store, f := x.open(c.keys), workqueue.ItemFilter{Payload: filter}
			items, err := store.Items(x.Context(), f)
			var ids []int64
			for i := range items {
				ids = append(ids, items[i].ID)
			}
			unreadable := 0
			if incomplete, ok := errors.AsType[*workqueue.IncompleteError](err); ok {
				unreadable, err = incomplete.Unreadable, nil
			}
			if err != nil || !slices.Equal(ids, c.want) || unreadable != c.unreadable {
				x.Errorf("%s: found %v, %d unreadable, error %v, want %v and %d unreadable", c.name, ids, unreadable, err, c.want, c.unreadable)
			}
			change := workqueue.Change{Action: workqueue.Update, Update: &workqueue.ItemUpdate{AddTags: []string{c.name}}}
			result, err := store.ChangeItems(x.Context(), f, change)
			if err != nil || result.Changed != len(c.want) || result.Unreadable != c.unreadable {
				x.Errorf("%s: changed %d, %d unreadable, error %v, want %d and %d unreadable",
					c.name, result.Changed, result.Unreadable, err, len(c.want), c.unreadable)
			}
		}
		filter, err := workqueue.ParsePayloadFilter(`card startsWith "4929"`)
		if err != nil {
			x.Fatal(err)
		}
		result, err := x.store.ChangeItems(x.Context(), workqueue.ItemFilter{Payload: filter}, workqueue.Change{Action: workqueue.Clone})
		if err != nil || len(result.Clones) != 2 {
			x.Fatalf("clones %v, error %v, want two", result.Clones, err)
		}
		for _, clone := range result.Clones {
			if got := x.show(x.store, clone).Payload; got != `{"card":"`+secretPayload+`"}` {
				x.Errorf("the clone %d has the payload %s", clone, got)
			}
		}
	})
}
