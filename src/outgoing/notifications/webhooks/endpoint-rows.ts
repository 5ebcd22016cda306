import { query } from '../../../platform/db/query.ts'
import type { Format } from './kinds.ts'

export interface EndpointRow {
  id: string
  siteNo: number
  name: string
  format: Format
  /** Encrypted. */
  url: Uint8Array
  shownUrl: string
  kinds: string[]
  /** False also when the token that made it has ended. */
  isEnabled: boolean
  previousSecretUntil: Date | null
  failingSince: Date | null
  givenUpAt: Date | null
  dropped: number
  createdAt: Date
  /** Token that made it; null for a browser. */
  tokenId: string | null
  waiting: number
}

const COLUMNS = `
  webhook_endpoints.id, webhook_endpoints.site_no as "siteNo", name, format, url, shown_url as "shownUrl", kinds,
  is_enabled and (
    token_id is null
    or exists (select from tokens where tokens.id = token_id and (expires_at is null or expires_at > now()))
  ) as "isEnabled",
  token_id as "tokenId", previous_secret_until as "previousSecretUntil", failing_since as "failingSince",
  given_up_at as "givenUpAt", dropped, webhook_endpoints.created_at as "createdAt",
  (
    select count(*)::int from webhook_deliveries where endpoint_id = webhook_endpoints.id and state = 'pending'
  ) as waiting`

export const selectEndpoints = query<{ siteNo: number; id: string | null }, EndpointRow>(
  'select-webhook-endpoints',
  `select ${COLUMNS}
  from webhook_endpoints
  where site_no = :siteNo and (:id::uuid is null or id = :id)
  order by created_at, id`,
)

export const lockEndpoint = query<{ siteNo: number; id: string }, EndpointRow>(
  'lock-webhook-endpoint',
  `select ${COLUMNS} from webhook_endpoints where site_no = :siteNo and id = :id for no key update`,
)

interface Written {
  id: string
  name: string
  url: Uint8Array
  shownUrl: string
  kinds: readonly string[]
}

export const insertEndpoint = query<
  Written & { siteNo: number; format: Format; secret: Uint8Array | null; tokenId: string | null; now: Date },
  EndpointRow
>(
  'insert-webhook-endpoint',
  `insert into webhook_endpoints (id, site_no, name, format, url, shown_url, kinds, secret, token_id, active_since, created_at)
  values (:id, :siteNo, :name, :format, :url, :shownUrl, :kinds::text[], :secret, :tokenId, :now, :now)
  returning ${COLUMNS}`,
)

/** A null URL stays. Switching it on begins anew: what happened before is not sent. `wasEnabled`: before, as `isEnabled` of its row. */
export const updateEndpoint = query<
  Omit<Written, 'url'> & {
    url: Uint8Array | null
    isEnabled: boolean
    wasEnabled: boolean
    tokenId: string | null
    now: Date
  },
  EndpointRow
>(
  'update-webhook-endpoint',
  `update webhook_endpoints
  set
    name = :name, url = coalesce(:url::bytea, url), shown_url = :shownUrl, kinds = :kinds::text[],
    is_enabled = :isEnabled::boolean, token_id = :tokenId,
    active_since = case when :isEnabled::boolean and not :wasEnabled::boolean then :now::timestamptz else active_since end,
    failing_since = case when :isEnabled::boolean and not :wasEnabled::boolean then null else failing_since end,
    failures = case when :isEnabled::boolean and not :wasEnabled::boolean then 0 else failures end,
    given_up_at = case when :isEnabled::boolean then null else given_up_at end
  where id = :id
  returning ${COLUMNS}`,
)

/** Alerts do not tell it any more. */
export const deleteEndpoint = query<{ id: string }>(
  'delete-webhook-endpoint',
  `with endpoint as (delete from webhook_endpoints where id = :id),
  alerts as (
    update alert_rules
    set endpoint_ids = array_remove(endpoint_ids, :id::uuid)
    where
      site_no = (select site_no from webhook_endpoints where id = :id)
      and :id::uuid = any(endpoint_ids)
  ),
  deliveries as (delete from webhook_deliveries where endpoint_id = :id returning id)
  delete from webhook_attempts where delivery_id = any(array(select id from deliveries))`,
)

export const replaceSecret = query<{ id: string; secret: Uint8Array; until: Date | null }>(
  'replace-webhook-secret',
  `update webhook_endpoints
  set
    previous_secret = case when :until::timestamptz is null then null else secret end,
    previous_secret_until = :until::timestamptz,
    secret = :secret
  where id = :id`,
)

/** Ends deliveries that wait for an endpoint that is switched off. */
export const endWaiting = query<{ id: string; now: Date }>(
  'end-waiting-deliveries',
  `update webhook_deliveries
  set state = 'failed', finished_at = :now
  where endpoint_id = :id and state = 'pending'`,
)

/** Call it in each transaction that changes what waits for conversions. */
export const updateWatching = query<{ siteNo: number }>(
  'update-watches-goals',
  `update sites
  set watches_goals = wanted.watches
  from (
    select exists (
      select
      from webhook_endpoints
      where site_no = :siteNo and is_enabled and 'goal.converted' = any(kinds)
      union all
      select
      from alert_rules
      where site_no = :siteNo and is_enabled and kind = 'goal'
    ) as watches
  ) as wanted
  where site_no = :siteNo and watches_goals <> wanted.watches`,
)
