UPDATE BotAssignmentMarks SET Value = @value WHERE Name = CAST(@name AS NVARCHAR(450));
