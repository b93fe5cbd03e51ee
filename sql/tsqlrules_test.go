package sql_test

import (
	"regexp"
	"strings"
)

// rule is something that the parser accepts and the project does not: because servers or
// Babelfish refuse it, or because it causes errors later.
type rule struct {
	name, hint string
	broken     func(statement) bool
}

// flat returns a function that reports whether the words occur in a statement in this order,
// and top one for words outside of parentheses. Words are in capitals with one blank between
// them; every symbol is a separate word.
func flat(pattern string) func(statement) bool {
	re := regexp.MustCompile(pattern)
	return func(s statement) bool { return re.MatchString(s.flat) }
}

func top(pattern string) func(statement) bool {
	re := regexp.MustCompile(pattern)
	return func(s statement) bool { return re.MatchString(s.top) }
}

var firstWord = regexp.MustCompile(`^ (SELECT|INSERT|UPDATE|DELETE|WITH|MERGE|CREATE|ALTER|DROP|DECLARE|SET|EXEC|EXECUTE|IF|WHILE|BEGIN|THROW|PRINT|WAITFOR|COMMIT|;) `)

var rules = []rule{
	// Syntax of other servers.
	{"RETURNING", "write OUTPUT inserted.…", flat(` RETURNING `)},
	{"LIMIT", "write TOP (n), or OFFSET … FETCH", flat(` LIMIT `)},
	{"FOR UPDATE", "write WITH (UPDLOCK, ROWLOCK)", flat(` FOR UPDATE | SKIP LOCKED `)},
	{"a cast with ::", "write CAST(… AS …)", flat(` :: `)},
	{"ON CONFLICT", "write INSERT … WHERE NOT EXISTS", flat(` ON CONFLICT `)},
	{"IS DISTINCT FROM", "compare, and treat NULL by itself: servers before 2022 lack it", flat(` IS (NOT )?DISTINCT `)},
	{"||", "write CONCAT or +: servers before 2025 lack it", flat(` \|\| `)},
	{"a type of another server", "T-SQL has BIT, BIGINT IDENTITY, VARBINARY, DATETIME2", flat(` (BOOLEAN|BIGSERIAL|SERIAL|JSONB|BYTEA|TIMESTAMPTZ|AUTOINCREMENT) `)},
	{"a function of another server", "see LEN, SUBSTRING, SYSUTCDATETIME, DATEADD", flat(` (NOW|LENGTH|SUBSTR|STRFTIME|DATETIME|GENERATE_SERIES|TO_CHAR) \( `)},
	{"a truth value", "BIT is 0 or 1", flat(` (=|<>|DEFAULT|THEN|ELSE|SET) (TRUE|FALSE) `)},
	{"IF NOT EXISTS inside CREATE", "migrations run once: create", flat(` CREATE (UNIQUE )?(TABLE|INDEX|VIEW) IF `)},
	{"a row value", "write EXISTS", flat(` (WHERE|AND|OR|NOT|ON|\() \( [^()]+ , [^()]+ \) (NOT )?IN \( `)},

	// Syntax that SQL Server itself, or Babelfish, refuses or handles incorrectly.
	{"MERGE", "write UPDATE, then INSERT … WHERE NOT EXISTS", flat(` MERGE `)},
	{"CREATE OR ALTER", "drop if it exists, then create", flat(` CREATE OR ALTER `)},
	{"a trigger", "OUTPUT without INTO is refused on a table with one", flat(` TRIGGER `)},
	{"TOP PERCENT or WITH TIES", "write TOP (n)", flat(` TOP (\( [^()]* \)|\S+) PERCENT | WITH TIES `)},
	{"WAITFOR", "wait outside of the database", flat(` WAITFOR `)},
	{"a compound assignment", "write a = a + …", flat(` ([-+*/%&|^]|\|\|)= `)},
	{"a variable set by UPDATE", "write OUTPUT", top(` UPDATE .* SET (.* , )?@\S+ = `)},
	{"UPDATE … FROM … JOIN with OUTPUT", "join in a subquery", top(` UPDATE .* OUTPUT (INSERTED|DELETED) .* FROM .* (JOIN|APPLY) `)},
	{"UPDATE of a derived table", "write UPDATE … WHERE Id IN (…)", top(` UPDATE .* FROM \( \) `)},
	{"INSERT … OUTPUT with TOP and ORDER BY", "select into a variable first", top(` INSERT .* OUTPUT (INSERTED|DELETED) .* SELECT TOP .* ORDER BY `)},
	{"INSERT … OUTPUT … SELECT with ORDER BY", "sort what OUTPUT returns", top(` INSERT .* OUTPUT (INSERTED|DELETED) .* SELECT .* ORDER BY `)},
	{"INSERT … OUTPUT with DEFAULT VALUES", "name a column", top(` INSERT .* OUTPUT (INSERTED|DELETED) .* DEFAULT VALUES `)},
	{"an index inside CREATE TABLE", "write CREATE INDEX", flat(` CREATE TABLE .* INDEX `)},
	{"ALTER INDEX", "drop and create it", flat(` ALTER INDEX `)},
	{"ALTER COLUMN with NULL or NOT NULL", "add a column, copy, drop the old one", flat(` ALTER COLUMN .* NULL `)},
	{"several columns in one ALTER", "one ALTER TABLE … ADD for each", top(` ALTER TABLE .* ADD .* , `)},
	{"a filter that an index cannot have", "only AND, IN, IS and comparisons with literals", flat(` CREATE (UNIQUE )?(NONCLUSTERED )?INDEX .* WHERE .* (OR|BETWEEN|LIKE|CASE|NOT IN|@\S+|[A-Z]+ \( \)) `)},
	{"DROP INDEX without its table", "write DROP INDEX … ON …", func(s statement) bool {
		return strings.Contains(s.flat, " DROP INDEX ") && !strings.Contains(s.flat, " ON ")
	}},
	{"TRY without CATCH", "add BEGIN CATCH … END CATCH", func(s statement) bool {
		return strings.Count(s.flat, " BEGIN TRY ") != strings.Count(s.flat, " BEGIN CATCH ")
	}},
	{"BEGIN or CASE without END", "each has one", func(s statement) bool {
		return count(s.flat, "BEGIN", "CASE") != count(s.flat, "END")
	}},
	{"a call without EXEC", "the parser ends the statement at a misspelt word and reads the rest as the name of a procedure", func(s statement) bool {
		return !firstWord.MatchString(s.flat)
	}},
	{"BEGIN TRANSACTION", "the driver begins transactions: a pooled connection would keep this one", flat(` BEGIN (DISTRIBUTED )?TRAN(SACTION)? `)},
	{"NVARCHAR above 4000", "write NVARCHAR(MAX)", flat(` NVARCHAR \( (400[1-9]|40[1-9]\d|4[1-9]\d\d|[5-9]\d{3}|\d{5,}) \) `)},

	{"a reserved word as a name", "choose another name: the parser accepts some, a server answers error 156", reservedName},

	// Syntax that works but causes problems.
	{"VARCHAR, CHAR or TEXT", "the driver sends nvarchar, and another type turns each seek into a scan", flat(` (VARCHAR|CHAR|NCHAR) \( | (AS|CREATE TABLE .*) N?TEXT `)},
	{"a local clock", "write SYSUTCDATETIME()", flat(` (GETDATE|GETUTCDATE|SYSDATETIME|SYSDATETIMEOFFSET|CURRENT_TIMESTAMP) `)},
	{"DATETIME", "write DATETIME2(3)", flat(` (DATETIME|SMALLDATETIME|DATETIMEOFFSET) `)},
	{"READPAST alone", "add READCOMMITTEDLOCK: under read-committed snapshot the hint needs it", func(s statement) bool {
		return count(s.flat, "READPAST") != count(s.flat, "READCOMMITTEDLOCK")
	}},
	{"NOLOCK", "reads rows that were never committed", flat(` (NOLOCK|READUNCOMMITTED) `)},
	{"all columns", "name them", flat(` (SELECT|,|\.) \* `)},
}

