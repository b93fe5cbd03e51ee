-- define_task_new: insert a task. If its name exists, the unique key refuses it.
-- In:  name, by, now (NULL: the database clock), and the definition: topic, description, active,
--      queue_name, pipeline, importance, schedule_config, scope, payload, resilience_config,
--      estimated_duration_ms, notification_config, definition
INSERT INTO "BotTasks"
    ("Name", "DefinedBy", "UpdatedAt", "SettledUntil",
    "Topic", "Description", "Active", "QueueName", "Pipeline", "Importance", "ScheduleConfig", "Scope", "Payload", "ResilienceConfig", "EstimatedDurationMs", "NotificationConfig", "Definition")
VALUES
    (@name, @by, {{now}}, {{now}},
    @topic, @description, @active, @queue_name, @pipeline, @importance, @schedule_config, @scope, @payload, @resilience_config, @estimated_duration_ms, @notification_config, @definition);
