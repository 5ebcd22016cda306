-- Whether the goals of what a payment processor reports were made: once a site, also when they are deleted and a
-- processor is connected again.
alter table sites add column has_lifecycle_goals boolean not null default false;
update sites set has_lifecycle_goals = true where site_no in (select site_no from processor_connections);
