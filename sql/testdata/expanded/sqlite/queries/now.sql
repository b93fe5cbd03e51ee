SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'));
