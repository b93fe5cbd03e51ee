package sqlstore

import (
	"database/sql"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	mssql "github.com/microsoft/go-mssqldb"
	"gorm.io/gorm"

	"botwork/internal/database"
	sqlfiles "botwork/sql"
)

// Texts of all lengths have one type, so the server caches one plan.
func TestSQLServerTextsHaveOneType(t *testing.T) {
	db := sql.OpenDB(&azureServer{})
	defer db.Close()
	q, err := loadQueries(sqlfiles.Files, &sqlServerDialect, "queries", db)
	if err != nil {
		t.Fatal(err)
	}
	b, err := q.bind(t.Context(), db, "queue_items", values{"name": "default", "most": 7})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{7, mssql.NVarCharMax("default")}, b.args); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	some, none := "{}", (*string)(nil)
	if diff := cmp.Diff([]any{mssql.NVarCharMax("{}"), none}, oneType([]any{&some, none})); diff != "" {
		t.Errorf("oneType (-want +got):\n%s", diff)
	}
}

func TestSQLServerGORMStatementsCastParameters(t *testing.T) {
	db := sql.OpenDB(&azureServer{})
	defer db.Close()
	config := gormConfig()
	config.DryRun = true
	orm, err := gorm.Open((&sqlServerEngine{}).dialector(db), config)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 23, 1, 2, 3, 0, time.UTC)
	long := string(make([]byte, comparedLen+1))
	stmt := orm.Table("T").Where("A = ? AND B = ? AND C = ? AND D = ? AND E IN ?", "a", database.Time{}, at, 5, []string{"b", long}).Find(&[]map[string]any{}).Statement
	const want = `SELECT * FROM "T" WHERE A = CAST(@p1 AS NVARCHAR(450)) AND B = @p2 AND C = CAST(@p3 AS DATETIME2(3)) AND D = @p4 ` +
		`AND E IN (CAST(@p5 AS NVARCHAR(450)),@p6)`
	if got := stmt.SQL.String(); got != want {
		t.Errorf("the statement is\n     %s\nwant %s", got, want)
	}
	if diff := cmp.Diff([]any{mssql.NVarCharMax("a"), at, 5, mssql.NVarCharMax("b"), mssql.NVarCharMax(long)}, append(stmt.Vars[:1:1], stmt.Vars[2:]...)); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
}
