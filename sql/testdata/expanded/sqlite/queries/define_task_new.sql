INSERT INTO BotTasks
    (Name, DefinedBy, UpdatedAt, SettledUntil,
    Topic, Description, Active, QueueName, Pipeline, Importance, ScheduleConfig, Scope, Payload, ResilienceConfig, EstimatedDurationMs, NotificationConfig, Definition)
VALUES
    (@name, @by, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    @topic, @description, @active, @queue_name, @pipeline, @importance, @schedule_config, @scope, @payload, @resilience_config, @estimated_duration_ms, @notification_config, @definition);
