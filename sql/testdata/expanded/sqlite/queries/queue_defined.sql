UPDATE BotQueues SET
    Defined = @defined
WHERE Id = @id AND Revision = @revision AND OverriddenBy IS NOT NULL;
