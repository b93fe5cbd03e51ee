-- mark_new: insert a value that assignment passes record.
-- In:  name, value
INSERT INTO BotAssignmentMarks (Name, Value) VALUES (@name, @value);
