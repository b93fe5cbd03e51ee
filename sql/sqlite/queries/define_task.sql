-- define_task: change the definition of a task, unless another process has changed it since it was
-- read.
-- In:  name, revision, by, settle (1: the new definition does not apply to windows before now),
--      now (NULL: the database clock), and the definition: topic, description, active, queue_name,
--      pipeline, importance, schedule_config, scope, payload, resilience_config, estimated_duration_ms,
--      notification_config, definition
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
    SettledUntil = CASE WHEN @settle = 1 AND SettledUntil < {{now}} THEN {{now}} ELSE SettledUntil END,
    Revision = Revision + 1,
    DefinedBy = @by,
    UpdatedAt = {{now}}
WHERE Name = @name AND Revision = @revision;
