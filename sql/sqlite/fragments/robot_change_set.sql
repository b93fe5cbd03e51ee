-- robot_change_set: what a robot changes of an item. What it does not set keeps its value.
-- In:  sets_metadata (1: set metadata), metadata (NULL: none), sets_tags, tags, priority (NULL: unchanged),
--      sets_key (1: set natural_key and unique_key), natural_key, unique_key
Metadata = CASE WHEN @sets_metadata = 1 THEN @metadata ELSE Metadata END,
Tags = CASE WHEN @sets_tags = 1 THEN @tags ELSE Tags END,
Priority = COALESCE(@priority, Priority),
NaturalKey = CASE WHEN @sets_key = 1 THEN @natural_key ELSE NaturalKey END,
UniqueKey = CASE WHEN @sets_key = 1 THEN @unique_key ELSE UniqueKey END
