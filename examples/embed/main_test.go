package main

import (
	"context"
	"path/filepath"
	"testing"

	"botwork"
)

func TestInvoicesOfCommittedOrdersAreSent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "orders.db")
	if err := run(t.Context(), path, 3); err != nil {
		t.Fatal(err)
	}
	store, err := botwork.Open(context.Background(), "sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	items, err := store.Items(t.Context(), botwork.ItemFilter{})
	if err != nil {
		t.Fatal(err)
	}
	if len(items) != 3 {
		t.Fatalf("got %d items, want one for each of the 3 orders and none for the refused one", len(items))
	}
	for _, it := range items {
		if it.State.String() != "Processed" || it.Output == "" {
			t.Errorf("item %d is %s with the output %q, want Processed with a receipt", it.ID, it.State, it.Output)
		}
	}
}
