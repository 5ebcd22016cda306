-- Hits that are few among many, found without reading the others: what the service wrote, and errors.
create index events_of_service on events (site_no, at) where is_service;
create index events_of_errors on events (site_no, error_id, at) where type = 'error';
