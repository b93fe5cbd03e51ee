UPDATE BotAssignmentMarks SET Value = Value + 1 WHERE Name = 'passes' AND Value = @passes;
