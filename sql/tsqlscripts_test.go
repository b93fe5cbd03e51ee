package sql_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// auditForms are the statements of SQL Server's audit, as words with one blank between them, from
// the syntax that Microsoft documents. The parser accepts CREATE SERVER AUDIT with any words inside,
// and does not know CREATE DATABASE AUDIT SPECIFICATION; it reads USE as the name of a procedure.
var auditForms = []*regexp.Regexp{
	regexp.MustCompile(`^USE (?P<database>\w+)$`),
	regexp.MustCompile(`^CREATE SERVER AUDIT (?P<audit>\w+) TO FILE \( FILEPATH = ''( , (MAXSIZE = \d+ (MB|GB|TB)|(MAX_ROLLOVER_FILES|MAX_FILES) = \d+|RESERVE_DISK_SPACE = (ON|OFF)))* \)` +
		` WITH \( QUEUE_DELAY = (0|\d{4,}) , ON_FAILURE = (CONTINUE|SHUTDOWN|FAIL_OPERATION) \)( WHERE \w+ (=|<>) '')?$`),
	regexp.MustCompile(`^ALTER SERVER AUDIT (?P<audit>\w+) WITH \( STATE = (ON|OFF) \)$`),
	regexp.MustCompile(`^CREATE DATABASE AUDIT SPECIFICATION \w+ FOR SERVER AUDIT (?P<audit>\w+)` +
		` ADD \( (SELECT|INSERT|UPDATE|DELETE)( , (SELECT|INSERT|UPDATE|DELETE))* ON OBJECT :: DBO \. (?P<table>\w+) BY \w+ \) WITH \( STATE = (ON|OFF) \)$`),
}

// scriptBatches splits a script at its lines GO, as sqlcmd does.
func scriptBatches(script string) ([]string, error) {
	var batches []string
	var batch strings.Builder
	for line := range strings.Lines(script) {
		if strings.TrimSpace(line) != "GO" {
			if strings.EqualFold(strings.TrimSuffix(strings.TrimSpace(line), ";"), "GO") {
				return nil, fmt.Errorf("got the line %q, want GO", strings.TrimSpace(line))
			}
			batch.WriteString(line)
			continue
		}
		if strings.TrimSpace(tsqlComment.ReplaceAllString(batch.String(), "")) == "" {
			return nil, errors.New("got a batch without a statement")
		}
		batches = append(batches, batch.String())
		batch.Reset()
	}
	if rest := strings.TrimSpace(batch.String()); rest != "" {
		return nil, fmt.Errorf("no GO after %q", rest)
	}
	return batches, nil
}

// checkScript returns all faults of a script for sqlcmd, which has the QUOTED_IDENTIFIER setting off.
func checkScript(t *testing.T, script string) (faults []string) {
	t.Helper()
	batches, err := scriptBatches(script)
	if err != nil {
		return []string{err.Error()}
	}
	names := map[string]string{} // the first of each kind, in capitals
	quotes := false
	for _, batch := range batches {
		tokens, broken := tokenize(batch)
		var words []string
		for _, token := range tokens {
			if strings.HasPrefix(token.Literal, `"`) && !quotes {
				faults = append(faults, fmt.Sprintf("%s without SET QUOTED_IDENTIFIER ON", token.Literal))
			}
			words = append(words, word(token))
		}
		text := strings.Join(words, " ")
		text = strings.TrimSuffix(strings.ReplaceAll(text, " : : ", " :: "), " ;")
		changes, _, _ := strings.Cut(text, " ")
		switch {
		case strings.HasPrefix(text, "SET QUOTED_IDENTIFIER ON"):
			quotes = true
		case !quotes && (changes == "INSERT" || changes == "UPDATE" || changes == "DELETE"):
			faults = append(faults, changes+" without SET QUOTED_IDENTIFIER ON")
		}
		known := false
		for _, form := range auditForms {
			match := form.FindStringSubmatch(text)
			if match == nil {
				continue
			}
			known = true
			for i, kind := range form.SubexpNames() {
				if kind == "audit" && names[kind] != "" && names[kind] != match[i] {
					faults = append(faults, fmt.Sprintf("got the audit %s, but the script creates %s", match[i], names[kind]))
				}
				if kind != "" {
					names[kind] = match[i]
				}
			}
		}
		faults = append(faults, broken...)
		if !known {
			faults = append(faults, checkTSQL(t.Context(), batch)...)
			if strings.Contains(" "+text+" ", " AUDIT ") {
				faults = append(faults, fmt.Sprintf("%q is no known statement of an audit", text))
			}
		}
	}
	if table := names["table"]; table != "" && table != "BOTWORKQUEUEITEMS" {
		faults = append(faults, "the script audits "+table)
	}
	return faults
}

