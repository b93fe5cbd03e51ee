UPDATE BotTasks SET
    Topic = @topic,
    Description = @description,
    Active = @active,
    QueueName = @queue_name,
    Pipeline = @pipeline,
    Importance = @importance,
    ScheduleConfig = @schedule_config,
    Scope = @scope,
    Payload = @payload,
    ResilienceConfig = @resilience_config,
    EstimatedDurationMs = @estimated_duration_ms,
    NotificationConfig = @notification_config,
    Definition = @definition,
    SettledUntil = CASE WHEN @settle = 1 AND SettledUntil < COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) THEN COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) ELSE SettledUntil END,
    Revision = Revision + 1,
    DefinedBy = @by,
    UpdatedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE Name = @name AND Revision = @revision;
