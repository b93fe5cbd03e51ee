-- tasks: all tasks, sorted by name.
SELECT Name, Topic, Description, Active, QueueName, Pipeline, Importance, ScheduleConfig, Scope,
    Payload, ResilienceConfig, EstimatedDurationMs, NotificationConfig, Definition, DefinedBy, UpdatedAt, Revision, SettledUntil
FROM BotTasks
ORDER BY Name;
