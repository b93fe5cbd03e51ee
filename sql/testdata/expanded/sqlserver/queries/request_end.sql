UPDATE BotRunRequests SET
    State = @state,
    RunId = @run
WHERE Id = @request AND State = N'started' AND RunId IS NULL;
