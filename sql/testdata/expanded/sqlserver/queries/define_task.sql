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
    SettledUntil = CASE WHEN @settle = 1 AND SettledUntil < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) THEN COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) ELSE SettledUntil END,
    Revision = Revision + 1,
    DefinedBy = @by,
    UpdatedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE Name = CAST(@name AS NVARCHAR(450)) AND Revision = @revision;
