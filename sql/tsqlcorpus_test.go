package sql_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// valid are T-SQL statements of the forms that the store uses or may use.
var valid = []string{
	`SELECT TOP (@n) Id, [Order] FROM dbo.Items AS i WHERE State IN (0, 4) ORDER BY Priority DESC, Id;`,
	`SELECT Id FROM Items ORDER BY Id OFFSET @skip ROWS FETCH NEXT 10 ROWS ONLY`,
	`UPDATE TOP (@n) t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK) SET State = 1, Fence = t.Fence + 1 OUTPUT inserted.Id FROM Items t WHERE t.State = 5;`,
	`UPDATE t SET State = 1 OUTPUT inserted.Id, deleted.State FROM Items t WHERE t.State = 5 AND t.Id IN (
		SELECT TOP (@n) c.Id FROM Items c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
		JOIN Queues q ON q.Name = c.QueueName WHERE q.Paused = 0 ORDER BY c.Priority DESC);`,
	`UPDATE t SET Done = j.Done FROM Items t JOIN OPENJSON(@rows) WITH (Id BIGINT '$.Id', Done BIT '$.Done') j ON j.Id = t.Id WHERE t.State = 1;`,
	`INSERT INTO Items (Name, DueAt) OUTPUT inserted.Id SELECT j.Name, DATEADD(second, j.Wait, SYSUTCDATETIME()) FROM OPENJSON(@rows) WITH (Name NVARCHAR(200) '$.Name', Wait INT '$.Wait') j;`,
	`INSERT INTO Firings (Name, At) SELECT @name, CAST(@at AS DATETIME2(3)) WHERE NOT EXISTS (SELECT 1 FROM Firings f WHERE f.Name = @name);`,
	`DELETE TOP (1000) FROM Items WHERE State = 2 AND RetainUntil < SYSUTCDATETIME();`,
	`CREATE TABLE Items (Id BIGINT IDENTITY(1,1) NOT NULL, Name NVARCHAR(4000) NULL, At DATETIME2(3) NOT NULL CONSTRAINT DF_At DEFAULT SYSUTCDATETIME(), CONSTRAINT PK_Items PRIMARY KEY (Id), CONSTRAINT CK_Items CHECK (Id > 0 OR Name IS NULL));`,
	`CREATE INDEX IX_Waiting ON Items (Priority DESC, Id) INCLUDE (AvailableAt) WHERE State IN (0, 4) AND DeadlineAt IS NOT NULL;`,
	`CREATE UNIQUE INDEX IX_Key ON Items (NaturalKey) WHERE NaturalKey IS NOT NULL AND State < 2;`,
	`CREATE VIEW ItemsView AS SELECT Id, CASE State WHEN 0 THEN N'Ready' ELSE N'it''s (not' END AS StateName FROM Items;`,
	`ALTER TABLE Items ADD Labels NVARCHAR(MAX) NULL;`,
	`DROP INDEX IX_Key ON Items;`,
	`DECLARE @r INT; EXEC @r = sp_getapplock @Resource = N'x', @LockMode = N'Exclusive', @LockOwner = N'Session', @LockTimeout = 0; SELECT @r;`,
	`BEGIN TRY UPDATE Items SET State = 0 WHERE Id = @id; END TRY BEGIN CATCH THROW; END CATCH`,
	`IF @n > 0 BEGIN DELETE FROM Items WHERE Id = @id END ELSE SELECT COUNT(*) FROM Items`,
	`SELECT q.Name, w.Held FROM Queues q CROSS APPLY (SELECT COUNT(*) AS Held FROM Items i WHERE i.QueueName = q.Name) w -- LIMIT 3 in a comment`,
	`SELECT Id FROM Items WHERE Error LIKE N'%RETURNING%LIMIT%::%' AND COALESCE(QueueName, N'') IN (N'a', N'ñ') AND Label = N'😀';`,
	`UPDATE t SET Output = j.Output, Error = j.Error FROM Items t JOIN OPENJSON(@rows) WITH (Id BIGINT '$.Id', Output NVARCHAR(MAX) '$.Output', Error NVARCHAR(MAX) '$.Error') j ON j.Id = t.Id`,
	`SELECT Id FROM Items WHERE EXISTS (SELECT 1 FROM OPENJSON(CASE WHEN ISJSON(Labels) = 1 THEN Labels END) l WHERE CONCAT(l.[key], N'.') COLLATE Latin1_General_100_BIN2 = CONCAT(CAST(@name AS NVARCHAR(450)), N'.') AND (l.[type] = 2 AND TRY_CAST(l.[value] AS FLOAT) = CAST(@number AS FLOAT)))`,
	`SELECT STRING_AGG(CONCAT(w.Name, N'@', w.Host), N', ') AS Names FROM Workers w`,
}

