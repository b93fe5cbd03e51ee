package sql_test

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"testing"

	"botwork/sql"
)

// numbers are the parameters that are integers or bits. The driver always declares them with
// the same type.
var numbers = []string{
	"after_id", "assigned", "before_id", "begin_rows", "bytes", "cap", "conditional", "delay_ms", "epoch", "fence", "id", "item", "keep", "last_id", "leader", "limit_rows", "max_priority", "min_priority", "passes",
	"paused", "queue_count", "request", "revision", "rule", "run", "settle", "state", "tier", "upto_id", "user_id", "version", "work_ms", "worker",
}

var (
	tsqlComment = regexp.MustCompile(`(?m)--.*$`)

	// The value that a column is set to needs no cast.
	tsqlAssignment = regexp.MustCompile(`(?:\bSET|,)\s+\w+ = @\w+`)

	tsqlComparison = regexp.MustCompile(`(?:=|<>|<|>|<=|>=|\bLIKE|\bBETWEEN|\bIN \()\s*@(\w+)|\bAND @(\w+)`)
)

// uncast lists the parameters of a statement that are compared without a cast and are not
// numbers. The driver sends a time as a datetimeoffset, which would convert the column, and a
// text as nvarchar(max): with either, the statement may not use the range of an index.
func uncast(text string) (names []string) {
	text = tsqlComment.ReplaceAllString(text, "")
	text = tsqlAssignment.ReplaceAllString(text, "")
	for _, found := range tsqlComparison.FindAllStringSubmatch(text, -1) {
		name := found[1] + found[2]
		if !slices.Contains(numbers, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func TestComparedParametersHaveTheTypeOfTheColumn(t *testing.T) {
	files := sql.Files
	for _, folder := range []string{"queries", "checks", "doctor"} {
		names, err := fs.Glob(files, path.Join("sqlserver", folder, "*.sql"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v, %v, want files", folder, names, err)
		}
		for _, name := range names {
			text, err := sql.Read(files, name)
			if err != nil {
				t.Fatal(err)
			}
			for _, parameter := range uncast(text) {
				t.Errorf("%s compares @%s, want CAST(@%s AS NVARCHAR(450)) or AS DATETIME2(3); or list it in this test if it is a number", name, parameter, parameter)
			}
		}
	}
}

func TestUncastParametersAreFound(t *testing.T) {
	for text, want := range map[string][]string{
		"SELECT 1 WHERE a.Name = @name":                                                {"name"},
		"SELECT 1 WHERE a.At BETWEEN @from AND @upto":                                  {"from", "upto"},
		"SELECT 1 WHERE a.Error LIKE @text -- = @other":                                {"text"},
		"UPDATE t SET A = @a,\n    B = @b WHERE C >= @c AND Id = @id":                  {"c"},
		"SELECT 1 WHERE a.Name = CAST(@name AS NVARCHAR(450)) AND (@x IS NULL OR 1=1)": nil,
	} {
		if got := uncast(text); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
