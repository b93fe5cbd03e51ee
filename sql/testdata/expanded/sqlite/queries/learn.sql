UPDATE BotDurations SET
    Runs = j.Runs,
    MeanMs = j.MeanMs,
    P90Ms = j.P90Ms,
    ErrorMs = j.ErrorMs,
    Histogram = j.Histogram,
    Version = Version + 1,
    UpdatedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
FROM (SELECT json_extract(value, '$.KeyHash') AS KeyHash, json_extract(value, '$.OldVersion') AS OldVersion,
        json_extract(value, '$.Runs') AS Runs, json_extract(value, '$.MeanMs') AS MeanMs, json_extract(value, '$.P90Ms') AS P90Ms,
        json_extract(value, '$.ErrorMs') AS ErrorMs, json_extract(value, '$.Histogram') AS Histogram
      FROM jsonb_each(@rows)) j
WHERE BotDurations.KeyHash = j.KeyHash AND BotDurations.Version = j.OldVersion;
