INSERT INTO BotAssignmentMarks (Name, Value) VALUES (@name, @value);