// TestSQLServerScripts checks the scripts for database administrators that are beside the folders:
// what TestSQLServerFiles checks, in batches, and the statements of an audit by their forms. No server
// has run them here.
func TestSQLServerScripts(t *testing.T) {
	names, err := filepath.Glob("*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("found %q, %v: nothing was checked", names, err)
	}
	for _, name := range names {
		if !strings.HasPrefix(name, "sqlserver_") {
			t.Errorf("%s: want a name that begins with the engine's, or no test checks it", name)
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range checkScript(t, string(text)) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// The query of the script reads the files that the audit writes.
func TestAuditScriptReadsItsFiles(t *testing.T) {
	text, err := os.ReadFile("sqlserver_audit.sql")
	if err != nil {
		t.Fatal(err)
	}
	folder := regexp.MustCompile(`FILEPATH = N'([^']+)'`).FindStringSubmatch(string(text))
	if folder == nil || !strings.Contains(string(text), `fn_get_audit_file(N'`+folder[1]+`*.sqlaudit'`) {
		t.Errorf("the script writes the audit to %q, but does not read it from there", folder)
	}
}

func TestCheckRefusesBrokenScripts(t *testing.T) {
	const audit, table = "CREATE SERVER AUDIT A TO FILE (FILEPATH = N'D:', MAXSIZE = 1 MB) WITH (QUEUE_DELAY = 1000, ON_FAILURE = CONTINUE);\nGO\n",
		"CREATE DATABASE AUDIT SPECIFICATION A FOR SERVER AUDIT A ADD (INSERT ON OBJECT::dbo.BotWorkQueueItems BY public) WITH (STATE = ON);\nGO\n"
	if faults := checkScript(t, audit+table); len(faults) > 0 {
		t.Errorf("a valid script has the faults %q", faults)
	}
	for script, want := range map[string]string{
		"USE master;\ngo\n":                                                 `got the line "go"`,
		"USE master;\nGO;\n":                                                `got the line "GO;"`,
		"USE master;\n":                                                     "no GO after",
		"USE master;\nGO\n-- x\nGO\n":                                       "without a statement",
		"SELECT N'open;\nGO\n":                                              "never closed",
		"SELECT Id FORM Items;\nGO\n":                                       "a call without EXEC",
		`SELECT "Id" FROM Items;` + "\nGO\n":                                "QUOTED_IDENTIFIER",
		"DELETE FROM BotWorkQueueItems WHERE Id = 1;\nGO\n":                 "QUOTED_IDENTIFIER",
		strings.Replace(audit, "MAXSIZE", "MAX_SIZE", 1):                    "no known statement of an audit",
		strings.Replace(audit, "QUEUE_DELAY = 1000", "QUEUE_DELAY = 10", 1): "no known statement of an audit",
		strings.Replace(audit, "TO FILE", "TO FIEL", 1):                     "no known statement of an audit",
		strings.Replace(table, "OBJECT::", "OBJECT:", 1):                    "no known statement of an audit",
		strings.Replace(table, "BotWorkQueueItems", "BotTasks", 1):          "audits BOTTASKS",
		audit + strings.Replace(table, "AUDIT A ADD", "AUDIT B ADD", 1):     "got the audit B",
	} {
		if faults := checkScript(t, script); !strings.Contains(strings.Join(faults, "\n"), want) {
			t.Errorf("%s\n\tfaults = %q, want one with %q", script, faults, want)
		}
	}
}
