-- marks: the values that assignment passes record, and the database's clock.
-- In:  now (NULL: the database clock)
-- Out: the clock, name, value.
SELECT {{now}}, m."Name", m."Value"
FROM "BotAssignmentMarks" m;
