package main

import (
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"botwork/examples/invoices/rates"
)

// invoice is a row of the ledger, or an expected row.
type invoice struct {
	Number, Customer, Date string
	Cents                  int64
	Currency               string
	EuroCents              int64
	File                   string
}

// checked is the result for one file of a checker that does not use pipelines.
type checked struct {
	good map[int]invoice // by line; the number may have been in another file before
	bad  map[int]bool    // lines that are invalid
}

// checkInbox checks all files in a project's inbox.
func checkInbox(t *testing.T, dir string) map[string]checked {
	t.Helper()
	customers := map[string]bool{}
	for _, row := range records(t, filepath.Join(dir, "data", "customers.csv")) {
		customers[row[0]] = true
	}
	paths, err := filepath.Glob(filepath.Join(dir, "data", "inbox", "*.csv"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("inbox: %v, %v", paths, err)
	}
	files := map[string]checked{}
	for _, path := range paths {
		files[filepath.Base(path)] = checkFile(filepath.Base(path), records(t, path), customers)
	}
	return files
}

// records reads a file line by line and returns the records by line number; no value in
// the example contains a line break.
func records(t *testing.T, path string) map[int][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[int][]string{}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		row, err := csv.NewReader(strings.NewReader(line)).Read()
		if err != nil {
			t.Fatalf("%s:%d: %v", path, i+1, err)
		}
		rows[i+1] = row
	}
	delete(rows, 1) // the header
	return rows
}

var (
	decimal = regexp.MustCompile(`^(-?)(\d+)\.(\d\d)$`)
	dated   = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
)

func checkFile(name string, rows map[int][]string, customers map[string]bool) checked {
	c := checked{good: map[int]invoice{}, bad: map[int]bool{}}
	seen := map[string]bool{}
	for _, line := range slices.Sorted(maps.Keys(rows)) {
		row := rows[line]
		c.bad[line] = true
		if len(row) != 6 {
			continue
		}
		number, customer, date, amount, currency := row[0], row[1], row[2], row[3], row[4]
		_, notADay := time.Parse(time.DateOnly, date)
		money := decimal.FindStringSubmatch(amount)
		if date != "" && (notADay != nil || !dated.MatchString(date)) || amount != "" && money == nil {
			continue // the line cannot be parsed, so its number does not count as used
		}
		first := !seen[number]
		seen[number] = true
		rate, known := rates.Euros[currency]
		if !first || number == "" || !customers[customer] || date == "" || amount == "" || money[1] == "-" || !known {
			continue
		}
		cents, _ := strconv.ParseInt(money[2]+money[3], 10, 64) // digits only
		if cents == 0 {
			continue
		}
		// The result is an integer, because the rates have two decimals.
		hundredths := int64(rate*100 + 0.5)
		delete(c.bad, line)
		c.good[line] = invoice{number, customer, date, cents, currency, (cents*hundredths + 50) / 100, name}
	}
	return c
}
