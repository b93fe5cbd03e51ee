UPDATE BotAssignmentMarks SET Value = Value + 1 WHERE Name = N'passes' AND Value = @passes;
