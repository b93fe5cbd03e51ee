package bench

import (
	"strings"
	"testing"

	"github.com/sqlc-dev/teesql/ast"
	"github.com/sqlc-dev/teesql/parser"
)

// TestStatementsOfSQLServerAreRead parses the statements, so that they are checked even
// without a SQL Server. Each text must be exactly one statement.
func TestStatementsOfSQLServerAreRead(t *testing.T) {
	for _, text := range sqlserverStatements {
		script, err := parser.Parse(t.Context(), strings.NewReader(text))
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		if len(script.Batches) != 1 || len(script.Batches[0].Statements) != 1 {
			t.Errorf("want one statement:\n%s", text)
			continue
		}
		span := script.Batches[0].Statements[0].(interface{ Frag() *ast.Fragment }).Frag()
		if span.StartOffset != 0 || span.EndOffset() < len(text) {
			t.Errorf("read %d characters from %d on, want all %d:\n%s", span.FragmentLength, span.StartOffset, len(text), text)
		}
	}
}
