package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"botwork/config"
	"botwork/internal/database"
	"botwork/workqueue"
)

// booked has the totals of one file in the ledger.
type booked struct {
	invoices  int
	euroCents int64
}

// summarize writes a line for each item: its status and the number of rows from its file
// in the ledger.
func summarize(ctx context.Context, out io.Writer, configFile string, store workqueue.ItemStore) error {
	ledger, err := readLedger(ctx, configFile)
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	items, err := store.Items(ctx, workqueue.ItemFilter{Pipeline: "invoice"})
	if err != nil {
		return err
	}
	slices.Reverse(items) // the newest item is first
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ITEM\tPRIORITY\tFILE\tSTATUS\tBOOKED\tEUR\tERROR")
	for _, it := range items {
		var payload struct{ Name string }
		if err := json.Unmarshal([]byte(it.Payload), &payload); err != nil {
			return fmt.Errorf("payload of item %d: %w", it.ID, err)
		}
		b := ledger[payload.Name]
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%d\t%.2f\t%s\n", it.ID, it.Priority, payload.Name, it.Status(), b.invoices, float64(b.euroCents)/100, fault(it))
	}
	return w.Flush()
}

// fault returns the kind and the text of an item's error, shortened to one line.
func fault(it workqueue.Item) string {
	const most = 80
	if it.Error == nil || it.ErrorKind == nil {
		return ""
	}
	text := []rune(fmt.Sprintf("%s: %s", *it.ErrorKind, *it.Error))
	if len(text) > most {
		return string(text[:most-1]) + "…"
	}
	return string(text)
}

func readLedger(ctx context.Context, configFile string) (map[string]booked, error) {
	cfg, err := config.Load(configFile, os.Environ())
	if err != nil {
		return nil, err
	}
	connection := cfg.Connections["ledger"]
	db, err := database.Open(connection.Driver, connection.DSN.Reveal())
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return queryLedger(ctx, db)
}

func queryLedger(ctx context.Context, db *sql.DB) (map[string]booked, error) {
	rows, err := db.QueryContext(ctx, `SELECT SourceFile, COUNT(*), CAST(SUM(EuroCents) AS BIGINT) FROM Invoices GROUP BY SourceFile`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	files := map[string]booked{}
	for rows.Next() {
		var file string
		var b booked
		if err := rows.Scan(&file, &b.invoices, &b.euroCents); err != nil {
			return nil, err
		}
		files[file] = b
	}
	return files, rows.Err()
}
