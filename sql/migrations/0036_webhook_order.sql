-- Webhooks: the fields of a hit are stored once for all of its events, and deliveries have the number of their event
-- (docs/decisions/045-outgoing-webhooks.md).

-- What endpoints are told of a hit that converted goals: one row, however many goals it converts.
create table outgoing_hits (
  site_no integer not null,
  hit_id uuid not null,
  -- JSON: fields of `data` beside the goal.
  data text not null,
  primary key (site_no, hit_id)
);

-- Of conversions: their row of `outgoing_hits`. Null for other events, which have everything in `data`.
alter table outgoing_events add column hit_id uuid;
create index outgoing_events_by_hit on outgoing_events (site_no, hit_id) where hit_id is not null;

-- Number of the event. 0 for deliveries that had ended before.
alter table webhook_deliveries add column event_no bigint not null default 0;
update webhook_deliveries
set event_no = outgoing_events.event_no
from outgoing_events
where webhook_deliveries.state = 'pending' and outgoing_events.id = webhook_deliveries.event_id;

drop index goal_candidates_by_site;
create index goal_candidates_by_site on goal_candidates (site_no, candidate_no);

-- The path and the query of a webhook's URL may be secrets: only the encrypted column has them.
update webhook_endpoints
set shown_url = substring(shown_url from '^[a-z]+://[^/?]*') || '/…'
where format = 'signed' and shown_url !~ '^[a-z]+://[^/?]*/$';

-- While the past of the processor is imported: what happened before this time is not announced.
alter table recompute_queue add column announced_since timestamptz;
