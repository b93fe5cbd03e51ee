-- marks: what assignment passes remember, and the database's clock.
-- In:  now (NULL: the database clock)
-- Out: the clock, name, value.
SELECT CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), m."Name", m."Value"
FROM "BotAssignmentMarks" m;
