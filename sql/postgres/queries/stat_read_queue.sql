-- stat_read_queue: the statistics of one queue.
-- In:  queue, since_1 to since_4: the starts of the windows, the shortest first
-- Out: queue, kind, age (0: in the shortest window, 4: in none), bucket, and the sums of events, level and duration.
-- include: stat_windows
    WHERE s."QueueName" = @queue
) g
GROUP BY g."QueueName", g."Kind", g."Age", g."Bucket";
