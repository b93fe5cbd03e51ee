SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), m.Name, m.Value
FROM BotAssignmentMarks m;
