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
	change   bool // only needed to change the schema
	has      bool
}

// rights reports the rights that the login lacks on the server: those of a worker, and if
// migrations are pending, those to change the schema.
func (d *Doctor) rights(ctx context.Context) []Result {
	var all []right
	err := d.query(ctx, "rights", func(rows *sql.Rows) error {
		var r right
		err := rows.Scan(&r.on, &r.what, &r.change, &r.has)
		all = append(all, r)
		return err
	})
	if err != nil {
		return d.queryFailed(ctx, err)
	}
	return evaluateRights(d.o.Driver, serverOf(d.o.Driver, d.o.DSN).user, all, d.waiting)
}

// evaluateRights reports whether the rights of a login are enough. waiting is the number of
// pending migrations.
func evaluateRights(driver database.Driver, user string, all []right, waiting int) []Result {
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
		return fault("the login lacks "+inList(lacks), grantAll(driver, schema, user)+"; grants on each table are enough as well")
	case waiting > 0 && len(lacksForChange) > 0:
		return fault(pending(waiting)+", and the login may not change the schema: it lacks "+inList(lacksForChange),
			"run `botwork db migrate` with a login that may, or grant the rights to this one")
	case len(lacksForChange) > 0:
		return ok(has + "; the login may not change the schema, so run `botwork db migrate` with another login before an upgrade")
	case len(tables) == 0:
		return ok("the login may create the tables")
	}
	return ok(has + ", and may change the schema")
}

// pending returns how many migrations are pending.
func pending(migrations int) string {
	if migrations == 1 {
		return "1 migration is pending"
	}
	return fmt.Sprintf("%d migrations are pending", migrations)
}

// grantAll returns the shortest statement that grants the rights that a worker needs.
func grantAll(driver database.Driver, schema, user string) string {
	if driver == database.Postgres {
		return "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + quoted(schema) + " TO " + quoted(user)
	}
	if user == "" {
		user = "the service's user"
	}
	return "GRANT SELECT, INSERT, UPDATE, DELETE ON SCHEMA::" + bracketed(schema) + " TO " + bracketed(user)
}

// bracketed returns a name as a quoted identifier of T-SQL.
func bracketed(name string) string { return "[" + strings.ReplaceAll(name, "]", "]]") + "]" }

// inList lists the missing rights by table or schema.
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
