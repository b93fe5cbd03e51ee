package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"botwork/internal/database"
)

// right is one row of the statement rights: whether the login has it.
type right struct {
	on, what string
	change   bool // needed to change the schema, not to work
	has      bool
}

// rights reports what the login lacks on the server: to work, and to change the schema where
// migrations wait.
func (d *Doctor) rights(ctx context.Context) []Result {
	var all []right
	err := d.ask(ctx, "rights", func(rows *sql.Rows) error {
		var r right
		err := rows.Scan(&r.on, &r.what, &r.change, &r.has)
		all = append(all, r)
		return err
	})
	if err != nil {
		return d.unanswered(ctx, err)
	}
	return judgeRights(d.o.Driver, serverOf(d.o.Driver, d.o.DSN).user, all, d.waiting)
}

// judgeRights says whether the rights of a login are enough, with so many
// migrations to come.
func judgeRights(driver database.Driver, user string, all []right, waiting int) []Result {
	lacks, lacksForChange := map[string][]string{}, map[string][]string{}
	tables := map[string]bool{}
	schema := ""
	for _, r := range all {
		if name, is := strings.CutPrefix(r.on, "schema "); is {
			schema = name
		} else if !r.change {
			tables[r.on] = true
		}
		switch {
		case r.has:
		case r.change:
			lacksForChange[r.on] = append(lacksForChange[r.on], r.what)
		default:
			lacks[r.on] = append(lacks[r.on], r.what)
		}
	}
	has := fmt.Sprintf("read, insert, update and delete on %s", counted(len(tables), "table"))
	switch {
	case len(lacks) > 0:
		return fault("the login lacks "+inList(lacks), grantAll(driver, schema, user)+"; table by table is enough, too")
	case waiting > 0 && len(lacksForChange) > 0:
		return fault(counted(waiting, "migration")+" to come, and the login may not change the schema: it lacks "+inList(lacksForChange),
			"run `botwork db migrate` with a login that may, or grant it to this one")
	case len(lacksForChange) > 0:
		return ok(has + "; it may not change the schema, so run `botwork db migrate` with another login before an upgrade")
	case len(tables) == 0:
		return ok("it may make the tables")
	}
	return ok(has + ", and to change the schema")
}

// grantAll is the shortest statement that gives what a worker needs.
func grantAll(driver database.Driver, schema, user string) string {
	if driver == database.Postgres {
		return "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + quoted(schema) + " TO " + quoted(user)
	}
	if user == "" {
		user = "the service's user"
	}
	return "GRANT SELECT, INSERT, UPDATE, DELETE ON SCHEMA::" + bracketed(schema) + " TO " + bracketed(user)
}

// bracketed writes a name as T-SQL does.
func bracketed(name string) string { return "[" + strings.ReplaceAll(name, "]", "]]") + "]" }

// inList writes what is lacking, by what it is lacking on.
func inList(lacks map[string][]string) string {
	var parts []string
	for _, on := range slices.Sorted(maps.Keys(lacks)) {
		slices.Sort(lacks[on])
		parts = append(parts, strings.Join(lacks[on], ", ")+" on "+on)
	}
	if more := len(parts) - manyLines; more > 0 {
		parts = append(parts[:manyLines], fmt.Sprintf("and on %d more", more))
	}
	return strings.Join(parts, "; ")
}
