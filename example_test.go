package botwork_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"botwork"
)

// A program holds a queue, and changes an item of it.
func ExampleStore_Update() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "botwork")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := botwork.Open(ctx, "sqlite", filepath.Join(dir, "botwork.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()

	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	check(store.Migrate(ctx))
	check(store.DefineQueues(ctx, "invoices", botwork.Queue{Name: "invoices"}))
	made, err := store.Enqueue(ctx, botwork.NewItem{QueueName: "invoices", IntegrationConfig: "send-invoice"})
	check(err)
	id := made[0].ID
	show := func() {
		it, err := store.Item(ctx, id)
		check(err)
		fmt.Println(it.Priority, it.Status())
	}
	show() // the priority of an item that names none

	check(store.Pause(ctx, "invoices")) // no worker starts its items
	urgent := 2000
	check(store.Update(ctx, id, botwork.ItemUpdate{Priority: &urgent}))
	check(store.Cancel(ctx, id, "the order was withdrawn"))
	show()
	check(store.Repeat(ctx, id)) // as if it were new
	check(store.Resume(ctx, "invoices"))
	show()
	// Output:
	// 1000 Pending
	// 2000 Cancelled
	// 2000 Pending
}
