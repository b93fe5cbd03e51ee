-- mark: change what assignment passes remember.
-- In:  name, value
UPDATE BotAssignmentMarks SET Value = @value WHERE Name = CAST(@name AS NVARCHAR(450));
