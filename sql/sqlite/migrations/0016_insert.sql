-- +goose Up

-- SQLite looks a list of six numbers up in a table of its own for each row that is
-- written, which was a quarter of an insert; a range is two comparisons, and holds the
-- same states. The condition is changed in the text of the schema, as SQLite's
-- documentation of ALTER TABLE describes: making the table anew would copy every row.
-- What follows makes other connections read the schema again.
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET sql = replace(sql, 'CHECK (State IN (0, 1, 2, 3, 4, 5))', 'CHECK (State BETWEEN 0 AND 5)')
WHERE type = 'table' AND name = 'BotWorkQueueItems';
CREATE TABLE BotSchemaRead (Id INTEGER PRIMARY KEY);
DROP TABLE BotSchemaRead;
PRAGMA writable_schema = RESET;

-- +goose Down
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET sql = replace(sql, 'CHECK (State BETWEEN 0 AND 5)', 'CHECK (State IN (0, 1, 2, 3, 4, 5))')
WHERE type = 'table' AND name = 'BotWorkQueueItems';
CREATE TABLE BotSchemaRead (Id INTEGER PRIMARY KEY);
DROP TABLE BotSchemaRead;
PRAGMA writable_schema = RESET;
