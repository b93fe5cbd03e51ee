package database_test

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"botwork/internal/database"
)

func TestDriverOf(t *testing.T) {
	for _, c := range []struct {
		dsn     string
		driver  database.Driver
		certain bool
	}{
		{"botwork.db", database.SQLite, false},
		{"", database.SQLite, false},
		{":memory:", database.SQLite, false},
		{`C:\data\botwork.db`, database.SQLite, false},
		{"data/env=prod/botwork.db", database.SQLite, false},
		{"file:botwork.db?mode=ro", database.SQLite, true},
		{"sqlite:botwork.db", database.SQLite, true},
		{"postgres://bot@db/work", database.Postgres, true},
		{" PostgreSQL://bot@db/work", database.Postgres, true},
		{"host=db user=bot password=x", database.Postgres, true},
		{"user=bot password=x dbname = work", database.Postgres, true},
		{"user=bot password=x", database.Postgres, false},
		{"sqlserver://bot@db", database.SQLServer, true},
		{"odbc:server=db", database.SQLServer, true},
		{"Server=db;User Id=bot;Password=x", database.SQLServer, true},
		{"Data Source=db;Initial Catalog=work;Integrated Security=SSPI", database.SQLServer, true},
		{"user=bot;password=x", database.SQLServer, false},
		{"host=db password='x;server=y'", database.Postgres, true},
		{`password="x host=y";server=db`, database.SQLServer, true},
	} {
		driver, certain := database.DriverOf(c.dsn)
		if driver != c.driver || certain != c.certain {
			t.Errorf("DriverOf(%q) = %s, %t, want %s, %t", c.dsn, driver, certain, c.driver, c.certain)
		}
	}
}

func TestPlainSQLite(t *testing.T) {
	for dsn, want := range map[string]string{
		"botwork.db": "botwork.db", "file:botwork.db": "file:botwork.db", "sqlite:botwork.db?mode=ro": "file:botwork.db?mode=ro",
		"sqlite:///srv/botwork.db": "file:///srv/botwork.db", "SQLite://data/botwork.db": "file:data/botwork.db", `C:\botwork.db`: `C:\botwork.db`,
	} {
		if got := database.PlainSQLite(dsn); got != want {
			t.Errorf("PlainSQLite(%q) = %q, want %q", dsn, got, want)
		}
	}
}

// FuzzSafeDSN writes a password into DSNs of all forms, in their escapes and as people forget
// them. Neither the DSN for display nor an error of any engine may contain it.
func FuzzSafeDSN(f *testing.F) {
	for _, password := range []string{"hunter2", "h@unt;er'2", `hun"ter 2`, "PWD=hunter2", "a%zzbcd", "h{u}}n\\t", "host=db x", "näh://-", "0@A0 0000000", "pass:wörd/1"} {
		f.Add(password)
	}
	f.Fuzz(func(t *testing.T, password string) {
		if len(password) > 200 || !utf8.ValidString(password) || strings.TrimSpace(password) != password {
			return
		}
		const mark = "7Q7Q" // so that no other part of a DSN is the password by chance
		password = mark + password + mark
		dsns := []string{
			(&url.URL{Scheme: "postgres", User: url.UserPassword("bot", password), Host: "db1:5432,db2:5433", Path: "/work"}).String(),
			(&url.URL{Scheme: "sqlserver", User: url.UserPassword("bot", password), Host: "db", RawQuery: "database=work"}).String(),
			"postgres://db/work?user=bot&password=" + url.QueryEscape(password) + "&sslmode=disable",
			"sqlserver://db?database=work&PWD=" + url.QueryEscape(password),
			"host=db password='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(password) + "' dbname=work",
			`server=db;password="` + strings.ReplaceAll(password, `"`, `""`) + `";database=work`,
			"odbc:server=db;pwd={" + strings.ReplaceAll(password, "}", "}}") + "};database=work",
		}
		if !strings.ContainsAny(password, "?") {
			dsns = append(dsns, "postgres://bot:"+password+"@db/work", " sqlserver://bot:"+password+"@db:1433?database=work")
		}
		if !strings.ContainsAny(password, "?@;") {
			dsns = append(dsns, "postgres://bot:"+password)
		}
		if !strings.ContainsAny(password, "= ;\t\n\r\v\f") {
			dsns = append(dsns, "host=db password="+password+" dbname=work", "server=db;pwd="+password+";database=work", "sslpassword="+password)
		}
		forms := []string{password, url.QueryEscape(password), url.PathEscape(password)}
		for _, dsn := range dsns {
			safe := database.SafeDSN(dsn)
			texts := []string{safe, database.SafeDSN(safe)}
			for _, driver := range database.Drivers {
				if err := database.CheckDSN(driver, dsn); err != nil {
					texts = append(texts, err.Error())
				}
			}
			for _, text := range texts {
				for _, form := range forms {
					if strings.Contains(text, form) {
						t.Errorf("%q with the password %q became %q", dsn, password, text)
					}
				}
				if strings.Contains(text, mark) {
					t.Errorf("%q with the password %q became %q, which shows a part of it", dsn, password, text)
				}
			}
		}
	})
}
