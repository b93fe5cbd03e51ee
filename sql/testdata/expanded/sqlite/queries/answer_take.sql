UPDATE BotApiAnswers SET
    RequestHash = @request_hash,
    Status = 0,
    Body = '',
    At = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE KeyHash = @key_hash
  AND (At <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0))
    OR Status = 0 AND RequestHash = @request_hash AND At <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@patience_ms / 1000.0)));
