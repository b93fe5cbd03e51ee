-- marks: what assignment passes remember, and the database's clock.
-- In:  now (NULL: the database clock)
-- Out: the clock, name, value.
SELECT COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), m.Name, m.Value
FROM BotAssignmentMarks m;
