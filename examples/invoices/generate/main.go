// Generate writes the invoice files of the example into project/data/inbox. It always
// writes the same files; most rows are valid, some are deliberately invalid.
package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// offices send one file each; the names of the first ones make them urgent.
var offices = []string{
	"urgent-porto", "urgent-lisboa", "aveiro", "beja", "braga", "coimbra",
	"evora", "faro", "guarda", "leiria", "setubal", "viseu",
}

var (
	customers    = []string{"ALFAMA", "BAIRRO", "CHIADO", "DOURO", "ESTRELA", "FARO", "GAIA", "HORTA"}
	currencies   = []string{"EUR", "EUR", "EUR", "EUR", "USD", "GBP", "CHF"}
	descriptions = []string{"Transport", "Paper, A4", `Table, 24" wide`, "Coffee", "Repair, with parts", "Licences"}
	header       = []string{"number", "customer", "date", "amount", "currency", "description"}
)

// Column indexes in a row.
const (
	number = iota
	customer
	date
	amount
)

func main() {
	for name, text := range files() {
		if err := os.WriteFile(filepath.Join("project", "data", "inbox", name), text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}

// files returns the content of each file by name.
func files() map[string][]byte {
	g := &generator{random: rand.New(rand.NewPCG(20261120, 12))}
	all := map[string][]byte{}
	for i, office := range offices {
		rows := make([][]string, 25+g.random.IntN(25))
		for j := range rows {
			rows[j] = g.row()
		}
		if i%3 != 2 { // every third file has no invalid rows
			g.spoil(rows)
		}
		all[office+".csv"] = write(rows)
	}
	return all
}

func write(rows [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	// Writing to a bytes.Buffer never fails.
	_ = w.Write(header)
	_ = w.WriteAll(rows)
	return b.Bytes()
}

// generator counts the invoices and stores the rows that it generated.
type generator struct {
	random *rand.Rand
	rows   [][]string
}

func (g *generator) row() []string {
	day := time.Date(2026, 1, 1+g.random.IntN(300), 0, 0, 0, 0, time.UTC)
	cents := 100 + g.random.IntN(500_000)
	row := []string{
		fmt.Sprintf("2026-%05d", len(g.rows)+1), pick(g, customers), day.Format(time.DateOnly),
		fmt.Sprintf("%d.%02d", cents/100, cents%100), pick(g, currencies), pick(g, descriptions),
	}
	g.rows = append(g.rows, row)
	return row
}

// spoil makes some rows of a file invalid, each in one way.
func (g *generator) spoil(rows [][]string) {
	places := g.random.Perm(len(rows) - 1)[:4+g.random.IntN(4)]
	for i, place := range places {
		row := rows[place+1] // the first row stays valid, because other rows repeat it
		switch i {
		case 0:
			row[date] = pick(g, []string{"2026-02-30", "31.01.2026", "soon", ""})
		case 1:
			row[customer] = pick(g, []string{"NOBODY", "alfama", ""})
		case 2:
			row[amount] = "-" + row[amount]
		case 3:
			row[number] = rows[0][number]
		case 4:
			copy(row, g.rows[g.random.IntN(len(g.rows))]) // most likely from another file
		case 5:
			row[amount] = pick(g, []string{"12,50", "free", "0.00"})
		default:
			rows[place+1] = row[:amount] // too short
		}
	}
}

func pick(g *generator, list []string) string { return list[g.random.IntN(len(list))] }
