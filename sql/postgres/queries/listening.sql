-- listening: record that a process listens, for this long.
-- In:  seconds
INSERT INTO "BotAssignmentMarks" ("Name", "Value")
VALUES ('listening', CAST(EXTRACT(EPOCH FROM statement_timestamp()) AS bigint) + @seconds)
ON CONFLICT ("Name") DO UPDATE SET "Value" = EXCLUDED."Value";
