UPDATE BotRunRequests SET
    State = @state,
    RunId = @run
WHERE Id = @request AND State = 'started' AND RunId IS NULL;
