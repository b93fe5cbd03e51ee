UPDATE "BotTasks" SET
    "Topic" = @topic,
    "Description" = @description,
    "Active" = @active,
    "QueueName" = @queue_name,
    "Pipeline" = @pipeline,
    "Importance" = @importance,
    "ScheduleConfig" = @schedule_config,
    "Scope" = @scope,
    "Payload" = @payload,
    "ResilienceConfig" = @resilience_config,
    "EstimatedDurationMs" = @estimated_duration_ms,
    "NotificationConfig" = @notification_config,
    "Definition" = @definition,
    "SettledUntil" = CASE WHEN @settle = 1 AND "SettledUntil" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) ELSE "SettledUntil" END,
    "Revision" = "Revision" + 1,
    "DefinedBy" = @by,
    "UpdatedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE "Name" = @name AND "Revision" = @revision;