// reserved are the words that T-SQL reserves ("Reserved Keywords (Transact-SQL)"), except those of
// types and functions.
const reserved = `ADD|ALL|ALTER|AND|ANY|AS|ASC|AUTHORIZATION|BACKUP|BEGIN|BETWEEN|BREAK|BROWSE|BULK|BY|CASCADE|CASE|CHECK|CHECKPOINT|CLOSE|CLUSTERED|COLLATE|COLUMN|COMMIT|` +
	`COMPUTE|CONSTRAINT|CONTAINS|CONTAINSTABLE|CONTINUE|CREATE|CROSS|CURRENT|CURSOR|DATABASE|DBCC|DEALLOCATE|DECLARE|DEFAULT|DELETE|DENY|DESC|DISK|DISTINCT|DISTRIBUTED|` +
	`DOUBLE|DROP|DUMP|ELSE|END|ERRLVL|ESCAPE|EXCEPT|EXEC|EXECUTE|EXISTS|EXIT|EXTERNAL|FETCH|FILE|FILLFACTOR|FOR|FOREIGN|FREETEXT|FREETEXTTABLE|FROM|FULL|FUNCTION|GOTO|` +
	`GRANT|GROUP|HAVING|HOLDLOCK|IDENTITY|IDENTITYCOL|IDENTITY_INSERT|IF|IN|INDEX|INNER|INSERT|INTERSECT|INTO|IS|JOIN|KEY|KILL|LEFT|LIKE|LINENO|LOAD|MERGE|NATIONAL|` +
	`NOCHECK|NONCLUSTERED|NOT|NULL|OF|OFF|OFFSETS|ON|OPEN|OPTION|OR|ORDER|OUTER|OVER|PERCENT|PIVOT|PLAN|PRECISION|PRIMARY|PRINT|PROC|PROCEDURE|PUBLIC|RAISERROR|READ|` +
	`READTEXT|RECONFIGURE|REFERENCES|REPLICATION|RESTORE|RESTRICT|RETURN|REVERT|REVOKE|RIGHT|ROLLBACK|ROWCOUNT|ROWGUIDCOL|RULE|SAVE|SCHEMA|SECURITYAUDIT|SELECT|` +
	`SESSION_USER|SET|SETUSER|SHUTDOWN|SOME|STATISTICS|SYSTEM_USER|TABLE|TABLESAMPLE|TEXTSIZE|THEN|TO|TOP|TRAN|TRANSACTION|TRIGGER|TRUNCATE|TSEQUAL|UNION|UNIQUE|` +
	`UNPIVOT|UPDATE|UPDATETEXT|USE|USER|VALUES|VARYING|VIEW|WAITFOR|WHEN|WHERE|WHILE|WITH|WITHIN|WRITETEXT`

// reservedName reports whether a reserved word is the name of a column: after a dot (but for the
// column [key] of OPENJSON), before a type, or after AS and before a comma, a parenthesis or FROM.
var reservedName = flat(` \. (` + strings.Replace(reserved, "|KEY|", "|", 1) + `) | (` + strings.Replace(reserved, "|AS|", "|", 1) + `) (BIGINT|INT|BIT|NVARCHAR|DATETIME2|DECIMAL|FLOAT|VARBINARY|UNIQUEIDENTIFIER) ` +
	`| AS (` + reserved + `) (,|\)|FROM|;) `)

// count returns how often the words occur.
func count(text string, words ...string) (n int) {
	for _, w := range words {
		n += strings.Count(text, " "+w+" ")
	}
	return n
}
