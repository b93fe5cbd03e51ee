UPDATE BotAssignmentMarks SET Value = @value WHERE Name = @name;
