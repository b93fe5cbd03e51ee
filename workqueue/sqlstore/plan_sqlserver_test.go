package sqlstore_test

import (
	"context"
	"database/sql"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// actualPlan runs a statement on SQL Server in a transaction that is rolled back, and returns
// its plan: a line for each table or index that it read. An estimated plan would not do: for a
// batch with variables instead of parameters the server guesses their values.
func actualPlan(t *testing.T, db *sql.DB, name, text string, args []any) string {
	t.Helper()
	plan, err := func() (plan string, err error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		conn, err := db.Conn(ctx)
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, conn.Close()) }()
		for _, statement := range []string{"SET STATISTICS XML ON", "BEGIN TRANSACTION"} {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				return "", err
			}
		}
		defer func() {
			for _, statement := range []string{"IF @@TRANCOUNT > 0 ROLLBACK", "SET STATISTICS XML OFF"} {
				_, end := conn.ExecContext(context.WithoutCancel(ctx), statement)
				err = errors.Join(err, end)
			}
		}()
		rows, err := conn.QueryContext(ctx, text, args...)
		if err != nil {
			return "", err
		}
		return showplans(rows)
	}()
	if err != nil {
		t.Fatalf("the plan of %s: %v", name, err)
	}
	if plan == "" {
		t.Fatalf("the server returned no plan of %s", name)
	}
	return plan
}

// showplans returns the plans among the results of statements.
func showplans(rows *sql.Rows) (plan string, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	var lines []string
	for more := true; more; more = rows.NextResultSet() {
		columns, err := rows.Columns()
		if err != nil {
			return "", err
		}
		showplan := len(columns) == 1 && strings.HasSuffix(columns[0], "XML Showplan")
		for rows.Next() {
			if !showplan {
				continue
			}
			var text string
			if err := rows.Scan(&text); err != nil {
				return "", err
			}
			read, err := readsOf(text)
			if err != nil {
				return "", err
			}
			lines = append(lines, read...)
		}
		if err := rows.Err(); err != nil {
			return "", err
		}
	}
	return strings.Join(lines, "\n"), nil
}

// readsOf lists the reads of an XML plan: operator, table and index. It leaves out changes, and
// statistics and indexes that the server only mentions.
func readsOf(plan string) ([]string, error) {
	readers := []string{"Index Seek", "Index Scan", "Clustered Index Seek", "Clustered Index Scan", "Table Scan", "Key Lookup", "RID Lookup"}
	var operators, lines []string // open operators, from the outermost
	d := xml.NewDecoder(strings.NewReader(plan))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // "utf-16": the driver has already decoded it
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the plan is not XML: %w", err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			attribute := func(name string) string {
				i := slices.IndexFunc(x.Attr, func(a xml.Attr) bool { return a.Name.Local == name })
				if i < 0 {
					return ""
				}
				return strings.Trim(x.Attr[i].Value, "[]")
			}
			switch {
			case x.Name.Local == "RelOp":
				operators = append(operators, attribute("PhysicalOp"))
			case x.Name.Local == "Object" && len(operators) > 0 && slices.Contains(readers, operators[len(operators)-1]):
				lines = append(lines, strings.TrimSpace(operators[len(operators)-1]+" "+attribute("Table")+" "+attribute("Index")))
			}
		case xml.EndElement:
			if x.Name.Local == "RelOp" {
				operators = operators[:len(operators)-1]
			}
		}
	}
}

func TestReadsOfSQLServerPlan(t *testing.T) {
	const plan = `<?xml version="1.0" encoding="utf-16"?>
<ShowPlanXML xmlns="http://schemas.microsoft.com/sqlserver/2004/07/showplan"><BatchSequence><Batch><Statements><StmtSimple><QueryPlan>
<OptimizerStatsUsage><StatisticsInfo Table="[BotWorkQueueItems]" Statistics="[IX_BotWorkQueueItems_Deadline]"/></OptimizerStatsUsage>
<RelOp NodeId="0" PhysicalOp="Clustered Index Update" LogicalOp="Update"><Update>
<Object Database="[q]" Schema="[dbo]" Table="[BotWorkQueueItems]" Index="[PK_BotWorkQueueItems]"/>
<Object Database="[q]" Schema="[dbo]" Table="[BotWorkQueueItems]" Index="[IX_BotWorkQueueItems_Leased]"/>
<RelOp NodeId="1" PhysicalOp="Nested Loops"><NestedLoops>
<RelOp NodeId="2" PhysicalOp="Index Seek"><IndexScan><Object Database="[q]" Schema="[dbo]" Table="[BotWorkQueueItems]" Index="[IX_BotWorkQueueItems_Assigned]" Filtered="1"/></IndexScan></RelOp>
<RelOp NodeId="3" PhysicalOp="Clustered Index Scan"><IndexScan Lookup="0"><Object Database="[q]" Schema="[dbo]" Table="[BotWorkQueueItems]" Index="[PK_BotWorkQueueItems]" Alias="[i]"/></IndexScan></RelOp>
</NestedLoops></RelOp></Update></RelOp></QueryPlan></StmtSimple></Statements></Batch></BatchSequence></ShowPlanXML>`
	got, err := readsOf(plan)
	want := []string{"Index Seek BotWorkQueueItems IX_BotWorkQueueItems_Assigned", "Clustered Index Scan BotWorkQueueItems PK_BotWorkQueueItems"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the plan reads %q, %v, want %q", got, err, want)
	}
}
