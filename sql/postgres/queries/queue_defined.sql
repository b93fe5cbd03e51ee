-- queue_defined: record the definition of a queue in the settings, which a command has overridden.
-- In:  id, revision, defined
UPDATE "BotQueues" SET
    "Defined" = CAST(@defined AS text)
WHERE "Id" = @id AND "Revision" = @revision AND "OverriddenBy" IS NOT NULL;
