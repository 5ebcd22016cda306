-- Inserts the errors of a batch of hits. Existing rows are not written, so that batches do not wait for each other, except rows
-- without a specific name ('Error') when the batch has one.
with given as (
  select *
  from unnest(:siteNos::int[], :ids::uuid[], :messages::text[], :names::text[]) as given (site_no, error_id, message, name)
),
named as (
  update error_groups
  set name = given.name
  from given
  where error_groups.site_no = given.site_no
    and error_groups.error_id = given.error_id
    and error_groups.name = 'Error'
    and given.name <> 'Error'
)
insert into error_groups (site_no, error_id, message, name)
select site_no, error_id, message, name
from given
on conflict do nothing
