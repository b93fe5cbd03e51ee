INSERT INTO "BotTasks"
    ("Name", "DefinedBy", "UpdatedAt", "SettledUntil",
    "Topic", "Description", "Active", "QueueName", "Pipeline", "Importance", "ScheduleConfig", "Scope", "Payload", "ResilienceConfig", "EstimatedDurationMs", "NotificationConfig", "Definition")
VALUES
    (@name, @by, CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    @topic, @description, @active, @queue_name, @pipeline, @importance, @schedule_config, @scope, @payload, @resilience_config, @estimated_duration_ms, @notification_config, @definition);
