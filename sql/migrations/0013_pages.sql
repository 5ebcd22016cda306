-- What engagement looks up: the newest pageview of a path by a visitor. By the path, too: a visitor's other hits lie all
-- over the table, and reading them was most of what storing did once the table was larger than the memory for it.
-- The hash stands for the path, which may be longer than an index takes.
create index events_by_page on events (visitor_no, hashtext(path), at) where type = 'pageview';
drop index events_by_visitor;
