-- mark: update a value that assignment passes record.
-- In:  name, value
UPDATE BotAssignmentMarks SET Value = @value WHERE Name = @name;