// broken are statements that must be refused, each with a part of the expected fault: "" if the
// parser refuses the statement with its own message.
var broken = map[string]string{
	`UPDATE Items SET State = 1 WHERE Id = 1 RETURNING Id`:                                       "RETURNING",
	`DELETE FROM Items WHERE Id = 1 RETURNING Id`:                                                "RETURNING",
	`SELECT Id FROM Items LIMIT 3`:                                                               "",
	`DELETE FROM Items WHERE State = 2 LIMIT 100`:                                                "LIMIT",
	`SELECT Id FROM Items FOR UPDATE`:                                                            "FOR UPDATE",
	`SELECT Id FROM Items ORDER BY Id FOR UPDATE SKIP LOCKED`:                                    "FOR UPDATE",
	`SELECT Id FROM Items WHERE DueAt < @now::DATETIME2`:                                         "::",
	`INSERT INTO Items (Id) VALUES (1) ON CONFLICT DO NOTHING`:                                   "",
	`SELECT Id FROM Items WHERE Name IS NOT DISTINCT FROM @name`:                                 "DISTINCT",
	`SELECT Name || N'!' FROM Items`:                                                             "||",
	`CREATE TABLE T (Id BIGINT NOT NULL, Ok BOOLEAN NOT NULL)`:                                   "a type of another server",
	`SELECT Id FROM Items WHERE DueAt <= NOW()`:                                                  "a function of another server",
	`UPDATE Queues SET Paused = TRUE WHERE Id = 1`:                                               "a truth value",
	`CREATE TABLE IF NOT EXISTS T (Id BIGINT NOT NULL)`:                                          "",
	`SELECT Id FROM Items WHERE (Id, Fence) IN (SELECT Id, Fence FROM Held)`:                     "",
	`MERGE INTO Items AS t USING Other AS o ON t.Id = o.Id WHEN MATCHED THEN DELETE;`:            "MERGE",
	`CREATE OR ALTER VIEW V AS SELECT Id FROM Items`:                                             "CREATE OR ALTER",
	`CREATE TRIGGER Tr ON Items AFTER INSERT AS SELECT 1`:                                        "a trigger",
	`SELECT TOP (10) PERCENT Id FROM Items ORDER BY Id`:                                          "TOP PERCENT",
	`SELECT TOP (10) WITH TIES Id FROM Items ORDER BY Id`:                                        "WITH TIES",
	`WAITFOR DELAY '00:00:05'`:                                                                   "WAITFOR",
	`UPDATE Items SET RetryCount += 1 WHERE Id = 1`:                                              "a compound assignment",
	`UPDATE Items SET State = 1, @id = Id WHERE State = 5`:                                       "a variable set by UPDATE",
	`UPDATE t SET State = 1 OUTPUT inserted.Id FROM Items t JOIN Workers w ON w.Id = t.WorkerId`: "UPDATE … FROM … JOIN with OUTPUT",
	`UPDATE d SET State = 1 FROM (SELECT TOP (1) State FROM Items) d`:                            "UPDATE of a derived table",
	`INSERT INTO A (Id) OUTPUT inserted.Id SELECT TOP (3) Id FROM B ORDER BY Id`:                 "with TOP and ORDER BY",
	`INSERT INTO A (Id) OUTPUT inserted.Id SELECT b.Id FROM B b ORDER BY b.Id`:                   "SELECT with ORDER BY",
	`SELECT j.Rule FROM OPENJSON(@rows) WITH (Rule NVARCHAR(20) '$.Rule') j`:                     "a reserved word as a name",
	`CREATE TABLE T (Plan NVARCHAR(20) NULL)`:                                                    "a reserved word as a name",
	`SELECT Id AS Percent FROM T`:                                                                "",
	`INSERT INTO A OUTPUT inserted.Id DEFAULT VALUES`:                                            "DEFAULT VALUES",
	`CREATE TABLE T (Id BIGINT NOT NULL, INDEX IX_Id (Id))`:                                      "an index inside CREATE TABLE",
	`ALTER INDEX IX_Id ON Items REBUILD`:                                                         "ALTER INDEX",
	`ALTER TABLE Items ALTER COLUMN Name NVARCHAR(100) NOT NULL`:                                 "ALTER COLUMN",
	`ALTER TABLE Items ADD A INT NULL, B INT NULL`:                                               "several columns",
	`CREATE INDEX I ON Items (Id) WHERE State = 0 OR State = 4`:                                  "a filter",
	`CREATE INDEX I ON Items (Id) WHERE DueAt < SYSUTCDATETIME()`:                                "a filter",
	`DROP INDEX IX_Id`:                                          "DROP INDEX without",
	`BEGIN TRY SELECT 1 END TRY`:                                "TRY without CATCH",
	`BEGIN SELECT 1`:                                            "without END",
	`BEGIN TRAN; DELETE FROM Items; COMMIT`:                     "BEGIN TRANSACTION",
	`CREATE TABLE T (Name NVARCHAR(4001) NULL)`:                 "NVARCHAR above 4000",
	`CREATE TABLE T (Name VARCHAR(100) NULL)`:                   "VARCHAR",
	`SELECT CAST(Id AS VARCHAR(20)) FROM Items`:                 "VARCHAR",
	`SELECT Id FROM Items WHERE DueAt <= GETDATE()`:             "a local clock",
	`CREATE TABLE T (At DATETIME NOT NULL)`:                     "DATETIME",
	`SELECT Id FROM Items WITH (UPDLOCK, READPAST)`:             "READPAST alone",
	`SELECT Id FROM Items WITH (NOLOCK)`:                        "NOLOCK",
	`SELECT * FROM Items`:                                       "all columns",
	`UPDATE Items SET State = 1 OUTPUT inserted.* WHERE Id = 1`: "all columns",
	`DROP VIEW V; CREATE VIEW V AS SELECT Id FROM Items`:        "CREATE VIEW among others",
	`SELECT Id FROM Items WHERE Name = N'open`:                  "never closed",
	`SELECT Id FROM Items WHERE Name = 'it''s open''`:           "never closed",
	`SELECT [Id FROM Items`:                                     "never closed",
	`SELECT "Id FROM Items`:                                     "never closed",
	`SELECT Id FROM Items /* and so on`:                         "a block comment",
	`SELEC Id FROM Items`:                                       "",
	`SELECT Id FORM Items`:                                      "a call without EXEC",
	`UPDATE Items SET WHERE Id = 1`:                             "",
	`INSERT INTO Items (Id VALUES (1)`:                          "",
	`SELECT Id FROM Items WHERE Id = ?`:                         "",
	`-- nothing but a comment`:                                  "no statement",
}

func TestCheckAcceptsValidStatements(t *testing.T) {
	for _, text := range valid {
		if faults := checkTSQL(t.Context(), text); len(faults) > 0 {
			t.Errorf("%s\n\tfaults = %q, want none", text, faults)
		}
	}
}

func TestCheckRefusesBrokenStatements(t *testing.T) {
	for _, text := range slices.Sorted(maps.Keys(broken)) {
		faults := checkTSQL(t.Context(), text)
		if len(faults) == 0 || !strings.Contains(strings.Join(faults, "\n"), broken[text]) {
			t.Errorf("%s\n\tfaults = %q, want one with %q", text, faults, broken[text])
		}
	}
}

// A rule that refuses no broken statement may never refuse anything. This test checks the words
// without the parser, which refuses some of the statements.
func TestEveryRuleRefusesAStatement(t *testing.T) {
	for _, r := range rules {
		refused := slices.ContainsFunc(slices.Collect(maps.Keys(broken)), func(text string) bool {
			tokens, _ := tokenize(text)
			var words []string
			for _, token := range tokens {
				words = append(words, word(token))
			}
			return r.broken(newStatement(words))
		})
		if !refused {
			t.Errorf("the rule %q refuses no broken statement", r.name)
		}
	}
}
